"""The extra exercises of chapter 3, *Count what a task costs*."""
