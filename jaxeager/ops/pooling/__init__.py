"""The largest or the mean of each window, and back."""
