"""Tools for numbers: NaN and Inf, statistics, and the comparison of two runs."""
