"""Reductions: sums, extremes, statistics, running reductions, segments."""
