"""Answers to exercise 02-modify, right and wrong."""

STUB = "a beat can wait for three slices"

RIGHT = """
## total size 10
size = 10
async def total(numbers, square, pause):
    result = 0
    for start in range(0, len(numbers), size):
        result += sum(map(square, numbers[start:start + size]))
        await pause()
    return result
## total size 12
size = 12
async def total(numbers, square, pause):
    result = 0
    for start in range(0, len(numbers), size):
        result += sum(map(square, numbers[start:start + size]))
        await pause()
    return result
## total size 16
size = 16
async def total(numbers, square, pause):
    result = 0
    for start in range(0, len(numbers), size):
        result += sum(map(square, numbers[start:start + size]))
        await pause()
    return result
"""

WRONG = """
## a sleep of its own after each number => let the loop go on with pause
async def total(numbers, square, pause):
    result = 0
    for number in numbers:
        result += square(number)
        await asyncio.sleep(0)
    return result
## one square too many in a slice => a beat can wait for three slices
-        if count % 16 == 0:
+        if count % 17 == 0:
## awaits one pause of two => 1 of 2 pauses were made and never awaited
async def total(numbers, square, pause):
    result = 0
    for number in numbers:
        result += square(number)
        pause()
        await pause()
    return result
## forgets to await the pauses => await pause()
-            await pause()
+            pause()
## a pause after each number => a pause costs something too
async def total(numbers, square, pause):
    result = 0
    for number in numbers:
        result += square(number)
        await pause()
    return result
## leaves the rest out => the pauses must not change the sum
async def total(numbers, square, pause):
    result = 0
    for start in range(0, len(numbers) - 15, 16):
        result += sum(map(square, numbers[start:start + 16]))
        await pause()
    return result
## gathers: all in one iteration => let the loop go on with pause
async def total(numbers, square, pause):
    async def one(number):
        return square(number)
    return sum(await asyncio.gather(*map(one, numbers)))
## total size 1 => 1000 pauses
@@ total size 10
-size = 10
+size = 1
## total => must not change the sum
async def total(numbers, square, pause):
    return 0
"""
