"""Layers of several operations in one, made of the plain ones."""
