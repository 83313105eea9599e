"""Answers to exercise 08-modify, right and wrong."""

STUB = "a timer that becomes due needs three iterations"

RIGHT = {
    "a sixtieth": "piece = 1 / 60",
    "0.017": "piece = 0.017",
    "0.018": "piece = 0.018",
    "0.019": "piece = 0.019",
}

WRONG = {
    "longer than the export": ("piece = 18", "longer than the export"),
    "too short to be one": ("piece = 0.0001", "shorter than half a millisecond"),
    "long pieces": ("piece = 0.1", "a timer that becomes due needs three iterations"),
    "three times the bound would be right": (
        "piece = 0.060",
        "a timer that becomes due needs three iterations",
    ),
    "short pieces": ("piece = 0.005", "each piece costs a millisecond"),
    "milliseconds": ("piece = 20", "think of milliseconds"),
    "'long'": ("piece = 'long'", "not a number of seconds"),
    "0": ("piece = 0", "shorter than half a millisecond"),
    "0.016": ("piece = 0.016", "the export takes"),
}
