"""Types that the files of this subpackage share; they import them under ``if TYPE_CHECKING``."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import jax
    from jax.core import ShapedArray

    from jaxeager.graph.meta import Edge
    from jaxeager.graph.node import GradNode
    from jaxeager.tensor.tensor import Tensor

Kernel: TypeAlias = Callable[..., Any]
"""A jitted function of arrays, or a function that replaces one."""

Rule: TypeAlias = Callable[..., Any]
"""A pure function of arrays and static values, which a kernel is made from."""

Function: TypeAlias = Callable[..., Any]
"""A public function, or what runs its calls."""

Named: TypeAlias = dict[str, Any]
"""Values by name: arguments of a call, arrays or attributes."""

Grads: TypeAlias = "list[jax.Array | None]"
"""The gradients that a node receives; None for a missing one."""

RunVJP: TypeAlias = "Callable[[GradNode, Grads], Gradients]"
"""A function of (node, gradients) that returns a gradient or None per edge of the node."""

Items: TypeAlias = tuple[Any, ...]
"""Positional values: arguments of a call, operands, results, or a key made of them."""

Gradients: TypeAlias = Items
"""The gradients that a node makes, one per edge: arrays, FewRows, or None."""

Operands: TypeAlias = Items
"""The operands of a call: Tensors, bare arrays, numbers, None, and lists of Tensors."""

Attrs: TypeAlias = Items
"""The static attributes of a call, in the row's order."""

Scalars: TypeAlias = Items
"""The run-time scalars of a call: numbers, which become 0-D arrays."""

Value: TypeAlias = "jax.Array | list[jax.Array] | None"
"""The array of an operand: several for a list of Tensors, None for an operand not given."""

Arrays: TypeAlias = list[Any]
"""The arrays of a call's operands, each a ``Value``."""

Outs: TypeAlias = "jax.Array | tuple[jax.Array, ...]"
"""The results of a kernel."""

Results: TypeAlias = "Tensor | tuple[Tensor, ...] | list[Tensor]"
"""The results of a call."""

Aval: TypeAlias = "ShapedArray | jax.ShapeDtypeStruct"
"""A shape and a dtype."""

Reader: TypeAlias = tuple[int, set[type], bool]
"""An operand's slot, its types other than Tensor, and whether it gets gradients."""

Edges: TypeAlias = "Sequence[Edge | None]"
"""An Edge per differentiable tensor of a call, flat; None for one without gradient."""

Mask: TypeAlias = tuple[bool | None, ...]
"""Whether the gradient is wanted, per edge; None for an optional operand that was not given."""

Ranks: TypeAlias = tuple[int | None, ...] | None
"""The length of the list, or None, per differentiable operand; None without lists."""

Shapes: TypeAlias = Items
"""A (shape, dtype), a tuple of them for a list, or None, per name of a row's ``shapes``."""
