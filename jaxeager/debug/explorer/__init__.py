"""The explorer: what is known of a graph as plain data, and as a page to look at."""
