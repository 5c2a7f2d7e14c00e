"""Convolutions, and the windows they see."""
