"""Layers that are saved, and their comparison."""

import numpy as np

import jaxeager as paddle


def random(*shape, seed=0):
    array = np.random.default_rng(seed).normal(size=shape).astype("float32")
    return paddle.to_tensor(array)


def saved(layer, spec, folder, **configs):
    """Return a saved and loaded Layer."""
    paddle.jit.save(layer, f"{folder}/net", spec, **configs)
    return paddle.jit.load(f"{folder}/net")


def close(found, wanted):
    np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-5, atol=1e-6)


class Forward(paddle.nn.Layer):
    """A Layer with weights whose forward is a function of (itself, ...)."""

    def __init__(self, function):
        super().__init__()
        self.linear = paddle.nn.Linear(2, 3)
        self.function = function

    def forward(self, *args):
        return self.function(self, *args)
