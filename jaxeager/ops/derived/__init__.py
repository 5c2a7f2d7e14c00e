"""Rows that are made of rows, when they are first asked for.

The VJP of a row is a row (``higher``), so that gradients of gradients are recorded as any op is. A
row that gives a view has one that writes back what it reads (``view_steps``).
"""
