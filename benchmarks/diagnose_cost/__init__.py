"""What recording costs, in instructions per request, beside other tools."""
