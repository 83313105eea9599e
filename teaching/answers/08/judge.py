"""Answers to exercise 08-judge, right and wrong."""

STUB = "there are asyncio"

RIGHT = """
## by tool
programs = {
    "asyncio": ["gateway", "small office"],
    "threads": ["reports", "old driver"],
    "processes": ["thumbnails", "control"],
}
tools = {name: tool for tool, names in programs.items() for name in names}
"""

WRONG = """
## asyncio for all => who interrupts a thread
tools = dict.fromkeys(PROGRAMS, "asyncio")
## threads compute in parallel => one lock for all threads
-    "thumbnails": "processes",
+    "thumbnails": "threads",
## a blocking driver never on a loop => how long does one request hold the loop
-    "small office": "asyncio",
+    "small office": "threads",
## the old driver on the loop => this driver holds the loop
-    "old driver": "threads",
+    "old driver": "asyncio",
## a thread is interrupted at once => after how long does a thread let go
-    "control": "processes",
+    "control": "threads",
"""
