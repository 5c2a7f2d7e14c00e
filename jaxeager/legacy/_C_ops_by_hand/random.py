"""Random numbers; a nonzero seed alone determines the result."""

import jaxeager as paddle
from jaxeager.arrays.random import drawing_from_seed
from jaxeager.legacy._C_ops_by_hand.placing import placed


def gaussian(shape, mean, std, seed, dtype, place=None):
    """Return normal random numbers."""
    return placed(paddle.tensor.random.gaussian(shape, mean, std, seed, dtype), place)


def gaussian_inplace_(x, mean=0.0, std=1.0, seed=0):
    """Fill a tensor with normal random numbers."""
    return paddle.tensor.random.gaussian_(x, mean, std, seed)


def uniform_inplace_(x, min=-1.0, max=1.0, seed=0, diag_num=0, diag_step=0, diag_val=1.0):
    """Fill a tensor with uniform random numbers; without a diagonal, as in Paddle."""
    return x.uniform_(min, max, seed)


def randint(low, high, shape, dtype, place=None):
    """Return random integers."""
    return placed(paddle.randint(low, high, shape, dtype), place)


def truncated_gaussian_random(shape, mean, std, seed, a, b, dtype, place=None):
    """Return normal random numbers between two bounds."""
    found = paddle.empty(shape, dtype)
    with drawing_from_seed(seed):
        paddle.nn.init.trunc_normal_(found, mean, std, a, b)
    return placed(found, place)
