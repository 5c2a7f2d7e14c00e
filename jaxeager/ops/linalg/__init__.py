"""Matrices: products, factors, solvers, norms."""
