"""Small programs for the tests of views."""

import numpy as np

import jaxeager as paddle


def leaf(values):
    """Returns a leaf, of float32, that wants gradients."""
    return paddle.to_tensor(np.asarray(values, "float32"), stop_gradient=False)


def made(values):
    """Returns a leaf, and a tensor made of it that can be written: twice the leaf."""
    x = leaf(values)
    return x, x * 2


def grad_of(x):
    """Returns the gradient of a leaf as nested lists."""
    return np.round(x.grad.numpy(), 4).tolist()
