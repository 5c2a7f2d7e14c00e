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


def _special(name: str):
    return lambda torch, x: getattr(torch.special, name)(x)


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


def _functional(name: str, *passed: str):
    """Return the call of a function of ``torch.nn.functional`` that takes Paddle's arguments.

    Args:
        name: its name.
        passed: the names of its parameters after x that Paddle has at the same places.
    """

    def run(torch, x, *args, **kwargs):
        kwargs.pop("name", None)
        unknown = kwargs.keys() - set(passed)
        if unknown or len(args) > len(passed):
            raise NotInTorch(f"has arguments that PyTorch does not have: {sorted(unknown) or args}")
        given = dict(zip(passed, args, strict=False)) | kwargs
        return getattr(torch.nn.functional, name)(x, **given)

    return run


def _loss(name: str):
    def run(torch, input, label, weight=None, reduction="mean"):
        if weight is not None:
            return getattr(torch.nn.functional, name)(input, label, weight, reduction=reduction)
        return getattr(torch.nn.functional, name)(input, label, reduction=reduction)

    return run


def _axis_pair(name: str):
    return lambda torch, x, axis0, axis1: getattr(torch, name)(x, axis0, axis1)


def _best(name: str):
    def run(torch, x, axis=None, keepdim=False, dtype="int64"):
        found = getattr(torch, name)(x, dim=axis, keepdim=keepdim if axis is not None else False)
        if axis is None and keepdim:
            found = found.reshape([1] * x.ndim)
        return found.to(getattr(torch, str(dtype)) if isinstance(dtype, str) else dtype)

    return run


def _spread(name: str):
    def run(torch, x, axis=None, unbiased=True, keepdim=False):
        function, correction = getattr(torch, name), int(unbiased)
        if axis is None:
            axis = list(range(x.ndim))
        return function(x, dim=axis, correction=correction, keepdim=keepdim)

    return run


def _sort(torch, x, axis=-1, descending=False, stable=False):
    return torch.sort(x, dim=axis, descending=descending, stable=True).values


def _topk(torch, x, k, axis=-1, largest=True, sorted=True):
    return list(torch.topk(x, k, -1 if axis is None else axis, largest, sorted))


def _split(torch, x, num_or_sections, axis=0):
    size = x.shape[axis]
    if isinstance(num_or_sections, int):
        return list(torch.split(x, size // num_or_sections, axis))
    known = sum(each for each in num_or_sections if each != -1)
    sizes = [size - known if each == -1 else each for each in num_or_sections]
    return list(torch.split(x, sizes, axis))


def _flatten(torch, x, start_axis=0, stop_axis=-1):
    return x.reshape([1]) if x.ndim == 0 else torch.flatten(x, start_axis, stop_axis)


def _expand(torch, x, shape):
    return torch.broadcast_to(x, tuple(shape))


def _gather(torch, x, index, axis=0):
    if index.ndim > 1:
        index = index.squeeze(-1)
    found = torch.index_select(x, axis, index.reshape(-1).long())
    return found.squeeze(axis) if index.ndim == 0 else found


def _take_along_axis(torch, arr, indices, axis, broadcast=True):
    if broadcast and arr.ndim == indices.ndim:
        shape = [max(a, b) for a, b in zip(arr.shape, indices.shape, strict=True)]
        shape[axis] = indices.shape[axis]
        indices = torch.broadcast_to(indices, shape)
        full = list(shape)
        full[axis] = arr.shape[axis]
        arr = torch.broadcast_to(arr, full)
    return torch.gather(arr, axis, indices.long())


def _cumprod(torch, x, dim=None):
    return torch.cumprod(x.reshape(-1) if dim is None else x, 0 if dim is None else dim)


def _cumulative(name: str):
    def run(torch, x, axis=None):
        return getattr(torch, name)(x.reshape(-1) if axis is None else x, axis or 0)

    return run


def _pool(name: str):
    def run(torch, x, kernel_size, stride=None, padding=0, ceil_mode=False, **options):
        sizes = [padding] if isinstance(padding, int) else list(padding)
        plain = all(isinstance(each, int) for each in sizes)
        if not plain or any(options.get(each) for each in ("return_mask", "divisor_override")):
            raise NotInTorch("has padding or options that PyTorch does not have")
        if not options.get("data_format", "NC").startswith("NC"):
            raise NotInTorch("has a layout that PyTorch does not have")
        given = {}
        if name.startswith("avg"):
            given["count_include_pad"] = not options.get("exclusive", True)
        function = getattr(torch.nn.functional, name)
        return function(x, kernel_size, stride, padding, ceil_mode=ceil_mode, **given)

    return run


def _group_norm(torch, x, num_groups, epsilon=1e-5, weight=None, bias=None, data_format="NCHW"):
    if not data_format.startswith("NC"):
        raise NotInTorch("has a layout that PyTorch does not have")
    return torch.nn.functional.group_norm(x, num_groups, weight, bias, epsilon)


def _normalize(torch, x, p=2, axis=1, epsilon=1e-12):
    return torch.nn.functional.normalize(x, p, axis, epsilon)


def _addmm(torch, input, x, y, beta=1.0, alpha=1.0):
    return torch.addmm(input, x, y, beta=beta, alpha=alpha)


def _cast(torch, x, dtype):
    return x.to(getattr(torch, dtype) if isinstance(dtype, str) else dtype)


def _one_hot(torch, x, num_classes):
    return torch.nn.functional.one_hot(x.long(), num_classes).float()


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
    **{
        name: _same(name)
        for name in "frac i0 erfinv rad2deg deg2rad sinc sgn signbit isneginf isposinf isreal "
        "bitwise_not logical_not trace inverse det cholesky clone numel nonzero".split()
    },
    **{name: _special(name) for name in ("i0e", "i1", "i1e")},
    "gammaln": lambda torch, x: torch.lgamma(x),
    **{
        name: _two(name)
        for name in "logaddexp hypot copysign nextafter gcd lcm kron inner logical_xor "
        "isclose".split()
    },
    **{
        name: _two(torchs)
        for name, torchs in {
            "less_than": "lt",
            "less_equal": "le",
            "greater_than": "gt",
            "greater_equal": "ge",
            "not_equal": "ne",
            "floor_divide": "floor_divide",
            "remainder": "remainder",
            "mod": "remainder",
            "floor_mod": "remainder",
        }.items()
    },
    **{name: _reduced(torchs) for name, torchs in {"max": "amax", "min": "amin"}.items()},
    **{name: _reduced(name) for name in ("nansum", "nanmean")},
    **{name: _spread(name) for name in ("std", "var")},
    **{name: _best(name) for name in ("argmax", "argmin")},
    **{name: _axis_pair(name) for name in ("moveaxis", "swapaxes")},
    **{name: _cumulative(name) for name in ("logcumsumexp",)},
    "cumprod": _cumprod,
    "sort": _sort,
    "topk": _topk,
    "split": _split,
    "chunk": lambda torch, x, chunks, axis=0: list(torch.chunk(x, chunks, axis)),
    "unbind": lambda torch, x, axis=0: list(torch.unbind(x, axis)),
    "flatten": _flatten,
    "expand": _expand,
    "broadcast_to": _expand,
    "tile": lambda torch, x, repeat_times: torch.tile(x, tuple(repeat_times)),
    "gather": _gather,
    "index_select": lambda torch, x, index, axis=0: torch.index_select(x, axis, index),
    "take_along_axis": _take_along_axis,
    "masked_select": lambda torch, x, mask: torch.masked_select(x, mask),
    "diag": lambda torch, x, offset=0: torch.diag(x, offset),
    "diagonal": lambda torch, x, offset=0, axis1=0, axis2=1: torch.diagonal(
        x, offset, axis1, axis2
    ),
    "rot90": lambda torch, x, k=1, axes=(0, 1): torch.rot90(x, k, list(axes)),
    "cast": _cast,
    "astype": _cast,
    "assign": lambda torch, x: x.clone(),
    "lerp": lambda torch, x, y, weight: torch.lerp(x, y, weight),
    "addmm": _addmm,
    "solve": lambda torch, x, y: torch.linalg.solve(x, y),
    "matrix_power": lambda torch, x, n: torch.linalg.matrix_power(x, n),
    **{
        f"paddle.nn.functional.{name}": _functional(name, *passed)
        for name, *passed in [
            ("relu6",),
            ("mish",),
            ("softsign",),
            ("tanhshrink",),
            ("hardswish",),
            ("selu",),
            ("celu", "alpha"),
        ]
    },
    "paddle.nn.functional.log_sigmoid": _functional("logsigmoid"),
    "paddle.nn.functional.swish": lambda torch, x: torch.nn.functional.silu(x),
    "paddle.nn.functional.hardtanh": lambda torch, x, min=-1.0, max=1.0: (
        torch.nn.functional.hardtanh(x, min, max)
    ),
    "paddle.nn.functional.softshrink": lambda torch, x, threshold=0.5: (
        torch.nn.functional.softshrink(x, threshold)
    ),
    "paddle.nn.functional.hardshrink": lambda torch, x, threshold=0.5: (
        torch.nn.functional.hardshrink(x, threshold)
    ),
    "paddle.nn.functional.glu": lambda torch, x, axis=-1: torch.nn.functional.glu(x, axis),
    "paddle.nn.functional.pixel_shuffle": lambda torch, x, upscale_factor: (
        torch.nn.functional.pixel_shuffle(x, upscale_factor)
    ),
    "paddle.nn.functional.l1_loss": lambda torch, input, label, reduction="mean": (
        torch.nn.functional.l1_loss(input, label, reduction=reduction)
    ),
    "paddle.nn.functional.binary_cross_entropy_with_logits": _loss(
        "binary_cross_entropy_with_logits"
    ),
    "paddle.nn.functional.normalize": _normalize,
    "paddle.nn.functional.group_norm": _group_norm,
    "paddle.nn.functional.one_hot": _one_hot,
    **{
        f"paddle.nn.functional.{name}": _pool(name)
        for name in ("max_pool1d", "max_pool2d", "avg_pool1d", "avg_pool2d")
    },
}
"""Paddle names, dotted or plain, and the PyTorch call of each; it takes Paddle's arguments."""
