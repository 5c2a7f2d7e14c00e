"""paddle.incubate.optimizer.functional: minima of functions, found with their gradients."""

from jaxeager.incubate.optimizer.functional.quasi_newton import minimize_bfgs, minimize_lbfgs

__all__ = ["minimize_bfgs", "minimize_lbfgs"]
