"""Pooling: the maximum or mean of each window, and unpooling."""
