"""Element by element: arithmetic, roots, logarithms, trigonometry, comparison, complex parts."""
