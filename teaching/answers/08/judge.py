"""Answers to exercise 08-judge, right and wrong."""

STUB = "there are asyncio"

RIGHT = {
    "RIGHT": "tools = {'gateway': 'asyncio', 'reports': 'threads', 'thumbnails': 'processes', 'old driver': 'threads', 'small office': 'asyncio', 'control': 'processes'}",
}

WRONG = {
    "asyncio for all": (
        """
tools = dict.fromkeys(PROGRAMS, "asyncio")
""",
        "who interrupts a thread",
    ),
    "threads compute in parallel": (
        """
tools = {
    "gateway": "asyncio",
    "reports": "threads",
    "thumbnails": "threads",
    "old driver": "threads",
    "small office": "asyncio",
    "control": "processes",
}
""",
        "one lock for all threads",
    ),
    "a blocking driver never on a loop": (
        """
tools = {
    "gateway": "asyncio",
    "reports": "threads",
    "thumbnails": "processes",
    "old driver": "threads",
    "small office": "threads",
    "control": "processes",
}
""",
        "how long does one request hold the loop",
    ),
    "the old driver on the loop": (
        """
tools = {
    "gateway": "asyncio",
    "reports": "threads",
    "thumbnails": "processes",
    "old driver": "asyncio",
    "small office": "asyncio",
    "control": "processes",
}
""",
        "this driver holds the loop",
    ),
    "a thread is interrupted at once": (
        """
tools = {
    "gateway": "asyncio",
    "reports": "threads",
    "thumbnails": "processes",
    "old driver": "threads",
    "small office": "asyncio",
    "control": "threads",
}
""",
        "after how long does a thread let go",
    ),
}
