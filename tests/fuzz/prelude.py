"""The names of a random program besides `paddle`; runs under both libraries, needs NumPy alone."""

import re

import numpy as np

TIES = np.array([-1.0, -0.5, 0.0, 0.5, 1.0, 2.0])
SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0])


def prelude(paddle):
    """Return the namespace of a program: paddle, its rooms, `t` and `back`."""

    def t(seed, shape, dtype="float32", kind="plain", grad=False):
        """Return a tensor of values drawn from a seed; `grad` makes it a leaf with gradient."""
        made = array(seed, shape, dtype, kind)
        if dtype in ("float16", "bfloat16"):
            tensor = paddle.to_tensor(made.astype("float32")).astype(dtype)
        else:
            tensor = paddle.to_tensor(made)
        tensor.stop_gradient = not grad
        return tensor

    def back(*outputs):
        """Run backward from all floating tensors among the outputs, with seeds that differ."""
        roots = [each for each in tensors(outputs, paddle.Tensor) if takes_gradient(each)]
        if roots:
            paddle.autograd.backward(roots, [seed_of(paddle, root) for root in roots])

    return {
        "paddle": paddle,
        "F": paddle.nn.functional,
        "nn": paddle.nn,
        "np": np,
        "t": t,
        "back": back,
        "fill": lambda layer: fill(paddle, layer),
    }


def array(seed, shape, dtype, kind):
    """Return the values of `t` as an array (float32 represents the half precisions)."""
    random = np.random.RandomState(seed)
    shape = tuple(shape)
    if bound := re.fullmatch(r"(below|within) (\d+)", kind):
        high = int(bound[2])
        low = 0 if bound[1] == "below" else -high
        return random.randint(low, high, shape).astype(dtype) if high else np.zeros(shape, dtype)
    if kind == "sorted":
        return np.sort(random.uniform(-2, 2, shape).round(3), axis=-1).astype(plain(dtype))
    if kind == "spd":  # symmetric and positive definite
        root = random.uniform(-1, 1, shape)
        return (root @ np.swapaxes(root, -1, -2) + 2 * np.eye(shape[-1])).astype(plain(dtype))
    if dtype == "bool":
        return random.rand(*shape) > 0.5 if shape else np.array(bool(random.rand() > 0.5))
    if "int" in dtype:
        lowest = 1 if kind == "pos" else 0 if dtype == "uint8" else -4
        return random.randint(lowest, 6, shape).astype(dtype)
    low, high = {"pos": (0.1, 2.0), "unit": (0.05, 0.95)}.get(kind, (-2.0, 2.0))
    values = np.asarray(random.uniform(low, high, shape).round(3))
    if kind == "ties":
        values = np.asarray(random.choice(TIES, shape))
    if kind == "special":
        values = np.where(random.rand(*shape) < 0.4, random.choice(SPECIAL, shape), values)
    if kind == "shares":  # rows that add up to 1
        values = np.exp(values)
        values = values / values.sum(-1, keepdims=True)
    if dtype.startswith("complex"):
        values = values + 1j * random.uniform(-2, 2, shape).round(3)
    return np.asarray(values).astype(plain(dtype))


def plain(dtype):
    """Return the dtype that NumPy has for it."""
    return "float32" if dtype in ("float16", "bfloat16") else dtype


def tensors(value, kind):
    """Return the tensors in nested lists, tuples and dicts."""
    if isinstance(value, kind):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [found for item in value for found in tensors(item, kind)]
    return []


def takes_gradient(tensor):
    """Return whether backward can start at a tensor."""
    dtype = str(tensor.dtype)
    return not tensor.stop_gradient and ("float" in dtype or "complex" in dtype)


def seed_of(paddle, tensor):
    """Return the gradient that backward starts from."""
    values = np.cos(np.arange(int(np.prod(tensor.shape)))).reshape(list(tensor.shape))
    return paddle.to_tensor(values.astype("float32")).astype(tensor.dtype)


def fill(paddle, layer):
    """Set a layer's parameters and buffers to distinct values, and return the layer."""
    for number, held in enumerate([*layer.parameters(), *layer.buffers()]):
        if "float" not in str(held.dtype):
            continue
        low = 0.5 if len(held.shape) == 1 else -0.5
        values = np.random.RandomState(number).uniform(low, 1.0, list(held.shape))
        held.set_value(paddle.to_tensor(values.astype(str(held.dtype).rpartition(".")[2])))
    return layer
