"""How far special functions are from the right value, in units of the last place (ULP).

``cases`` lists the functions and their grids, ``references`` computes the right values with mpmath.
``python -m tests.ulps`` measures this library, Paddle and SciPy; its module describes the steps.
``recorded.npz`` holds a part of each grid with its right values, for tests without mpmath.
"""
