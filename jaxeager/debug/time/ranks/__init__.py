"""Time over ranks: calls between them, their clocks, and one report about all of them."""
