"""The tensors of a Layer that a program takes besides its inputs: parameters and buffers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import jax

from jaxeager.nn import Layer
from jaxeager.tensor import Parameter, Tensor


class Weight(NamedTuple):
    """A tensor of a Layer.

    Attributes:
        tensor: the tensor itself.
        persistable: whether it is in the state dict.
        also: other names of the same tensor.
    """

    tensor: Tensor
    persistable: bool
    also: list[str]


def weights_of(layer: Layer | None) -> dict[str, Weight]:
    """Return all parameters and buffers of a Layer by name, each tensor once."""
    found: dict[str, Weight] = {}
    first: dict[int, str] = {}
    sublayers = [] if layer is None else layer.named_sublayers(include_self=True)
    for prefix, each in sublayers:
        fleeting = each._non_persistable_buffer_names_set
        for name, tensor in (*each._parameters.items(), *each._buffers.items()):
            if tensor is None:
                continue
            full = f"{prefix}.{name}" if prefix else name
            if id(tensor) in first:
                found[first[id(tensor)]].also.append(full)
            else:
                first[id(tensor)] = full
                found[full] = Weight(tensor, name not in fleeting, [])
    return found


def is_parameter(weight: Weight) -> bool:
    """Return whether a tensor is a parameter, not a buffer."""
    return isinstance(weight.tensor, Parameter)


@contextlib.contextmanager
def standing_in(weights: Mapping[str, Weight], arrays: Mapping[str, jax.Array]) -> Iterator[None]:
    """Set the arrays of tensors for a block, to JAX's tracers.

    Writes in the block are part of the program, and are undone afterwards.
    """
    before = [(w.tensor, w.tensor._array, w.tensor._meta) for w in weights.values()]
    try:
        for name, weight in weights.items():
            weight.tensor._array, weight.tensor._meta = arrays[name], None
        yield
    finally:
        for tensor, array, meta in before:
            tensor._array, tensor._meta = array, meta
