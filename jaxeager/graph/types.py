"""Types of the graph's signatures: what it needs of Tensors and ops, which upper layers make.

They are for type checkers and readers: modules import them under ``if TYPE_CHECKING``.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

if TYPE_CHECKING:
    import jax
    import numpy as np

    from jaxeager.graph.few_rows import FewRows
    from jaxeager.graph.meta import AutogradMeta, Edge
    from jaxeager.graph.node import GradNode, GradNodeAccumulation
    from jaxeager.graph.rows import Rows
    from jaxeager.graph.views.storage import Storage
    from jaxeager.graph.views.view_places import AnyPlace


class Tensor(Protocol):
    """A Tensor: its array, its memory, and its AutogradMeta or None; see tensor/tensor.py."""

    _array: "jax.Array"
    _meta: Any  # a Parameter always has one
    _storage: "Storage"
    _view: "AnyPlace"


class Gradient(Tensor, Protocol):
    """A Tensor as a gradient, which is a SelectedRows when it has rows."""

    _meta: "AutogradMeta | None"

    @property
    def _rows(self) -> "Rows | FewRows | None": ...

    @property
    def _whole(self) -> "jax.Array": ...

    @property
    def _held(self) -> "jax.Array": ...

    @property
    def stop_gradient(self) -> bool:
        """Return whether it is a constant."""
        ...

    def to_dense(self) -> "Gradient":
        """Return it without rows."""
        ...

    def detach(self) -> "Gradient":
        """Return one of the same values that is a constant."""
        ...

    def __add__(self, other: "Gradient", /) -> "Gradient": ...

    def __sub__(self, other: "Gradient", /) -> "Gradient": ...


class StaleTensor(Tensor, Protocol):
    """A Tensor of a class of stale tensors: see graph/views/stale.py."""

    _fresh_class: ClassVar[type]


class Observable(Protocol):
    """A node or a Storage, to which tools give a number."""

    pointer: int


Node: TypeAlias = "GradNode | GradNodeAccumulation"
"""A node of the graph; ``is_leaf`` tells which of the two."""

Kind: TypeAlias = "tuple[tuple[int, ...], np.dtype]"
"""The shape and dtype of an array."""

Mask: TypeAlias = "tuple[bool | None, ...]"
"""Which edges of a node exist; None for an optional operand that was not given."""

Saved: TypeAlias = "Items"
"""What a node saves: a TensorWrapper per operand, a list of them for a list, None for None."""

Listener: TypeAlias = Callable[..., object]
"""A function of what happened: a method of an observer, or several in one."""

Event: TypeAlias = Listener | None
"""The function that sends an event; None while no tool needs it."""

Items: TypeAlias = tuple[Any, ...]
"""Operands, attributes or outputs of an op."""

Arrays: TypeAlias = "Sequence[jax.Array | None]"
"""Gradients, None for a missing one."""

Grad: TypeAlias = Any
"""A gradient in a run of the engine: an array, a Tensor, or a number in a plan."""

Roots: TypeAlias = "Sequence[tuple[Edge, Grad]]"
"""The edges of the tensors where a backward begins, with their gradients."""

Row: TypeAlias = Any
"""An OpRow of ops, or what takes its place; upper layers define both."""

UpperTensor: TypeAlias = Any
"""A Tensor with all its methods, which upper layers define."""

Hook: TypeAlias = Callable[..., Any]
"""A user's function of gradients, or of what is saved."""

PackHooks: TypeAlias = tuple[Hook, Hook]
"""The functions (pack, unpack) of ``saved_tensors_hooks``."""
