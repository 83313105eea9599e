"""The extra exercises of chapter 6, *Find the loop that spins*."""
