"""The extra exercises of chapter 5, *Bound every channel*."""
