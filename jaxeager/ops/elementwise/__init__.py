"""Elementwise ops: arithmetic, roots, logarithms, trigonometry, comparison, complex parts."""
