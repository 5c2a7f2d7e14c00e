"""The docstrings of a row's functions: what `help`, an editor and the reference show.

The row has the sentence, the derivative and the example. The words about a parameter follow from
its name, which means the same in most ops; ``op.name`` is about one op. The result of each example
is in example_results.json, which ``python tools/generate.py`` writes.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jaxeager.ops.row import Operand, OpRow

_PARAMETERS = {
    "name": "ignored.",
    "out": "a tensor into which the result is written.",
    "inplace": "whether the result is written into the first operand.",
    # tensors
    "input": "a tensor.",
    "addmm.input": "a tensor that broadcasts to [n, m].",
    "baddbmm.input": "a tensor that broadcasts to [b, n, m].",
    "real": "the real parts.",
    "imag": "the imaginary parts.",
    "test_x": "a tensor with the elements that are searched for.",
    "vec": "a vector of the length of the matrix's rows.",
    "label": "labels, one-hot or distributions: [..., classes].",
    "prior_dist": "a distribution over the classes; the uniform one when None.",
    "weight": "the slope: one element, or one per channel.",
    "target": "a tensor of the shape that x is summed to.",
    "grid": "positions, [N, H', W', 2] with (x, y) in the last dimension; -1 and 1 are the edges.",
    # axes
    "axis": "the dimension; it may be negative.",
    "argmax.axis": "the dimension that is searched; all elements, flattened, when None.",
    "argmin.axis": "the dimension that is searched; all elements, flattened, when None.",
    "kthvalue.axis": "the dimension that is searched; the last one when None.",
    "squeeze.axis": "the dimensions to drop; those that are longer than 1 stay. All when None.",
    "unsqueeze.axis": "where the new dimensions are in the result.",
    "flip.axis": "the dimensions whose order is reversed.",
    "roll.axis": "the dimension of each shift; all elements, flattened, when None.",
    "stack.axis": "where the new dimension is in the result.",
    "cross.axis": "a dimension of 3 elements; 9 means the first one.",
    "maxout.axis": "the dimension of the channels.",
    "reduced.axis": "the dimensions to reduce, one or several; all when None.",
    "keepdim": "whether the reduced dimensions stay, with size 1.",
    "axis1": "the first dimension of the matrices.",
    "axis2": "the second dimension of the matrices.",
    "dim1": "where the first dimension of the matrices is in the result.",
    "dim2": "where the second dimension of the matrices is in the result.",
    "start_axis": "the first dimension to merge.",
    "stop_axis": "the last dimension to merge.",
    "shifts": "by how many places, one or one per axis.",
    "offset": "the diagonal: 0 is the main one, those above it are positive.",
    "diagonal": "the diagonal: 0 is the main one, those above it are positive.",
    "hardsigmoid.offset": "the value at 0.",
    # numbers
    "dtype": "the dtype of the result.",
    "sum.dtype": "the dtype of the sum; by default that of x, int64 for bool and int32.",
    "alpha": "the factor.",
    "beta": "the factor of the input.",
    "softplus.beta": "the factor within the exponential.",
    "addmm.alpha": "the factor of the product.",
    "baddbmm.alpha": "the factor of the product.",
    "threshold": "the threshold.",
    "is_arithmetic": "whether the sign bit stays.",
    "rtol": "the relative tolerance.",
    "atol": "the absolute tolerance.",
    "equal_nan": "whether nan is close to nan.",
    "p": "the order of the norm; inf is the largest absolute value.",
    "dist.p": "the order of the norm; 0 counts the elements that differ.",
    "min": "the lower limit.",
    "max": "the upper limit.",
    "histogram_bin_edges.min": "the lowest edge; if it equals max, both are those of the elements.",
    "histogram_bin_edges.max": "the highest edge.",
    "decimals": "how many decimals are kept; negative numbers round to tens, hundreds, ...",
    "eps": "x is limited to [eps, 1 - eps] first; not when None.",
    "scale_a": "the factor of x.",
    "scale_b": "the factor of the result.",
    "assume_unique": "ignored: it would only allow a faster method.",
    "invert": "whether the answers are negated.",
    "k": "which element, counted from 1.",
    "size": "how many elements a window has.",
    "step": "how far each window starts after the previous one.",
    "transpose_x": "whether the last two dimensions of x are exchanged first.",
    "transpose_y": "whether the last two dimensions of y are exchanged first.",
    "UPLO": "the triangle that is read: 'L' the lower one, 'U' the upper one.",
    "scale": "the factor of the result.",
    "approximate": "whether tanh approximates the share: a bool, 'tanh' or 'none'.",
    "epsilon": "the weight of the prior.",
    "negative_slope": "the slope below 0.",
    "value": "the value of the other elements.",
    "slope": "the slope between the limits.",
    "data_format": "the layout, which has the place of the channels: 'NCHW', 'NHWC', ...",
    "groups": "how many channels a group has.",
    "padding_value": "the value of the elements off the diagonal.",
    "bins": "how many bins there are.",
    "max_norm": "the largest norm that a slice may have.",
    "num": "how many slices there are; it must be the size of the axis, or None.",
    "repeat_times": "how often each dimension is repeated, an int or several.",
    "mode": "how elements are interpolated: 'bilinear' or 'nearest'.",
    "padding_mode": "what is outside of the image: 'zeros', 'border' or 'reflection'.",
    "align_corners": "whether -1 and 1 are the centers of the outer elements, not their edges.",
}
_REDUCTIONS = frozenset("sum logsumexp max min amax amin all any".split())
_RESULTS = {
    **dict.fromkeys(_REDUCTIONS, "A tensor without the reduced dimensions."),
    "argmax": "The positions, a tensor without the searched dimension.",
    "argmin": "The positions, a tensor without the searched dimension.",
    "kthvalue": "The elements and their positions, without the searched dimension.",
    "mode": "The elements and their positions, without the searched dimension.",
    "frexp": "The mantissas and the exponents, of the shape of x.",
    "as_real": "A tensor [..., 2].",
    "as_complex": "A tensor without the last dimension, which has 2 elements in x.",
    "allclose": "A bool tensor [].",
    "equal_all": "A bool tensor [].",
    "isin": "A bool tensor of the shape of x.",
    "isclose": "A bool tensor of the shape of x.",
    "dist": "A tensor [].",
    "squeeze": "A tensor with fewer dimensions, which shares the memory of x.",
    "unsqueeze": "A tensor with more dimensions, which shares the memory of x.",
    "flatten": "A tensor with fewer dimensions, which shares the memory of x.",
    "concat": "A tensor whose size along the axis is the sum of theirs.",
    "stack": "A tensor with one dimension more.",
    "diagonal": "A tensor whose last dimension is the diagonal; it shares the memory of x.",
    "tensor_unfold": "A tensor with one dimension more, which shares the memory of x.",
    "matmul": "A tensor [..., n, m], for x [..., n, k] and y [..., k, m]. A vector as x is a row, "
    "as y a column, and its dimension of 1 is dropped.",
    "bmm": "A tensor [b, n, m], for x [b, n, k] and y [b, k, m].",
    "dot": "A tensor [], or [n] for matrices [n, k].",
    "mv": "A tensor [n], for x [n, k].",
    "addmm": "A tensor [n, m], for x [n, k] and y [k, m].",
    "baddbmm": "A tensor [b, n, m], for x [b, n, k] and y [b, k, m].",
    "kron": "A tensor; the size of each dimension is the product of theirs.",
    "eigvalsh": "A real tensor [..., n], for x [..., n, n].",
    "maxout": "A tensor with 1 / groups of the channels.",
    "diag": "A matrix for a vector, a vector for a matrix.",
    "diag_embed": "A tensor with one dimension more.",
    "histogram_bin_edges": "A tensor [bins + 1].",
    "reduce_as": "A tensor of the shape of target.",
    "trace": "A tensor without the two dimensions.",
    "unbind": "A list of tensors, which share the memory of the input.",
    "unstack": "A list of tensors.",
    "tile": "A tensor; each dimension is repeat_times as long.",
    "expand_as": "A tensor of the shape of y.",
    "broadcast_tensors": "A list of tensors of one shape.",
    "grid_sample": "A tensor [N, C, H', W'], for x [N, C, H, W].",
    "swiglu": "A tensor of the shape of x; without y, half as long in the last dimension.",
}


def docstring(row: OpRow, name: str, parameters: Iterable[str], is_in_place: bool) -> str:
    """Return the docstring of a row's function.

    Args:
        row: the op.
        name: the function's name; a twin that writes in place ends with "_".
        parameters: the names of the function's parameters.
        is_in_place: whether it writes into its first operand.
    """
    in_place = " Writes into its first operand and returns it." if is_in_place else ""
    parts = [f"{row.doc}{in_place}"]
    arguments = [f"    {each}: {about(row, each)}" for each in parameters]
    parts.append("\n".join(["Args:", *arguments]))
    result = f"The tensor {row.operands[0].name}." if is_in_place else _result(row)
    parts.append(f"Returns:\n    {result}")
    if row.formula:
        parts.append(f"Derivative: {row.formula}.")
    if row.boundary:
        parts.append(f"At the boundary: {row.boundary}")
    if row.example:
        parts.append("\n".join(["Example:", *_example(row, name)]))
    return "\n\n".join(parts)


def about(row: OpRow, parameter: str) -> str:
    """Return the description of a parameter of a row's function."""
    if parameter == "axis" and row.name in _REDUCTIONS:
        return _PARAMETERS["reduced.axis"]
    own = _PARAMETERS.get(f"{row.name}.{parameter}")
    if own is not None:
        return own
    if parameter in ("x", "y", "input") and parameter in row.slots:
        return _operand(row, row.operands[row.slots[parameter]])
    return _PARAMETERS.get(parameter, "an attribute of the op.")


def _operand(row: OpRow, operand: Operand) -> str:
    if operand.is_list:
        return "a list of tensors."
    kind = "a tensor"
    if row.promote and operand.slot > 0:
        kind = "a tensor or a number"
    with_others = ", broadcast with the other one" if row.broadcast and operand.slot > 0 else ""
    optional = "; it may be left out" if operand.is_optional else ""
    return f"{kind}{with_others}{optional}."


def _result(row: OpRow) -> str:
    """Return a sentence about the result of a row."""
    names = [each.name for each in row.operands]
    if row.name in _RESULTS:
        return _RESULTS[row.name]
    if len(names) > 1 and (row.broadcast or row.promote):
        return f"A tensor of the shape that {' and '.join(names)} broadcast to."
    return f"A tensor of the shape of {names[0]}."


def example_of(row: OpRow, name: str) -> str:
    """Return the example of a row; for a name that ends with "_", it calls the in-place twin."""
    public = next((each for each in row.public_names if f".{each}(" in row.example), None)
    if public is None or not name.endswith("_"):
        return row.example
    return row.example.replace(f".{public}(", f".{public}_(", 1)


def _example(row: OpRow, name: str) -> list[str]:
    """Return the lines of the example: the call, and its result as Python shows it."""
    call = example_of(row, name)
    result = [line or "<BLANKLINE>" for line in results().get(call, "").splitlines()]
    lines = [">>> import jaxeager as paddle", f">>> {call}", *result]
    return [f"    {line}" for line in lines]


@functools.cache
def results() -> dict[str, str]:
    """Return the recorded result of each example, by its expression."""
    file = Path(__file__).with_name("example_results.json")
    return json.loads(file.read_text()) if file.is_file() else {}
