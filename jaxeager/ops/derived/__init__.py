"""Rows that are derived from other rows, on first use.

The VJP of a row is a row (``higher``), so that gradients of gradients are recorded like any op. A
row that returns a view has a row that writes back what the view reads (``view_steps``).
"""
