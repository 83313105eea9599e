"""The extra exercises of chapter 2, *Move CPU work off the loop*."""
