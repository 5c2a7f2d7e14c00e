"""A function as a program of StableHLO, for the files of ``jit.save``.

Note [Programs of jit.save]
    JAX traces the function (``autograd.to_jax``) in its inference form: every Layer as after
    ``eval()``, nothing dropped. Paddle writes the same program. It has three arguments: the
    weights, a dict by name; the inputs, a list; and two words of a random key, so that random ops
    draw new numbers in each run. It returns the tensors in the function's result, a list: those in
    dicts by sorted key, other values left out, as in Paddle. Unknown sizes are symbols
    (open_sizes.py). Kernels are lowered for all platforms in ``PLATFORMS`` together if each
    platform has all of them, else for the present one.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import jax
from jax.export import Exported, export

from jaxeager.arrays import random
from jaxeager.core import dtypes
from jaxeager.core.open_size import as_tensor
from jaxeager.core.size_comparisons import doubts
from jaxeager.core.symbolic import is_symbolic
from jaxeager.core.user_lines import warn
from jaxeager.errors import (
    InvalidArgumentError,
    JaxEagerError,
    UnavailableError,
    UnimplementedError,
)
from jaxeager.graph.mode import grad_mode
from jaxeager.jax_bridge.to_jax import to_jax
from jaxeager.jit.capture.refusals import (
    VALUE_ERRORS,
    asked_in,
    called,
    line_of,
    needs_value,
    note_asked,
)
from jaxeager.jit.lowering import in_program, lowered
from jaxeager.jit.programs.constants import with_opaque_constants
from jaxeager.jit.saved_model.argument_specs import Arguments
from jaxeager.jit.saved_model.open_sizes import Attempt, attempts, conditions_of, undecided_in
from jaxeager.jit.saved_model.outermost import Outermost
from jaxeager.jit.saved_model.weights import Weight, standing_in
from jaxeager.nn import Layer
from jaxeager.nn.layer.modes import in_mode
from jaxeager.tensor import Tensor
from jaxeager.utils.structure import flatten

PLATFORMS = ("cpu", "cuda", "tpu")
_OF_DICTS = (
    "The function returns a dict: the loaded program returns its tensors in a list, ordered by "
    "their keys."
)
_MOST_TRACES = 16  # of a function, for one set of shapes
KEY_WORDS = jax.ShapeDtypeStruct((2,), "uint32")


class Traced(NamedTuple):
    """The data for the saving of a function.

    Attributes:
        function: the function itself.
        layer: the Layer it belongs to; None for a plain function.
        weights: the tensors of that Layer.
        arguments: its Arguments.
        is_recorded: whether these come from a call of it.
        outputs: the numbers of the outputs to keep; None for all.
        remarks: warnings to issue once the program exists.
    """

    function: Callable
    layer: Layer | None
    weights: Mapping[str, Weight]
    arguments: Arguments
    is_recorded: bool
    outputs: list[int] | None
    remarks: set[str]


def exported(traced: Traced) -> Exported:
    """Return the program of a function: see Note [Programs of jit.save].

    Raises:
        UnimplementedError: when the function reads values, or does not work with unknown sizes.
        InvalidArgumentError: when it returns no tensor.
    """
    try:
        trace = functools.partial(_for_platforms, traced)
        program = with_open_sizes(traced, lambda _, inputs: trace(inputs)).result
    except SizesRefused as refused:
        raise refuses_sizes(traced, refused.attempt, refused.error) from refused.error
    for remark in traced.remarks:
        warn(remark)
    return program


class Made(NamedTuple):
    """A result of ``with_open_sizes``.

    Attributes:
        attempt: the shapes that the function was traced for.
        result: what the trace returned.
    """

    attempt: Attempt
    result: Any


class SizesRefused(Exception):
    """The error of a function that does not work with the unknown sizes of its specs.

    Attributes:
        attempt: the shapes it was last traced for.
        error: what it raised.
    """

    def __init__(self, attempt: Attempt, error: Exception):
        super().__init__(attempt, error)
        self.attempt, self.error = attempt, error


def with_open_sizes(traced: Traced, trace: Callable[[Attempt, list], Any]) -> Made:
    """Return what ``trace`` makes of a function, for the most general shapes that it works with.

    Args:
        traced: the function.
        trace: traces it, given an Attempt and the structs of the inputs.

    Raises:
        SizesRefused: when the function does not work with unknown sizes.
        UnimplementedError: when the function reads values.
    """
    refused: tuple[Attempt, Exception] | None = None
    for attempt in attempts(traced.arguments.specs, traced.is_recorded):
        found = _attempted(traced, attempt, [_MOST_TRACES], trace)
        if isinstance(found, Made):
            return found
        if refused is None or is_of_sizes(found):
            refused = attempt, found
    assert refused is not None
    attempt, error = refused
    if not is_of_sizes(error):
        raise error
    raise SizesRefused(attempt, error) from error


def _attempted(
    traced: Traced, attempt: Attempt, left: list[int], trace: Callable[[Attempt, list], Any]
) -> Made | Exception:
    """Return the result for some shapes, with the conditions it needs; or the error if none.

    Args:
        traced: the function.
        attempt: the shapes.
        left: the number of traces that are left, which is decremented.
        trace: traces the function.
    """
    specs = traced.arguments.specs
    shaped = [
        jax.ShapeDtypeStruct(shape, dtypes.to_numpy(spec.dtype or "float32"))
        for shape, spec in zip(attempt.shapes, specs, strict=True)
    ]
    doubts.clear()
    left[0] -= 1
    try:
        return Made(attempt, trace(attempt, shaped))
    except VALUE_ERRORS as error:
        raise needs_value(traced.function, error, asked_in(error)) from error
    except Exception as error:
        if not attempt.symbols:
            raise
        why = error
    found = []
    for conditions in conditions_of(why, doubts):
        again = attempt.under(conditions)
        if again is not None and left[0] > 0:
            found.append(_attempted(traced, again, left, trace))
            if isinstance(found[-1], Made):
                return found[-1]
    return found[0] if found else why  # the error under the likeliest conditions


def serialized(program: Exported) -> bytes:
    """Return a program in JAX's serialized form, with its derivative if it has one.

    Raises:
        UnavailableError: when the package flatbuffers is not installed.
    """
    try:
        return bytes(program.serialize(vjp_order=1))
    except ImportError as error:
        raise UnavailableError(
            "JAX writes programs with the flatbuffers package: pip install 'jaxeager[io]'."
        ) from error
    except Exception:  # a step without a reverse derivative, or without one for open sizes
        return bytes(program.serialize(vjp_order=0))


# ---- tracing


def _for_platforms(traced: Traced, inputs: list) -> Exported:
    """Trace a function; for the present platform only when another one lacks a step of it."""
    program, weights = program_of(traced), structs_of(traced.weights)
    here = jax.export.default_export_platform()
    if here in PLATFORMS:
        try:
            return export(jax.jit(program), platforms=PLATFORMS)(weights, inputs, KEY_WORDS)
        except NotImplementedError as error:
            if isinstance(error, JaxEagerError):
                raise
    return export(jax.jit(program), platforms=[here])(weights, inputs, KEY_WORDS)


def structs_of(weights: Mapping[str, Weight]) -> dict[str, jax.ShapeDtypeStruct]:
    """Return shape and dtype of each weight."""
    return {
        name: jax.ShapeDtypeStruct(weight.tensor._array.shape, weight.tensor._array.dtype)
        for name, weight in weights.items()
    }


def program_of(traced: Traced) -> Callable:
    """Return the function that JAX traces: see Note [Programs of jit.save]."""

    def on_tensors(weights: dict, inputs: list) -> list:
        arrays = {name: tensor._array for name, tensor in weights.items()}
        with (
            in_mode(traced.layer, False),
            standing_in(traced.weights, arrays),
            _modes_of_programs(),
        ):
            found = traced.arguments.call(_lowered(traced.function), inputs)
            if _has_dict(found):
                traced.remarks.add(_OF_DICTS)
            return _chosen(_tensors(found), traced.outputs)

    with_key = to_jax(on_tensors, takes_key=True)

    def program(weights: dict, inputs: list, words: jax.Array) -> list:
        return with_opaque_constants(with_key)(random.as_key(words), weights, inputs)

    name = getattr(traced.function, "__name__", "function")
    program.__name__ = program.__qualname__ = name if name.isidentifier() else "function"
    return program


@contextlib.contextmanager
def _modes_of_programs() -> Iterator[None]:
    """Set the modes that a program is written in: gradients pass, and nothing is dropped.

    A save under ``no_grad`` should still contain gradients.
    """
    before = grad_mode.for_inference, grad_mode.inference, grad_mode.enabled, grad_mode.capture
    grad_mode.for_inference, grad_mode.inference = True, False
    seen = Outermost()
    grad_mode.enabled, grad_mode.capture = True, seen
    try:
        with in_program():
            yield
    except VALUE_ERRORS as error:
        note_asked(error, seen.asked)
        raise
    finally:
        grad_mode.for_inference, grad_mode.inference, grad_mode.enabled = before[:3]
        grad_mode.capture = before[3]


def _tensors(found: object) -> list[Tensor]:
    """Return the tensors in the result of a function, each once."""
    tensors: list[Tensor] = []
    for leaf in flatten(found):
        if is_symbolic(leaf):
            tensors.append(as_tensor(leaf))
        elif isinstance(leaf, jax.Array):  # a size times a tensor, multiplied by JAX
            tensors.append(Tensor.from_array(leaf))
        elif isinstance(leaf, Tensor) and not any(leaf is each for each in tensors):
            tensors.append(leaf)
    if not tensors:
        raise InvalidArgumentError(
            "The function returns no tensor, so there is no program to save or to trace."
        )
    return tensors


def _lowered(function: Callable) -> Callable:
    """Return a function to call; that of a Layer is converted when the Layer is called."""
    return function if isinstance(function, Layer) else lowered(function)


def _has_dict(found: object) -> bool:
    """Return whether there is a dict in the result of a function, at any depth of lists."""
    if isinstance(found, (list, tuple)):
        return any(map(_has_dict, found))
    return isinstance(found, dict)


def _chosen(tensors: list, outputs: list[int] | None) -> list:
    if outputs is None:
        return tensors
    for place in outputs:
        if (
            isinstance(place, bool)
            or not isinstance(place, int)
            or place not in range(len(tensors))
        ):
            raise InvalidArgumentError(
                f"output_spec takes the indices of outputs, of which there are {len(tensors)}, but "
                f"received {place!r}."
            )
    return [tensors[place] for place in outputs]


# ---- errors


def is_of_sizes(error: Exception) -> bool:
    """Return whether a function failed because a size is unknown."""
    if undecided_in(error) is not None:
        return True
    text = f"{type(error).__name__} {error}".lower()
    return any(part in text for part in _OF_SIZES)


_OF_SIZES = (
    "symbolic dim", "_dimexpr", "inconclusivedimension", "non-constant", "polymorphi"
)  # fmt: skip


def refuses_sizes(traced: Traced, attempt: Attempt, error: Exception) -> UnimplementedError:
    """Return the error for a function that does not work with unknown sizes."""
    shapes = [
        f"{name}: [{', '.join(map(str, shape))}]"
        for name, shape in zip(traced.arguments.names, attempt.shapes, strict=True)
    ]
    reason = " ".join(str(undecided_in(error) or error).split()).split(" This error arises", 1)[0]
    return UnimplementedError(
        f"{called(traced.function)} does not work with sizes that are unknown "
        f"({'; '.join(shapes)}): {reason} {line_of(error)}Give the InputSpec numbers instead of "
        "None, and save one file for each size that you need."
    )
