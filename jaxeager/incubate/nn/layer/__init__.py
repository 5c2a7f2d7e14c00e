"""Layers that combine several operations, composed of the plain ones."""
