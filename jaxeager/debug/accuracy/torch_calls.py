"""PyTorch's equivalents of Paddle's functions: the table by which ``replay`` runs lines in PyTorch.

Like replay.py, this file is self-contained: it runs in a process that has PyTorch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class NotInTorch(Exception):
    """A call that has no equivalent in PyTorch."""


def _same(name: str):
    return lambda torch, x, name_=None: getattr(torch, name)(x)


def _two(name: str):
    return lambda torch, x, y: getattr(torch, name)(x, y)


def _reduced(name: str):
    def run(torch, x, axis=None, keepdim=False):
        function = getattr(torch, name)
        if axis is None:
            return function(x)
        return function(x, dim=axis, keepdim=keepdim)

    return run


def _softmax(name: str):
    return lambda torch, x, axis=-1: getattr(torch.nn.functional, name)(x, dim=axis)


def _linear(torch, x, weight, bias=None):
    return torch.nn.functional.linear(x, weight.T, bias)


def _matmul(torch, x, y, transpose_x=False, transpose_y=False):
    x = x.transpose(-1, -2) if transpose_x and x.ndim > 1 else x
    return torch.matmul(x, y.transpose(-1, -2) if transpose_y and y.ndim > 1 else y)


def _layer_norm(torch, x, normalized_shape, weight=None, bias=None, epsilon=1e-5):
    shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
    return torch.nn.functional.layer_norm(x, shape, weight, bias, epsilon)


def _conv(number: int):
    def run(
        torch, x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, data_format="NC"
    ):
        if not data_format.startswith("NC") or isinstance(padding, str):
            raise NotInTorch("has a layout or padding that PyTorch does not have")
        function = getattr(torch.nn.functional, f"conv{number}d")
        return function(x, weight, bias, stride, padding, dilation, groups)

    return run


def _reshape(torch, x, *shape):
    sizes = shape[0] if isinstance(shape[0], (list, tuple)) else shape
    return x.reshape([x.shape[at] if size == 0 else size for at, size in enumerate(sizes)])


def _cross_entropy(torch, input, label, **options):
    if options.get("soft_label") or options.get("use_softmax") is False:
        raise NotInTorch("has options that PyTorch does not have")
    if options.get("axis", -1) not in (-1, input.ndim - 1) or options.get("weight") is not None:
        raise NotInTorch("has options that mean something else in PyTorch")
    label = label.squeeze(-1) if label.ndim == input.ndim else label
    given = {key: options[key] for key in ("ignore_index", "reduction", "label_smoothing")
             if key in options}  # fmt: skip
    found = torch.nn.functional.cross_entropy(
        input.reshape(-1, input.shape[-1]), label.reshape(-1), **given
    )
    return found.reshape(label.shape) if given.get("reduction") == "none" else found


TORCH: dict[str, Callable] = {
    **{
        name: _same(name)
        for name in "abs exp expm1 log log2 log10 log1p sqrt rsqrt sin cos tan asin acos atan sinh "
        "cosh tanh asinh acosh atanh ceil floor sign erf sigmoid square reciprocal neg relu "
        "isnan isinf isfinite lgamma digamma trunc t real imag conj angle".split()
    },
    **{
        name: _two(name)
        for name in "maximum minimum fmax fmin atan2 dot mm bmm mv outer logical_and "
        "logical_or bitwise_and bitwise_or bitwise_xor".split()
    },
    **{name: _reduced(name) for name in "sum mean prod amax amin logsumexp any all".split()},
    "equal": lambda torch, x, y: torch.eq(x, y),
    "add": lambda torch, x, y: x + y,
    "radd": lambda torch, x, y: y + x,
    "subtract": lambda torch, x, y: x - y,
    "sub": lambda torch, x, y: x - y,
    "rsub": lambda torch, x, y: y - x,
    "multiply": lambda torch, x, y: x * y,
    "mul": lambda torch, x, y: x * y,
    "rmul": lambda torch, x, y: y * x,
    "divide": lambda torch, x, y: x / y,
    "truediv": lambda torch, x, y: x / y,
    "rtruediv": lambda torch, x, y: y / x,
    "pow": lambda torch, x, y: x**y,
    "matmul": _matmul,
    "paddle.nn.functional.linear": _linear,
    "paddle.nn.functional.softmax": _softmax("softmax"),
    "paddle.nn.functional.log_softmax": _softmax("log_softmax"),
    "paddle.nn.functional.gelu": lambda torch, x, approximate=False: torch.nn.functional.gelu(
        x, approximate="tanh" if approximate else "none"
    ),
    "paddle.nn.functional.silu": lambda torch, x: torch.nn.functional.silu(x),
    "paddle.nn.functional.leaky_relu": lambda torch, x, negative_slope=0.01: (
        torch.nn.functional.leaky_relu(x, negative_slope)
    ),
    "paddle.nn.functional.elu": lambda torch, x, alpha=1.0: torch.nn.functional.elu(x, alpha),
    "paddle.nn.functional.softplus": lambda torch, x, beta=1.0, threshold=20.0: (
        torch.nn.functional.softplus(x, beta, threshold)
    ),
    "paddle.nn.functional.layer_norm": _layer_norm,
    "paddle.nn.functional.conv1d": _conv(1),
    "paddle.nn.functional.conv2d": _conv(2),
    "paddle.nn.functional.cross_entropy": _cross_entropy,
    "paddle.nn.functional.mse_loss": lambda torch, input, label, reduction="mean": (
        torch.nn.functional.mse_loss(input, label, reduction=reduction)
    ),
    "paddle.nn.functional.embedding": lambda torch, x, weight, padding_idx=None: (
        torch.nn.functional.embedding(x, weight, padding_idx)
    ),
    "reshape": _reshape,
    "transpose": lambda torch, x, perm: x.permute(*perm),
    "concat": lambda torch, x, axis=0: torch.cat(list(x), dim=axis),
    "stack": lambda torch, x, axis=0: torch.stack(list(x), dim=axis),
    "squeeze": lambda torch, x, axis: torch.squeeze(x, axis),
    "unsqueeze": lambda torch, x, axis: torch.unsqueeze(x, axis),
    "where": lambda torch, condition, x, y: torch.where(condition, x, y),
    "cumsum": lambda torch, x, axis: torch.cumsum(x, axis),
    "tril": lambda torch, x, diagonal=0: torch.tril(x, diagonal),
    "triu": lambda torch, x, diagonal=0: torch.triu(x, diagonal),
    "clip": lambda torch, x, min=None, max=None: torch.clip(x, min, max),
    "einsum": lambda torch, equation, *operands: torch.einsum(equation, *operands),
    "flip": lambda torch, x, axis: torch.flip(x, axis if isinstance(axis, list) else [axis]),
    "roll": lambda torch, x, shifts, axis=None: torch.roll(x, shifts, axis),
    "detach": lambda torch, x: x.detach(),
}
"""Paddle names, dotted or plain, and the PyTorch call of each; it takes Paddle's arguments."""
