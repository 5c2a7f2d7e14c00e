"""paddle._legacy_C_ops: operators by older names, with attributes as name and value in turn."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from jaxeager.errors import InvalidTypeError, UnimplementedError
from jaxeager.legacy._C_ops_by_hand import BY_HAND
from jaxeager.ops.register import FUNCTIONAL
from jaxeager.tensor import names

# Older name: the function here, and {attribute: its argument}. An attribute that is not listed is
# rejected, except those that only choose where and how Paddle runs the operator.
_TABLE: dict[str, tuple[str, dict[str, str]]] = {
    **{f"elementwise_{name}": (full, {}) for name, full in (
        ("add", "add"), ("sub", "subtract"), ("mul", "multiply"), ("div", "divide"),
        ("pow", "pow"), ("max", "maximum"), ("min", "minimum"), ("mod", "mod"),
        ("floordiv", "floor_divide"),
    )},
    **{name: (name, {}) for name in (
        "abs", "ceil", "cos", "erf", "exp", "floor", "log", "reciprocal", "relu", "round", "rsqrt",
        "sigmoid", "sign", "silu", "sin", "softplus", "sqrt", "square", "tanh", "equal",
        "not_equal", "less_than", "less_equal", "greater_than", "greater_equal", "logical_and",
        "logical_or", "logical_not", "gather_nd", "index_sample", "where", "assign",
    )},
    **{f"reduce_{name}": (name, {"dim": "axis", "keep_dim": "keepdim"}) for name in (
        "sum", "mean", "max", "min", "prod", "all", "any",
    )},
    "argsort": ("argsort", {"axis": "axis", "descending": "descending"}),
    "squared_l2_norm": ("squared_l2_norm", {}),
    "multiclass_nms3": ("multiclass_nms3", {name: name for name in (
        "score_threshold", "nms_top_k", "keep_top_k", "nms_threshold", "normalized", "nms_eta",
        "background_label",
    )}),
    "cast": ("cast", {"out_dtype": "dtype"}),
    "clip": ("clip", {"min": "min", "max": "max"}),
    "cumsum": ("cumsum", {"axis": "axis"}),
    "expand_v2": ("expand", {"shape": "shape"}),
    "flatten_contiguous_range": ("flatten", {"start_axis": "start_axis", "stop_axis": "stop_axis"}),
    "gather": ("gather", {"axis": "axis"}),
    "gelu": ("gelu", {"approximate": "approximate"}),
    "index_select": ("index_select", {"dim": "axis"}),
    "leaky_relu": ("leaky_relu", {"alpha": "negative_slope"}),
    "log_softmax": ("log_softmax", {"axis": "axis"}),
    "matmul_v2": ("matmul", {"trans_x": "transpose_x", "trans_y": "transpose_y"}),
    "mean": ("mean", {}),
    "reshape2": ("reshape", {"shape": "shape"}),
    "scale": (
        "scale",
        {"scale": "scale", "bias": "bias", "bias_after_scale": "bias_after_scale"},
    ),
    "softmax": ("softmax", {"axis": "axis"}),
    "squeeze2": ("squeeze", {"axes": "axis"}),
    "stack": ("stack", {"axis": "axis"}),
    "tile": ("tile", {"repeat_times": "repeat_times"}),
    "transpose2": ("transpose", {"axis": "perm"}),
    "unsqueeze2": ("unsqueeze", {"axes": "axis"}),
}  # fmt: skip
_WRITTEN = {
    "fake_channel_wise_quantize_dequantize_abs_max": (
        1,
        {"bit_length": 8, "round_type": 1, "quant_axis": 0},
    ),
    "fake_quantize_dequantize_abs_max": (1, {"bit_length": 8, "round_type": 1}),
}
"""Operator by hand -> the number of tensors that it reads, and {attribute: its default}.

Further tensors of a call receive the results.
"""
_BY_HAND = {"argsort", "multiclass_nms3", "squared_l2_norm"}  # by hand, as in _C_ops
_IGNORED = {
    "use_mkldnn", "use_cudnn", "in_dtype", "reduce_all", "mkldnn_data_type", "use_xpu", "axis",
}  # fmt: skip


@functools.cache
def _made(name: str) -> Callable:
    """Return the function that takes attributes as alternating names and values.

    Raises:
        AttributeError: if there is no such operator.
    """
    if name in _WRITTEN:
        return _writing(name, *_WRITTEN[name])
    if name not in _TABLE:
        raise AttributeError(
            f"module 'jaxeager._legacy_C_ops' has no attribute {name!r}. The functions of paddle "
            "and paddle.nn.functional do the same work."
        )
    ours, attributes = _TABLE[name]
    function: Any = BY_HAND.get(ours) if name in _BY_HAND else None
    function = function or FUNCTIONAL.get(ours) or names.function(ours)

    def call(*args: Any) -> Any:
        tensors, rest = _split(name, args)
        given = {}
        for attribute, value in rest.items():
            if attribute in attributes:
                given[attributes[attribute]] = value
            elif attribute not in _IGNORED:
                raise UnimplementedError(f"{name}(): the attribute {attribute!r} is not supported.")
        return function(*[each for each in tensors if each is not None], **given)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Call ``{ours}`` with tensors, and attributes as name and value in turn."
    return call


def _split(name: str, args: tuple) -> tuple[tuple, dict[str, Any]]:
    """Return the tensors of a call, and its attributes by name."""
    first = next((n for n, each in enumerate(args) if isinstance(each, str)), len(args))
    tensors, rest = args[:first], args[first:]
    if len(rest) % 2:
        raise InvalidTypeError(f"{name}(): attributes are names and values in turn.")
    return tensors, dict(zip(rest[::2], rest[1::2], strict=True))


def _writing(name: str, count: int, defaults: dict[str, Any]) -> Callable:
    """Return the function that writes its results to tensors that follow the ``count`` it reads."""

    def call(*args: Any) -> Any:
        tensors, given = _split(name, args)
        for attribute in given:
            if attribute not in defaults:
                raise UnimplementedError(f"{name}(): the attribute {attribute!r} is not supported.")
        found = BY_HAND[name](*tensors[:count], **{**defaults, **given})
        for out, value in zip(tensors[count:], found, strict=False):
            if out is not None:
                out.set_value(value.detach())
        return found

    call.__name__ = call.__qualname__ = name
    call.__doc__ = "Call the operator with tensors, those of the results, and attributes in turn."
    return call


def __getattr__(name: str) -> Callable:
    """Return an operator by its older name."""
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _made(name)


def __dir__() -> list[str]:
    return sorted([*_TABLE, *_WRITTEN])
