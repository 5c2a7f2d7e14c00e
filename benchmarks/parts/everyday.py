"""33 calls of a training loop, on tensors so small that the overhead of the call dominates.

Each entry creates its operands and returns a function without arguments, the call. It is created
again before each timed block, so that a tensor that is written in place starts without a history.
Ops are recorded if a gradient can flow through them.
"""

import numpy as np


def _numbers() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    small = {name: rng.uniform(0.5, 1.5, (4, 4)).astype("float32") for name in "xyw"}
    return small | {
        "bias": rng.uniform(-1, 1, 4).astype("float32"),
        "images": rng.uniform(-1, 1, (1, 2, 4, 4)).astype("float32"),
        "filters": rng.uniform(-1, 1, (2, 2, 3, 3)).astype("float32"),
        "rows": np.array([2, 0, 3]),
        "labels": np.array([1, 0, 3, 2]),
        "mask": np.eye(4, dtype=bool),
    }


class Operands:
    """The operands of all calls, as one library's tensors."""

    def __init__(self, constant, leaf):
        """Store the functions that create a constant and a leaf from a NumPy array."""
        for name, array in _numbers().items():
            setattr(self, name, (leaf if array.dtype == np.float32 else constant)(array))
        self.constant = constant(np.full(4, 2, "float32"))


def paddle_calls(paddle) -> dict:
    """Return the calls by name, for a library with Paddle's names."""
    F, nn = paddle.nn.functional, paddle.nn
    p = Operands(paddle.to_tensor, lambda array: paddle.to_tensor(array, stop_gradient=False))
    x, y, w, linear, norm = p.x, p.y, p.w, nn.Linear(4, 4), nn.LayerNorm(4)
    batch_norm, listed = nn.BatchNorm2D(2), [[1.0, 2.0], [3.0, 4.0]]

    def write():
        target = x * 1.0

        def call():
            target[0] = p.constant
            return target

        return call

    def add():
        target = x * 1.0
        return lambda: target.add_(y)

    return {
        "x * y": lambda: lambda: x * y,
        "x * 2.0": lambda: lambda: x * 2.0,
        "matmul": lambda: lambda: paddle.matmul(x, y),
        "reshape": lambda: lambda: paddle.reshape(x, [2, 8]),
        "transpose": lambda: lambda: paddle.transpose(x, [1, 0]),
        "add_": add,
        "F.linear": lambda: lambda: F.linear(x, w, p.bias),
        "nn.Linear": lambda: lambda: linear(x),
        "split": lambda: lambda: paddle.split(x, 2),
        "concat": lambda: lambda: paddle.concat([x, y]),
        "stack": lambda: lambda: paddle.stack([x, y]),
        "unbind": lambda: lambda: paddle.unbind(x),
        "x[0]": lambda: lambda: x[0],
        "x[1:3]": lambda: lambda: x[1:3],
        "x[tensor]": lambda: lambda: x[p.rows],
        "x[mask]": lambda: lambda: x[p.mask],
        "x[0] = value": write,
        "gather": lambda: lambda: paddle.gather(x, p.rows),
        "where": lambda: lambda: paddle.where(p.mask, x, y),
        "embedding": lambda: lambda: F.embedding(p.rows, w),
        "conv2d": lambda: lambda: F.conv2d(p.images, p.filters),
        "max_pool2d": lambda: lambda: F.max_pool2d(p.images, 2),
        "nn.LayerNorm": lambda: lambda: norm(x),
        "nn.BatchNorm2D": lambda: lambda: batch_norm(p.images),
        "dropout": lambda: lambda: F.dropout(x, 0.5),
        "softmax": lambda: lambda: F.softmax(x),
        "gelu": lambda: lambda: F.gelu(x),
        "cross_entropy": lambda: lambda: F.cross_entropy(x, p.labels),
        "sum": lambda: lambda: paddle.sum(x),
        "max": lambda: lambda: paddle.max(x, axis=1),
        "argmax": lambda: lambda: paddle.argmax(x, axis=1),
        "cast": lambda: lambda: paddle.cast(x, "float64"),
        "to_tensor": lambda: lambda: paddle.to_tensor(listed),
    }


def torch_calls(torch) -> dict:
    """Return the same calls for PyTorch."""
    F, nn = torch.nn.functional, torch.nn
    p = Operands(torch.tensor, lambda array: torch.tensor(array, requires_grad=True))
    x, y, w, linear, norm = p.x, p.y, p.w, nn.Linear(4, 4), nn.LayerNorm(4)
    batch_norm, listed = nn.BatchNorm2d(2), [[1.0, 2.0], [3.0, 4.0]]

    def write():
        target = x * 1.0

        def call():
            target[0] = p.constant
            return target

        return call

    def add():
        target = x * 1.0
        return lambda: target.add_(y)

    return {
        "x * y": lambda: lambda: x * y,
        "x * 2.0": lambda: lambda: x * 2.0,
        "matmul": lambda: lambda: torch.matmul(x, y),
        "reshape": lambda: lambda: torch.reshape(x, [2, 8]),
        "transpose": lambda: lambda: torch.permute(x, [1, 0]),
        "add_": add,
        "F.linear": lambda: lambda: F.linear(x, w, p.bias),
        "nn.Linear": lambda: lambda: linear(x),
        "split": lambda: lambda: torch.split(x, 2),
        "concat": lambda: lambda: torch.concat([x, y]),
        "stack": lambda: lambda: torch.stack([x, y]),
        "unbind": lambda: lambda: torch.unbind(x),
        "x[0]": lambda: lambda: x[0],
        "x[1:3]": lambda: lambda: x[1:3],
        "x[tensor]": lambda: lambda: x[p.rows],
        "x[mask]": lambda: lambda: x[p.mask],
        "x[0] = value": write,
        "gather": lambda: lambda: torch.index_select(x, 0, p.rows),
        "where": lambda: lambda: torch.where(p.mask, x, y),
        "embedding": lambda: lambda: F.embedding(p.rows, w),
        "conv2d": lambda: lambda: F.conv2d(p.images, p.filters),
        "max_pool2d": lambda: lambda: F.max_pool2d(p.images, 2),
        "nn.LayerNorm": lambda: lambda: norm(x),
        "nn.BatchNorm2D": lambda: lambda: batch_norm(p.images),
        "dropout": lambda: lambda: F.dropout(x, 0.5),
        "softmax": lambda: lambda: F.softmax(x, -1),
        "gelu": lambda: lambda: F.gelu(x),
        "cross_entropy": lambda: lambda: F.cross_entropy(x, p.labels),
        "sum": lambda: lambda: torch.sum(x),
        "max": lambda: lambda: torch.amax(x, 1),
        "argmax": lambda: lambda: torch.argmax(x, 1),
        "cast": lambda: lambda: x.to(torch.float64),
        "to_tensor": lambda: lambda: torch.tensor(listed),
    }


def raw_call():
    """Return the yardstick: one jitted call of two operands, 4x4 float32."""
    import jax
    import jax.numpy as jnp

    numbers = _numbers()
    multiply, x, y = jax.jit(jnp.multiply), jnp.asarray(numbers["x"]), jnp.asarray(numbers["y"])
    return lambda: multiply(x, y)
