"""Is `looplab trace` right?  Held against a client, planted faults, and changes."""
