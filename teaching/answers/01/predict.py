"""Answers to exercise 01-predict, right and wrong."""

STUB = "replace the three dots in the cell above and run it"

RIGHT = {
    "'AEBDC'": "order_of_letters = 'AEBDC'",
    "'aebdc'": "order_of_letters = 'aebdc'",
    "'A E B D C'": "order_of_letters = 'A E B D C'",
    "'A, E, B, D, C'": "order_of_letters = 'A, E, B, D, C'",
    "list('AEBDC')": "order_of_letters = list('AEBDC')",
}

WRONG = {
    "what the first callback makes ready comes next": (
        'order_of_letters = "ABECD"',
        "B is made ready during the first iteration",
    ),
    "the timers before what was made ready meanwhile": (
        'order_of_letters = "ADCEB"',
        "B is made ready during the first iteration",
    ),
    "every callback twice": ('order_of_letters = "AABBCCDDEE"', "five callbacks run"),
    "timers in the order in which they were set": (
        'order_of_letters = "AEBCD"',
        "two timers that are both due become ready",
    ),
    "due timers before what is ready": (
        'order_of_letters = "AEDCB"',
        "B was ready before the loop looked at its timers again",
    ),
    "in the order of the lines": (
        'order_of_letters = "CDABE"',
        "which callback is the first in the ready",
    ),
    "a letter is missing": ('order_of_letters = "AEBD"', "five callbacks run"),
    "5": ("order_of_letters = 5", "not a string"),
    "'ABC'": ("order_of_letters = 'ABC'", "each of the letters"),
    "'AEBDCC'": ("order_of_letters = 'AEBDCC'", "each of the letters"),
    "'EABDC'": ("order_of_letters = 'EABDC'", "the first in the ready queue"),
    "'AEBCD'": ("order_of_letters = 'AEBCD'", "order of due times"),
    "'AEDCB'": ("order_of_letters = 'AEDCB'", "looked at its timers again"),
    "...": ("order_of_letters = ...", "no answer yet"),
}
