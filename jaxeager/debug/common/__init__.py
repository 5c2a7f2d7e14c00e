"""Shared by several tools: unique names, texts of numbers and tensors, files, late answers."""
