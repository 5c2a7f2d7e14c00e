"""Small programs for the tests of views."""

import numpy as np

from tests.support.leaves import leaf


def made(values):
    """Return a leaf, and a tensor computed from it that can be written: twice the leaf."""
    x = leaf(values)
    return x, x * 2


def grad_of(x):
    """Return the gradient of a leaf as nested lists."""
    return np.round(x.grad.numpy(), 4).tolist()
