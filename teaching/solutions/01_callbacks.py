"""Solutions of the extra exercises of chapter 1: the text of the cell, by name."""

SOLUTIONS = {
    "01-xorder": """
order_of_letters = "EFBCADG"
""",
}
