"""Answers to exercise 02-modify, right and wrong."""

STUB = "a beat can wait for three slices"

RIGHT = {
    "total size 10": """
size = 10
async def total(numbers, square, pause):
    result = 0
    for start in range(0, len(numbers), size):
        result += sum(map(square, numbers[start:start + size]))
        await pause()
    return result
""",
    "total size 12": """
size = 12
async def total(numbers, square, pause):
    result = 0
    for start in range(0, len(numbers), size):
        result += sum(map(square, numbers[start:start + size]))
        await pause()
    return result
""",
    "total size 16": """
size = 16
async def total(numbers, square, pause):
    result = 0
    for start in range(0, len(numbers), size):
        result += sum(map(square, numbers[start:start + size]))
        await pause()
    return result
""",
}

WRONG = {
    "a sleep of its own after each number": (
        """
async def total(numbers, square, pause):
    result = 0
    for number in numbers:
        result += square(number)
        await asyncio.sleep(0)
    return result
""",
        "let the loop go on with pause",
    ),
    "one square too many in a slice": (
        """
async def total(numbers, square, pause):
    result = 0
    for count, number in enumerate(numbers, start=1):
        result += square(number)
        if count % 17 == 0:
            await pause()
    return result
""",
        "a beat can wait for three slices",
    ),
    "forgets to await the pauses": (
        """
async def total(numbers, square, pause):
    result = 0
    for count, number in enumerate(numbers, start=1):
        result += square(number)
        if count % 16 == 0:
            pause()
    return result
""",
        "await pause()",
    ),
    "a pause after each number": (
        """
async def total(numbers, square, pause):
    result = 0
    for number in numbers:
        result += square(number)
        await pause()
    return result
""",
        "a pause costs something too",
    ),
    "leaves the rest out": (
        """
async def total(numbers, square, pause):
    result = 0
    for start in range(0, len(numbers) - 15, 16):
        result += sum(map(square, numbers[start:start + 16]))
        await pause()
    return result
""",
        "the pauses must not change the sum",
    ),
    "gathers: all in one iteration": (
        """
async def total(numbers, square, pause):
    async def one(number):
        return square(number)
    return sum(await asyncio.gather(*map(one, numbers)))
""",
        "let the loop go on with pause",
    ),
    "total size 1": (
        """
size = 1
async def total(numbers, square, pause):
    result = 0
    for start in range(0, len(numbers), size):
        result += sum(map(square, numbers[start:start + size]))
        await pause()
    return result
""",
        "1000 pauses",
    ),
    "total": (
        """
async def total(numbers, square, pause):
    return 0
""",
        "must not change the sum",
    ),
}
