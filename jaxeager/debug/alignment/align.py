"""debug.align: compares a model here with one of PyTorch, real Paddle, Flax, or another one here.

Note [Sides]
    Each side can return its parameters, accept others, and run. A run returns the outputs of its
    innermost layers in call order, and the gradients of its parameters. Layers and parameters of
    two sides are paired by their order, since people define the same model in the same order. The
    weight matrix of PyTorch's Linear is the transpose of Paddle's, so it is transposed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import numpy as np

from jaxeager.debug.alignment import layers
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, UnavailableError

if TYPE_CHECKING:
    from jaxeager.core.types import TensorLike

_TURNED = frozenset(["Linear", "NonDynamicallyQuantizableLinear"])  # PyTorch's, transposed


class Compared(NamedTuple):
    """Two values that were compared.

    Attributes:
        kind: "output" or "gradient".
        a, b: their names on the two sides.
        apart: the largest difference; infinite if shapes differ or one side has no value.
        share: ``apart`` divided by the largest number.
        is_close: whether they agree.
    """

    kind: str
    a: str
    b: str
    apart: float
    share: float
    is_close: bool

    def __str__(self) -> str:
        name = self.a if self.a == self.b else f"{self.a} | {self.b}"
        mark = "  " if self.is_close else "! "
        return f"{mark}{self.kind:8} {name}: {self.apart:.3g} apart, {self.share:.1e} of it"


class Alignment:
    """The result of ``align``; it is true if all values agree, and prints those that do not.

    Attributes:
        rows: every output in forward order, then every gradient from the last to the first.
    """

    def __init__(self, rows: list[Compared]):
        self.rows = rows

    @property
    def first(self) -> Compared | None:
        """Return the first row that differs: in forward, else in the order of backward."""
        return next((row for row in self.rows if not row.is_close), None)

    def __bool__(self) -> bool:
        return self.first is None

    def __str__(self) -> str:
        outputs = sum(row.kind == "output" for row in self.rows)
        counts = f"{outputs} outputs and {len(self.rows) - outputs} gradients"
        if self.first is None:
            return f"{counts} agree."
        wrong = [row for row in self.rows if not row.is_close]
        head = f"The first that differs, of {counts}, is {self.first.kind} {self.first.a}."
        return "\n".join([head, *map(str, wrong)])


# ---- the sides


class _LayerSide:
    """A Layer of this library."""

    def __init__(self, model):
        self.model = model

    def parameters(self) -> list:
        return layers.parameters(self.model)

    def give(self, values: list) -> None:
        layers.give(self.model, values)

    def run(self, inputs: list, seed: int) -> tuple[list, list]:
        return layers.run(sys.modules[__name__.partition(".")[0]], self.model, inputs, seed)


class _PaddleSide:
    """A model of real Paddle, built by a function in a file, in a separate process."""

    def __init__(self, source: str, python: str, is_training: bool):
        self.source, self.python, self.is_training = source, python, is_training
        self.weights: list = []

    def parameters(self) -> list:
        made = self._work([], 0)
        found = [name.split(":", 2) for name in made if name.startswith("p")]
        return [(name, kind, made[f"{p}:{kind}:{name}"]) for p, kind, name in found]

    def give(self, values: list) -> None:
        self.weights = values

    def run(self, inputs: list, seed: int) -> tuple[list, list]:
        made = self._work(inputs, seed)
        found: dict[str, list] = {"o": [], "g": []}
        for name, value in made.items():
            if name[0] in found:
                is_none = value.dtype.kind == "U"
                found[name[0]].append((name.partition(":")[2], None if is_none else value))
        return found["o"], found["g"]

    def _work(self, inputs: list, seed: int) -> dict:
        with tempfile.TemporaryDirectory() as folder:
            given, made = Path(folder) / "given.npz", Path(folder) / "made.npz"
            held = {f"w{k}": value for k, value in enumerate(self.weights)}
            held |= {f"x{k}": value for k, value in enumerate(inputs)}
            np.savez(given, seed=seed, training=self.is_training, **held)
            environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
            path, _, function = self.source.rpartition(":")
            source = f"{os.path.abspath(path)}:{function}"
            done = subprocess.run(
                [self.python, os.path.abspath(layers.__file__), source, str(given), str(made)],
                cwd=folder, env=environment, capture_output=True, text=True,
            )  # fmt: skip
            if done.returncode:
                lines = done.stderr.strip().splitlines()[-3:]
                raise UnavailableError(
                    f"Real Paddle could not run {self.source} with {self.python}: "
                    + " ".join(lines)
                )
            with np.load(made) as found:
                return {name: found[name] for name in found.files}


class _TorchSide:
    """A module of PyTorch."""

    def __init__(self, model):
        self.model = model

    def _held(self) -> list:
        return [
            (f"{prefix}.{name}".strip("."), type(module).__name__, tensor)
            for prefix, module in self.model.named_modules()
            for name, tensor in [*module._parameters.items(), *module._buffers.items()]
            if tensor is not None and name != "num_batches_tracked"
        ]

    def parameters(self) -> list:
        held = [(name, kind, t.detach().cpu().numpy()) for name, kind, t in self._held()]
        return [(name, kind, _turned(kind, value)) for name, kind, value in held]

    def give(self, values: list) -> None:
        import torch  # pyright: ignore[reportMissingImports]

        with torch.no_grad():
            for (_, kind, tensor), value in zip(self._held(), values, strict=True):
                tensor.copy_(torch.from_numpy(np.array(_turned(kind, value))))

    def run(self, inputs: list, seed: int) -> tuple[list, list]:
        import torch  # pyright: ignore[reportMissingImports]

        outputs: list = []

        def noting(name):
            return lambda module, given, result: outputs.append((name, _torch_value(result)))

        handles = [
            module.register_forward_hook(noting(name))
            for name, module in self.model.named_modules()
            if name and not list(module.children())
        ]
        try:
            result = self.model(*[torch.from_numpy(np.array(each)) for each in inputs])
        finally:
            for handle in handles:
                handle.remove()
        outputs.append(("the model", _torch_value(result)))
        while isinstance(result, (tuple, list)):
            result = result[0]
        weights = np.random.default_rng(seed).standard_normal(tuple(result.shape))
        self.model.zero_grad()
        result.backward(torch.from_numpy(weights.astype("float32")).to(result.dtype))
        kinds = {f"{p}.{n}".strip("."): type(m).__name__ for p, m in self.model.named_modules()
                 for n in m._parameters}  # fmt: skip
        return outputs, [
            (name, None if p.grad is None else _turned(kinds[name], p.grad.cpu().numpy()))
            for name, p in self.model.named_parameters()
            if p.requires_grad
        ]


def _torch_value(result):
    while isinstance(result, (tuple, list)):
        result = result[0]
    return result.detach().cpu().numpy()


def _turned(kind: str, value):
    return value.T if kind in _TURNED and value.ndim == 2 else value


class _FlaxSide:
    """A Flax linen module with its variables: its modules' outputs and its gradients."""

    def __init__(self, model, variables):
        self.model, self.variables = model, dict(variables)

    def parameters(self) -> list:
        return [(n, "Flax", np.asarray(leaf)) for n, leaf in _leaves(self.variables["params"])]

    def give(self, values: list) -> None:
        given = iter(values)
        self.variables["params"] = _with_leaves(self.variables["params"], given)

    def run(self, inputs: list, seed: int) -> tuple[list, list]:
        others = {k: v for k, v in self.variables.items() if k != "params"}
        result, state = self.model.apply(
            self.variables, *inputs, capture_intermediates=True, mutable=["intermediates"]
        )
        weights = np.random.default_rng(seed).standard_normal(result.shape).astype("float32")

        def total(params):
            return (self.model.apply({"params": params, **others}, *inputs) * weights).sum()

        grads = dict(_leaves(jax.grad(total)(self.variables["params"])))
        outputs = _calls(state["intermediates"])
        ordered = [(name, np.asarray(grads[name])) for name, _ in _leaves(self.variables["params"])]
        return [*outputs, ("the model", np.asarray(result))], ordered


def _leaves(tree, path: str = "") -> list:
    """Return (path, leaf) in the order in which the modules were created, which dicts keep."""
    found = []
    for name, value in tree.items():
        here = f"{path}/{name}" if path else name
        found += _leaves(value, here) if hasattr(value, "items") else [(here, value)]
    return found


def _with_leaves(tree, values):
    return {
        name: _with_leaves(value, values) if hasattr(value, "items") else next(values)
        for name, value in tree.items()
    }


def _calls(tree, path: str = "") -> list:
    """Return (path, output) of the innermost modules."""
    found = []
    for name, value in tree.items():
        here = f"{path}/{name}" if path else name
        if not hasattr(value, "items"):
            continue
        inner = _calls(value, here)
        if not inner and "__call__" in value:
            inner = [(here, np.asarray(value["__call__"][0]))]
        found += inner
    return found


# ---- comparing


def align(
    model_a: Any,
    model_b: Any,
    *inputs: TensorLike,
    copy_weights: bool = True,
    rtol: float = 1e-4,
    atol: float = 1e-5,
    seed: int = 0,
    python: str | None = None,
) -> Alignment:
    """Run two models on the same inputs, and return which layer is the first that differs.

    Outputs of the innermost layers are compared in call order, gradients of the parameters in
    the order of backward, which starts on both sides from the same random gradient.

    Args:
        model_a: a Layer.
        model_b: another one; a ``torch.nn.Module``; a pair of a Flax (linen) module and its
            variables; or ``"FILE:FUNCTION"``, whose function builds a model of real Paddle, which
            runs in a separate process.
        *inputs: Tensors or arrays.
        copy_weights: copy the parameters and buffers of ``model_a`` to ``model_b`` first.
        rtol, atol: the tolerance, relative to the larger of both values, and absolute.
        seed: for the gradient that backward starts from.
        python: the Python that has real Paddle. Default: JAXEAGER_PADDLE_PYTHON, or this one.

    Raises:
        InvalidTypeError: for a model of another kind.
        InvalidArgumentError: when the parameters of the two do not correspond.
        UnavailableError: when real Paddle cannot run its model.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager import debug
        >>> make = lambda: paddle.nn.Sequential(paddle.nn.Linear(3, 4), paddle.nn.Tanh())
        >>> print(debug.align(make(), make(), paddle.ones([2, 3])))
        3 outputs and 2 gradients agree.
    """
    python = python or os.environ.get("JAXEAGER_PADDLE_PYTHON") or sys.executable
    a, b = _side(model_a, python, True), _side(model_b, python, getattr(model_a, "training", True))
    arrays = [np.asarray(getattr(each, "_array", each)) for each in inputs]
    if copy_weights:
        b.give(_matched(a.parameters(), b.parameters()))
    (outs_a, grads_a), (outs_b, grads_b) = a.run(arrays, seed), b.run(arrays, seed)
    rows = _rows("output", outs_a, outs_b, rtol, atol)
    return Alignment(rows + _rows("gradient", grads_a[::-1], grads_b[::-1], rtol, atol))


def _side(model, python: str, is_training: bool):
    if isinstance(model, str) and ":" in model:
        return _PaddleSide(model, python, is_training)
    if isinstance(model, tuple) and len(model) == 2 and hasattr(model[0], "apply"):
        return _FlaxSide(*model)
    if hasattr(model, "named_sublayers"):
        return _LayerSide(model)
    if hasattr(model, "named_modules"):
        return _TorchSide(model)
    raise InvalidTypeError(
        "align takes Layers, a torch.nn.Module, (Flax module, variables) or 'FILE:FUNCTION' of "
        f"real Paddle, but received {type(model).__name__}."
    )


def _matched(given: list, wanted: list) -> list:
    """Return the arrays of one side in the form that the other one needs.

    Raises:
        InvalidArgumentError: when they do not correspond.
    """
    values = []
    for (name, _, value), (other, _, place) in zip(given, wanted, strict=False):
        if value.shape != place.shape:
            raise InvalidArgumentError(
                f"Parameter {name} has shape {list(value.shape)}, but the other model has {other} "
                f"of shape {list(place.shape)} in its place: the models must declare the same "
                "layers in the same order."
            )
        values.append(value)
    if len(given) != len(wanted):
        raise InvalidArgumentError(
            f"One model has {len(given)} parameters and buffers, the other {len(wanted)}; the "
            f"first one that is missing is {[*given, *wanted][2 * len(values)][0]}."
        )
    return values


def _rows(kind: str, a: list, b: list, rtol: float, atol: float) -> list[Compared]:
    rows = []
    for number in range(max(len(a), len(b))):
        left = a[number] if number < len(a) else ("nothing", None)
        right = b[number] if number < len(b) else ("nothing", None)
        rows.append(_compared(kind, left, right, rtol, atol))
    return rows


def _compared(kind: str, left, right, rtol: float, atol: float) -> Compared:
    (name_a, a), (name_b, b) = left, right
    if a is None and b is None:
        return Compared(kind, name_a, name_b, 0.0, 0.0, True)
    if a is None or b is None or a.shape != b.shape:
        return Compared(kind, name_a, name_b, float("inf"), float("inf"), False)
    a, b = a.astype(np.float64), b.astype(np.float64)
    apart = float(np.max(np.where(a == b, 0.0, np.abs(a - b)), initial=0.0))
    scale = float(max(np.max(np.abs(a), initial=0.0), np.max(np.abs(b), initial=0.0)))
    is_close = apart <= atol + rtol * scale
    return Compared(kind, name_a, name_b, apart, apart / scale if scale else 0.0, is_close)
