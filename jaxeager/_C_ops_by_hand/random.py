"""Random numbers; what only seeds Paddle's generators is ignored."""

import jaxeager as paddle


def gaussian(shape, mean, std, seed, dtype, place=None):
    """Returns normal random numbers."""
    return paddle.tensor.random.gaussian(shape, mean, std, seed, dtype)


def gaussian_inplace_(x, mean=0.0, std=1.0, seed=0):
    """Fills a tensor with normal random numbers."""
    return x.normal_(mean, std)


def uniform_inplace_(x, min=-1.0, max=1.0, seed=0, diag_num=0, diag_step=0, diag_val=1.0):
    """Fills a tensor with uniform random numbers."""
    return x.uniform_(min, max, seed)


def randint(low, high, shape, dtype, place=None):
    """Returns random whole numbers."""
    return paddle.randint(low, high, shape, dtype)


def truncated_gaussian_random(shape, mean, std, seed, a, b, dtype, place=None):
    """Returns normal random numbers between two bounds."""
    found = paddle.empty(shape, dtype)
    paddle.nn.init.trunc_normal_(found, mean, std, a, b)
    return found
