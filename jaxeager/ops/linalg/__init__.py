"""Matrix ops: products, factors, solvers, norms."""
