"""Parameters, gradients and optimizers for the tests of GradScaler."""

import numpy as np

import jaxeager as paddle

OPTIMIZERS = {
    "SGD": lambda params: paddle.optimizer.SGD(0.1, parameters=params),
    "Momentum": lambda params: paddle.optimizer.Momentum(0.1, parameters=params),
    "Adam": lambda params: paddle.optimizer.Adam(0.1, parameters=params),
    "AdamW": lambda params: paddle.optimizer.AdamW(0.1, parameters=params),
    "AdamW with master weights": lambda params: paddle.optimizer.AdamW(
        0.1, parameters=params, multi_precision=True
    ),
    "clipped groups": lambda params: paddle.optimizer.Adam(
        parameters=[{"params": params[:1]}, {"params": params[1:], "learning_rate": 0.5}],
        grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0),
        weight_decay=0.01,
    ),
}


def parameters(dtype="float32"):
    """Return three parameters of different shapes."""
    draw = np.random.RandomState(0)
    arrays = [draw.randn(2, 3), draw.randn(3), draw.randn()]
    return [paddle.nn.Parameter(paddle.to_tensor(array, dtype=dtype)) for array in arrays]


def give_gradients(params, scale, bad=None, seed=1):
    """Set gradients times the scale; the last one holds ``bad``."""
    draw = np.random.RandomState(seed)
    for param in params:
        grad = draw.randn(*param.shape) * scale
        if bad is not None and param is params[-1]:
            grad = np.full_like(grad, bad)
        param.grad = paddle.to_tensor(grad, dtype=param.dtype)


def everything(optimizer, params):
    """Return values of parameters, accumulators, powers and master weights."""
    state = optimizer.state_dict()
    masters = state.pop("master_weights", {})
    tensors = [*params, *state.values(), *masters.values()]
    return [tensor.astype("float64").numpy() for tensor in tensors]
