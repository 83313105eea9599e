"""Answers to exercise 05-judge, right and wrong."""

STUB = "there are bound"

RIGHT = """
## by verdict
harmless = ["uvicorn", "discord.py"]
verdicts = dict.fromkeys(harmless, "harmless")
verdicts |= {"litestar": "refuse", "crawlee": "end", "broadcaster": "bound"}
"""

WRONG = """
## all are errors => a plain function cannot wait
verdicts = dict.fromkeys(FINDINGS, "bound")
## the linter is believed => discord.py
-    "discord.py": "harmless",
+    "discord.py": "refuse",
## a bound is enough where a task is cancelled => nobody reads any more
-    "crawlee": "end",
+    "crawlee": "bound",
## a word that is none => there are bound
verdicts = dict.fromkeys(FINDINGS, "fine")
## not all => judge all five
verdicts = {"broadcaster": "bound"}
"""
