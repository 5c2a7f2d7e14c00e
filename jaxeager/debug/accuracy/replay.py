"""Runs captured calls, one per message, in a process with one library, which may be real Paddle.

This file is self-contained, because a process with real Paddle must not import this package. It
needs NumPy and the library, and for PyTorch also torch_calls.py in the same folder.
``python replay.py SIDE`` reads pickled (line, seed) from its input and writes pickled answers to
its output. SIDE is "jaxeager", "paddle", "torch" or "grad": this package's kernels,
differentiated by JAX.

Note [Random inputs]
    Inputs depend on the line and the seed alone, so every process creates the same ones. Floats
    are drawn from U(-0.5, 0.5), unless the function is defined elsewhere. Integers are at least 0
    and less than every size of the other tensors and every positive number in the call, so they
    are valid indices for every axis.
"""

from __future__ import annotations

import ast
import importlib
import math
import os
import pickle
import sys
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from types import ModuleType

POSITIVE = frozenset(
    "log log2 log10 sqrt rsqrt lgamma digamma polygamma gammaln gammainc gammaincc pow __pow__ "
    "__rpow__ float_power binary_cross_entropy log_loss bce_loss nll_loss kl_div entropy "
    "gaussian_nll_loss poisson_nll_loss dist logit".split()
)
NO_ZEROS = frozenset(
    "divide floor_divide mod remainder floor_mod __truediv__ __floordiv__ __mod__ __rtruediv__ "
    "__rfloordiv__ __rmod__ reciprocal lcm".split()
)
ABOVE_ONE = frozenset({"acosh"})
SQUARE = frozenset("cholesky inv inverse solve det slogdet eigh eigvalsh cholesky_solve lu".split())
BOXES = frozenset(
    "matrix_nms multiclass_nms3 nms roi_align roi_pool psroi_pool generate_proposals box_coder "
    "distribute_fpn_proposals".split()
)
IN_PLACE = frozenset({"__setitem__", "set_value", "increment", "copy_"})
RANDOM = frozenset(
    "dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout rand randn randint "
    "randint_like rand_like randn_like randperm uniform normal gaussian standard_normal bernoulli "
    "multinomial poisson exponential_ uniform_ normal_ cauchy_ geometric_ log_normal_ bernoulli_ "
    "rrelu gumbel_softmax shuffle standard_gamma binomial log_normal empty empty_like "
    "new_empty seed".split()
)


class Unusable(Exception):
    """A line that cannot be run again."""


class Spec:
    """A tensor of a line: its shape, its dtype, and its position among the line's tensors."""

    def __init__(self, shape: list[int], dtype: str, index: int):
        self.shape, self.dtype, self.index = shape, dtype, index


class Call:
    """A parsed line.

    Attributes:
        api: the dotted name.
        args, kwargs: arguments, with a Spec for each tensor.
        specs: the Specs in their order.
    """

    def __init__(self, line: str):
        self.line = line.strip()
        try:
            tree = ast.parse(self.line.replace("list[]", "list()"), mode="eval").body
        except SyntaxError as error:
            raise Unusable(f"cannot be read: {error.msg}") from None
        if not isinstance(tree, ast.Call):
            raise Unusable("is not a call")
        self.specs: list[Spec] = []
        self.api = ast.unparse(tree.func)
        self.args = [self._value(each) for each in tree.args]
        self.kwargs = {str(each.arg): self._value(each.value) for each in tree.keywords}

    @property
    def name(self) -> str:
        return self.api.rpartition(".")[2]

    @property
    def is_inplace(self) -> bool:
        """Return whether the call writes into its first tensor."""
        is_twin = self.name.endswith("_") and not self.name.endswith("__")
        return is_twin or self.name in IN_PLACE or (self.name == "assign" and len(self.specs) > 1)

    def dtype(self) -> str:
        """Return the dtype of the first tensor; "" if there is none."""
        return self.specs[0].dtype if self.specs else ""

    def _value(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self._value(node.operand)
        if isinstance(node, ast.Subscript):  # list[...]
            inner = node.slice
            return [self._value(each) for each in getattr(inner, "elts", [inner])]
        if isinstance(node, (ast.List, ast.Tuple)):
            return [self._value(each) for each in node.elts]
        if isinstance(node, ast.Name) and node.id in ("Ellipsis", "nan"):
            return Ellipsis if node.id == "Ellipsis" else math.nan
        if isinstance(node, ast.Attribute) and node.attr in ("inf", "nan"):
            return getattr(math, node.attr)
        if isinstance(node, ast.Call):
            return self._called(ast.unparse(node.func), node.args)
        raise Unusable(f"has {ast.unparse(node)!r}, which has no value here")

    def _called(self, name: str, nodes: list) -> Any:
        if name == "Dtype":
            return Dtype(ast.unparse(nodes[0]))
        if name == "Place":
            return None
        values = [self._value(each) for each in nodes]
        if name == "Tensor":
            spec = Spec(list(values[0]), values[1], len(self.specs))
            self.specs.append(spec)
            return spec
        if name in ("tuple", "list"):
            return tuple(values) if name == "tuple" else values
        if name == "slice":
            return slice(*values)
        if name == "complex":
            return complex(*values)
        if name in ("paddle.Size", "Size"):
            return list(values[0])
        raise Unusable(f"has a {name}, which has no value here")


class Dtype(str):
    """The name of a dtype, replaced by the dtype itself when the call runs."""


# ---- inputs


def _numbers(value: object) -> list[int]:
    """Return the positive integers in arguments."""
    if isinstance(value, bool):
        return []
    if isinstance(value, int):
        return [value] if value > 0 else []
    if isinstance(value, (list, tuple)):
        return [each for item in value for each in _numbers(item)]
    return []


def inputs_of(call: Call, seed: int) -> list[np.ndarray]:
    """Return an array per tensor of a line: see Note [Random inputs]."""
    draw = np.random.default_rng([seed, zlib.crc32(call.line.encode())])
    numbers = [n for value in [*call.args, *call.kwargs.values()] for n in _numbers(value)]
    return [_array(call, spec, numbers, draw) for spec in call.specs]


def _array(call: Call, spec: Spec, numbers: list[int], draw) -> np.ndarray:
    shape, dtype, name = tuple(spec.shape), spec.dtype, call.name.rstrip("_")
    name = call.name if call.name.startswith("__") else name
    if dtype == "bool":
        return draw.integers(0, 2, shape).astype(bool)
    if "int" in dtype:
        sizes = [n for other in call.specs if other is not spec for n in other.shape if n > 0]
        bound = min([10, *sizes, *[n for n in numbers if n > 1]])
        least = 1 if name in NO_ZEROS else 0
        return draw.integers(least, max(bound, least + 1), shape).astype(dtype)
    values = draw.uniform(-0.5, 0.5, shape)
    if name in POSITIVE:
        values = np.abs(values) + 0.1
    if name in NO_ZEROS:
        values = np.sign(values) * (np.abs(values) + 0.25) + (values == 0)
    if name in ABOVE_ONE:
        values = np.abs(values) + 1.5
    if name in SQUARE and len(shape) > 1 and shape[-1] == shape[-2]:
        values = values @ np.swapaxes(values, -1, -2) + np.eye(shape[-1]) * shape[-1]
    if name in BOXES and shape and shape[-1] == 4:  # left < right and top < bottom
        values = 20 * np.sort(values.reshape(*shape[:-1], 2, 2), -2).reshape(shape) + 10
    if dtype.startswith("complex"):
        values = values + 1j * draw.uniform(-0.5, 0.5, shape)
    return values.astype(_kept_as(dtype))


def _kept_as(dtype: str) -> str:
    """Return the name of the NumPy dtype that holds a dtype: float32 for half precision."""
    return "float32" if dtype in ("float16", "bfloat16") or "float8" in dtype else dtype


def gradient_of(call: Call, index: int, shape: tuple, seed: int) -> np.ndarray:
    """Return a random gradient for output number ``index``."""
    draw = np.random.default_rng([seed, zlib.crc32(call.line.encode()), 1, index])
    return draw.uniform(-0.5, 0.5, shape)


def filled(value: Any, tensors: list, dtype_of) -> Any:
    """Return an argument with its Specs replaced by tensors."""
    if isinstance(value, Spec):
        return tensors[value.index]
    if isinstance(value, Dtype):
        return dtype_of(value)
    if isinstance(value, (list, tuple)):
        return type(value)([filled(each, tensors, dtype_of) for each in value])
    if isinstance(value, slice):
        parts = (value.start, value.stop, value.step)
        return slice(*[filled(each, tensors, dtype_of) for each in parts])
    return value


def _flat(value: Any, kind: type) -> list:
    """Return the tensors of a result, in order."""
    if isinstance(value, kind):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [each for item in value for each in _flat(item, kind)]
    return []


def _plain_value(value: object) -> np.ndarray:
    """Return a result that contains no tensor as an array, if it is numeric."""
    if isinstance(value, (bool, int, float, complex, list, tuple, np.ndarray, np.generic)):
        found = np.asarray(value)
        if found.dtype.kind in "biufc":
            return found
    raise Unusable("returns neither tensors nor numbers")


# ---- libraries


class Paddle:
    """Runs lines in real Paddle, or in this package, which uses the same names."""

    def __init__(self, library: ModuleType):
        self.library = library

    def function(self, api: str) -> Any:
        found = self.library
        for part in api.split(".")[1:]:
            found = getattr(found, part)
        return found

    def tensor(self, array: np.ndarray, spec: Spec) -> Any:
        made = self.library.to_tensor(array)
        if spec.dtype != _kept_as(spec.dtype):
            made = made.astype(spec.dtype)
        made.stop_gradient = not spec.dtype.startswith(("float", "bfloat", "complex"))
        return made

    def run(self, call: Call, seed: int) -> tuple[list, list]:
        library = self.library
        library.seed(seed)
        arrays = inputs_of(call, seed)
        leaves = [self.tensor(a, spec) for a, spec in zip(arrays, call.specs, strict=True)]
        given = leaves
        if call.is_inplace:  # an in-place call on a leaf would be refused
            given = [library.assign(leaf) for leaf in leaves]
        args = filled(call.args, given, str)
        kwargs = filled(list(call.kwargs.values()), given, str)
        function = self.function(call.api)
        result = function(*args, **dict(zip(call.kwargs, kwargs, strict=True)))
        outs = _flat(result, library.Tensor)
        if not outs and call.is_inplace:
            outs = given[:1]
        if not outs:
            return [_plain_value(result)], []
        values = [self.read(out) for out in outs]
        wanted = [leaf for leaf in leaves if not leaf.stop_gradient]
        recorded = [(i, out) for i, out in enumerate(outs) if not out.stop_gradient]
        if not wanted or not recorded:
            return values, []
        grads = [
            library.to_tensor(gradient_of(call, i, tuple(out.shape), seed)).astype(out.dtype)
            for i, out in recorded
        ]
        found = library.grad([out for _, out in recorded], wanted, grads, allow_unused=True)
        return values, [None if each is None else self.read(each) for each in found]

    def read(self, tensor: Any) -> np.ndarray:
        name = str(tensor.dtype).rpartition(".")[2]
        return (tensor.astype("float32") if name != _kept_as(name) else tensor).numpy()


class Grad(Paddle):
    """Runs lines as JAX functions of this package's kernels, which JAX differentiates."""

    def run(self, call: Call, seed: int) -> tuple[list, list]:
        import jax

        library = self.library
        if call.is_inplace:
            raise Unusable("writes in place, which a function of arrays cannot do")
        library.seed(seed)
        arrays = inputs_of(call, seed)
        leaves = [self.tensor(a, spec) for a, spec in zip(arrays, call.specs, strict=True)]
        at = [i for i, leaf in enumerate(leaves) if not leaf.stop_gradient]
        pure = library.autograd.to_jax(self._of_wanted(call, leaves, at))
        try:
            outs, pull = jax.vjp(pure, *[leaves[index]._array for index in at])
        except (jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError):
            raise Unusable("reads values, which a function of arrays cannot do") from None
        if not outs:
            raise Unusable("returns no tensor")
        values = [np.asarray(self._plain(out)) for out in outs]
        moving = [out for out in outs if jax.numpy.issubdtype(out.dtype, jax.numpy.inexact)]
        if not at or not moving:
            return values, []
        cotangents = tuple([
            jax.numpy.conj(
                jax.numpy.asarray(gradient_of(call, i, out.shape, seed)).astype(out.dtype)
            )
            if jax.numpy.issubdtype(out.dtype, jax.numpy.inexact)
            else np.zeros(out.shape, jax.dtypes.float0)
            for i, out in enumerate(outs)
        ])  # fmt: skip
        found = pull(cotangents)
        return values, [np.asarray(self._plain(jax.numpy.conj(each))) for each in found]

    def _of_wanted(self, call: Call, leaves: list, at: list[int]) -> Callable[..., tuple]:
        """Return a call as a function of those of its tensors that need a gradient."""
        function = self.function(call.api)

        def of_wanted(*wanted: Any) -> tuple:
            given = [leaf.detach() for leaf in leaves]
            for index, each in zip(at, wanted, strict=True):
                given[index] = each
            kwargs = filled(list(call.kwargs.values()), given, str)
            named = dict(zip(call.kwargs, kwargs, strict=True))
            result = function(*filled(call.args, given, str), **named)
            return tuple(_flat(result, self.library.Tensor))

        return of_wanted

    def _plain(self, array: Any) -> Any:
        name = str(array.dtype)
        return array.astype("float32") if name != _kept_as(name) else array


class Torch:
    """Runs lines in PyTorch, if it has a function with the same meaning (torch_calls.py)."""

    def __init__(self, torch: ModuleType):
        self.torch = torch
        self.calls = _import_sibling("torch_calls")

    def run(self, call: Call, seed: int) -> tuple[list, list]:
        torch = self.torch
        table = self.calls.TORCH
        how = table.get(call.api) or table.get(call.name.strip("_"))
        if how is None or call.is_inplace:
            raise Unusable("has no function of PyTorch in the table")
        arrays = inputs_of(call, seed)
        leaves = [
            torch.from_numpy(np.asarray(array)).to(getattr(torch, spec.dtype))
            for array, spec in zip(arrays, call.specs, strict=True)
        ]
        for leaf in leaves:
            leaf.requires_grad_(leaf.is_floating_point() or leaf.is_complex())
        args = filled(call.args, leaves, lambda name: getattr(torch, name))
        kwargs = filled(list(call.kwargs.values()), leaves, lambda name: getattr(torch, name))
        try:
            result = how(torch, *args, **dict(zip(call.kwargs, kwargs, strict=True)))
        except self.calls.NotInTorch as error:
            raise Unusable(str(error)) from None
        except TypeError as error:  # arguments that the table does not know
            raise Unusable(f"cannot be called like this in PyTorch: {error}") from None
        outs = _flat(result, torch.Tensor)
        if not outs:
            return [_plain_value(result)], []
        values = [self.read(out) for out in outs]
        wanted = [leaf for leaf in leaves if leaf.requires_grad]
        recorded = [(i, out) for i, out in enumerate(outs) if out.requires_grad]
        if not wanted or not recorded:
            return values, []
        grads = [
            torch.from_numpy(np.asarray(gradient_of(call, i, tuple(out.shape), seed))).to(out.dtype)
            for i, out in recorded
        ]
        results = [out for _, out in recorded]
        found = torch.autograd.grad(results, wanted, grads, allow_unused=True)
        return values, [None if each is None else self.read(each) for each in found]

    def read(self, tensor: Any) -> np.ndarray:
        name = str(tensor.dtype).rpartition(".")[2]
        tensor = tensor.detach().resolve_conj()
        return (tensor.float() if name != _kept_as(name) else tensor).numpy(force=True)


def _import_sibling(name: str) -> Any:
    """Import another file of this folder, from the package or in a separate process."""
    return importlib.import_module(f"{__package__}.{name}" if __package__ else name)


def runner_of(side: str) -> Paddle:
    """Import the library of a side."""
    library = importlib.import_module("jaxeager" if side == "grad" else side)
    if side == "torch":
        library.set_num_threads(1)
    kinds = {"torch": Torch, "grad": Grad}
    return kinds.get(side, Paddle)(library)


def answer(runner: Paddle, line: str, seed: int) -> tuple[str, Any]:
    """Return ("ok", (values, gradients)), ("unusable", why) or ("error", its text)."""
    try:
        return "ok", runner.run(Call(line), seed)
    except Unusable as error:
        return "unusable", str(error)
    except Exception as error:
        text = " ".join(str(error).split())
        return "error", f"{type(error).__name__}: {text[:300]}"


def main() -> None:
    """Answer messages until the input ends; send what libraries print to the error stream."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    runner = runner_of(sys.argv[1])
    pickle.dump("ready", replies)
    replies.flush()
    while True:
        try:
            line, seed = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        pickle.dump(answer(runner, line, seed), replies)
        replies.flush()


if __name__ == "__main__":
    main()
