"""Convolutions and the windows they read."""
