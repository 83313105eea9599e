"""The extra exercises of chapter 1, *Give the loop something to call*."""
