"""The explorer: a graph as plain data, and as an interactive page."""
