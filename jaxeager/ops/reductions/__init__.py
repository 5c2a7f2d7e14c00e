"""Many elements to few: sums, extremes, statistics, running ones, segments."""
