"""Runs the statements of a program one by one and describes the results."""

import builtins
import warnings

import numpy as np

from tests.fuzz.prelude import prelude


def execute(library, statements):
    """Return the result of a program: its variables, and the exception that ended it.

    Args:
        library: the module that programs know as `paddle`.
        statements: the program's lines.

    Returns:
        `values`: each variable's description by name. `error`: None, or the number of the
        statement, the names of the exception's classes and its text.
    """
    library.seed(2024)
    library.set_default_dtype("float32")
    library.set_grad_enabled(True)
    names = prelude(library)
    known = set(names)
    error = None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for number, statement in enumerate(statements):
            try:
                exec(statement, names)
            except Exception as raised:
                error = (number, classes(raised), " ".join(str(raised).split())[:600])
                break
        values = {}
        for name in names:
            if name in known or name.startswith("_"):
                continue
            values[name] = describe(library, names[name])
    return {"values": values, "error": error}


def classes(raised):
    """Return the names of the builtin classes that catch an exception, the nearest first."""
    return [each.__name__ for each in type(raised).__mro__ if hasattr(builtins, each.__name__)]


def describe(library, value):
    """Return a value as plain data: tensors as dicts, layers by their state and gradients."""
    if isinstance(value, library.Tensor):
        return describe_tensor(value)
    if isinstance(value, library.nn.Layer):
        held = {name: describe_tensor(each) for name, each in value.state_dict().items()}
        return {"layer": type(value).__name__, "training": value.training, "state": held}
    if isinstance(value, library.dtype):
        return {"dtype of": str(value).rpartition(".")[2]}
    if isinstance(value, dict):
        return {str(key): describe(library, each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [describe(library, each) for each in value]
    if isinstance(value, (bool, int, float, complex, str, np.ndarray, np.generic, type(None))):
        return value
    return {"object": type(value).__name__}


def describe_tensor(tensor):
    """Return dtype, shape, stop_gradient, values and gradient of a tensor."""
    dtype = str(tensor.dtype).rpartition(".")[2]
    grad = tensor.grad if tensor.is_leaf else None
    try:
        values = numbers(tensor, dtype)
    except Exception as raised:
        values = f"cannot be read: {type(raised).__name__}"
    return {
        "dtype": dtype,
        "shape": [int(size) for size in tensor.shape],
        "stop_gradient": bool(tensor.stop_gradient),
        "values": values,
        "grad": None if grad is None else describe_tensor(grad),
    }


def numbers(tensor, dtype):
    """Return the values of a tensor as a contiguous array, bfloat16 as float32."""
    if dtype == "bfloat16":
        tensor = tensor.detach().astype("float32")
    return np.array(tensor.detach().numpy())
