"""The numbers themselves: NaN and Inf, statistics, and the numbers of two runs side by side."""
