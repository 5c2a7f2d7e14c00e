"""The examples in the docstrings of the installed Paddle, run on real Paddle and here.

No text of them is stored in this repository: they are read from the installed wheel each time.
"""
