"""Every row of the op table under each of its names, with its own samples in other dtypes.

The text of a sample is written into the program, so that both libraries see the same numbers. The
names go by turns: as function, as method, in place.
"""

import functools
import inspect

import numpy as np

DTYPES = ("float32", "float32", "float32", "float64", "int32", "int64", "bool", "complex64")


@functools.cache
def calls():
    """Returns every name of every public row as `(prefix, name, row, samples)`."""
    from jaxeager.ops.register import FUNCTIONAL, METHODS, PUBLIC
    from jaxeager.ops.row import ROWS

    found = []
    tables = (("paddle", PUBLIC), ("F", FUNCTIONAL), ("Tensor", METHODS))
    for row in ROWS.values():
        if row.public is None or row.samples is None:
            continue
        names = [*row.public_names, *(f"{name}_" for name in row.public_names if row.inplace)]
        samples = list(row.samples())
        for name in names:
            found += [(prefix, name, row, samples) for prefix, table in tables if name in table]
    return found


def program(draw):
    """Adds a call of a public row with one of its samples, perhaps with another dtype."""
    prefix, name, row, samples = calls()[draw.number % len(calls())]
    sample = draw.values.choice(samples)
    dtype = draw.values.choice(DTYPES) if draw.values.random() < 0.4 else "float32"
    arguments = [_argument(draw, each, dtype) for each in sample.inputs]
    names = list(inspect.signature(row.function).parameters)
    keywords = [f"{key}={_text(value)}" for key, value in sample.attrs.items() if key in names]
    if name.endswith("_") and arguments:
        draw.lines.append(f"n = paddle.assign({arguments[0]})")
        arguments[0] = "n"
    if prefix == "Tensor":
        draw.lines.append(f"y0 = {arguments[0]}.{name}({', '.join(arguments[1:] + keywords)})")
    else:
        draw.lines.append(f"y0 = {prefix}.{name}({', '.join(arguments + keywords)})")
    if draw.wants_grad:
        draw.lines.append("back(y0)")
    return draw.lines


def _argument(draw, value, dtype):
    if value is None:
        return "None"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_argument(draw, each, dtype) for each in value)}]"
    array = np.asarray(value)
    if array.dtype.kind == "f":
        with np.errstate(all="ignore"):
            array = array.astype(dtype)
        if dtype == "float32":
            array = array.round(4)
    name = chr(ord("a") + draw.count)
    draw.count += 1
    grad = array.dtype.kind in "fc" and draw.values.random() < 0.7
    draw.wants_grad |= grad
    text = f"np.array({_text(array.tolist())}, {str(array.dtype)!r})"
    if array.size == 0:
        text += f".reshape({list(array.shape)})"
    draw.lines.append(f"{name} = paddle.to_tensor({text}, stop_gradient={not grad})")
    return name


def _text(value):
    """Returns the text of a plain value; nan and inf as np has them."""
    if isinstance(value, np.ndarray):
        return _text(value.tolist())
    text = repr(value)
    return text.replace("inf", "np.inf").replace("nan", "np.nan")
