"""Tensors as nodes of JAX's trees: ``jax.tree.map`` maps over their arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax

from jaxeager.graph.meta import AutogradMeta
from jaxeager.ops.call import dispatch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jaxeager.tensor.tensor import Parameter, Tensor


def register_class(tensor_class: type) -> None:
    """Register a class whose instances come back as Tensors."""
    jax.tree_util.register_pytree_node(tensor_class, _flatten, _unflatten)


def register_parameter_class(parameter_class: type) -> None:
    """Register a class whose instances come back as such, with the options that are the default."""

    def unflatten(aux: tuple[bool], children: Sequence[jax.Array]) -> Parameter:
        plain = dispatch.wrap(children[0], stop_gradient=aux[0])
        made: Any = object.__new__(parameter_class)
        made._array, made._storage, made._name = plain._array, plain._storage, None
        made._meta = AutogradMeta(True) if aux[0] else dispatch.leaf_meta()
        made._set_options({})
        return made

    jax.tree_util.register_pytree_node(parameter_class, _flatten, unflatten)


def _flatten(tensor: Tensor) -> tuple[tuple[jax.Array], tuple[bool]]:
    return (tensor._array,), (tensor.stop_gradient,)


def _unflatten(aux: tuple[bool], children: Sequence[jax.Array]) -> Tensor:
    return dispatch.wrap(children[0], stop_gradient=aux[0])
