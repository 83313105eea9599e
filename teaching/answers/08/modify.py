"""Answers to exercise 08-modify, right and wrong."""

STUB = "a timer that becomes due needs three iterations"

RIGHT = """
## a sixtieth
piece = 1 / 60
## 0.017
piece = 0.017
## 0.019
piece = 0.019
"""

WRONG = """
## longer than the export => longer than the export
piece = 18
## too short to be one => shorter than half a millisecond
piece = 0.0001
## long pieces => a timer that becomes due needs three iterations
piece = 0.1
## in time in this run, by luck => what the rule of three iterations allows
piece = 0.0201
## three times the bound would be right => a timer that becomes due needs three iterations
piece = 0.060
## short pieces => each piece costs a millisecond
piece = 0.005
## milliseconds => think of milliseconds
piece = 20
## 'long' => not a number of seconds
piece = 'long'
## 0 => shorter than half a millisecond
piece = 0
## 0.016 => the export takes
piece = 0.016
"""
