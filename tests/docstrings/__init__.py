"""The examples in the docstrings of the installed Paddle, run on real Paddle and here.

Nothing of them is kept in this repository: they are read from the installed wheel each time.
"""
