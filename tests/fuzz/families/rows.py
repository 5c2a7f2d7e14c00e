"""Every row of the op table, with its own samples in other dtypes and shapes.

The text of a sample is written into the program, so that both libraries see the same numbers.
"""

import inspect

import numpy as np

DTYPES = ("float32", "float32", "float32", "float64", "int32", "int64", "bool", "complex64")
_CALLS = []


def calls():
    """Returns every public row as `(prefix, name, operands, samples)`."""
    if not _CALLS:
        from jaxeager.ops.row import ROWS

        for row in ROWS.values():
            if row.public is None or row.samples is None:
                continue
            prefix = "F" if row.public == "functional" else "paddle"
            for name in row.public_names:
                _CALLS.append((prefix, name, row, list(row.samples())))
    return _CALLS


def program(draw):
    """Adds a call of a public row with one of its samples, perhaps with another dtype."""
    prefix, name, row, samples = draw.choice(calls())
    sample = draw.choice(samples)
    dtype = draw.choice(DTYPES) if draw.random.random() < 0.4 else "float32"
    arguments = [_argument(draw, each, dtype) for each in sample.inputs]
    names = list(inspect.signature(row.function).parameters)
    keywords = [f"{key}={_text(value)}" for key, value in sample.attrs.items() if key in names]
    method = prefix == "paddle" and draw.random.random() < 0.3 and arguments[:1]
    if method and isinstance(sample.inputs[0], np.ndarray):
        call = f"{arguments[0]}.{name}({', '.join(arguments[1:] + keywords)})"
    else:
        call = f"{prefix}.{name}({', '.join(arguments + keywords)})"
    draw.lines.append(f"y0 = {call}")
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
    grad = array.dtype.kind in "fc" and draw.random.random() < 0.7
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
