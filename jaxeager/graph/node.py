"""GradNode and GradNodeAccumulation: what the engine runs."""

from collections.abc import Callable
from typing import ClassVar, NoReturn

import numpy as np

from jaxeager.errors import FatalError
from jaxeager.graph.holder import add_arrays
from jaxeager.graph.meta import Edge, GradSlotMeta


class GradNode:
    """The record of one op call: what backward needs to run its VJP kernel, and where to send it.

    Attributes:
        op: what ran forward; it gives ``grad_name`` and ``run_vjp(node, grads)``.
        attrs: the static attributes of the call, in the op's order.
        scalars: the run-time scalars of the call, as 0-D arrays.
        edges: one Edge or None (no gradient wanted) per differentiable input tensor, flat.
        mask: per edge whether it is there; None for an optional operand that was not given.
        ranks: per input slot the number of tensors when it is a list, else None; None when no
            operand is a list.
        saved: a TensorWrapper (None for an operand that was None, a list for a list operand) per
            name in the op's ``saves``.
        shapes: (shape, dtype) per name in the op's ``shapes``.
        out_avals: shape and dtype of each forward output, hidden ones left out.
        width: number of forward outputs, and so of gradients the node takes.
        released: whether the saved tensors were let go.
    """

    __slots__ = (
        "attrs", "edges", "mask", "op", "out_avals", "ranks", "released", "saved", "scalars",
        "shapes", "width",
    )  # fmt: skip

    is_leaf = False

    def name(self) -> str:
        """Returns Paddle's name of the node, for example "MultiplyGradNode"."""
        return self.op.grad_name

    @property
    def next_functions(self) -> list:
        """The nodes its gradients go to, one per input tensor; None where none is wanted.

        An optional operand that was not given has no entry.
        """
        return [
            None if edge is None else edge.node
            for edge, is_wanted in zip(self.edges, self.mask, strict=True)
            if is_wanted is not None
        ]

    @property
    def in_meta(self) -> tuple[tuple[GradSlotMeta, ...], ...]:
        """GradSlotMeta of the forward outputs, by slot and rank."""
        metas = [GradSlotMeta(False, np.dtype(a.dtype), a.shape, None) for a in self.out_avals]
        return (tuple(metas),) if self.op.returns_list else tuple((meta,) for meta in metas)

    @property
    def out_meta(self) -> tuple[tuple[GradSlotMeta, ...], ...]:
        """GradSlotMeta of the differentiable forward inputs, by slot and rank."""
        avals = self.op.input_avals(self)
        metas = [
            GradSlotMeta(edge is None, *(aval or (None, None))[::-1], edge)
            for edge, aval in zip(self.edges, avals, strict=True)
        ]
        if self.ranks is None:
            return tuple((meta,) for meta in metas)
        slots, start = [], 0
        for rank in self.ranks:
            width = 1 if rank is None else rank
            slots.append(tuple(metas[start : start + width]))
            start += width
        return tuple(slots)

    def run(self, grads: list, retain_graph: bool) -> tuple:
        """Returns the gradient of each input along its edges; None where none is wanted.

        Unless ``retain_graph``, the saved tensors are let go as soon as the kernel was called.

        Raises:
            FatalError: when the saved tensors were let go by an earlier backward.
            PermissionDeniedError: when a saved tensor was written in place since.
        """
        if self.released:
            self.raise_released()
        results = self.op.run_vjp(self, grads)
        if not retain_graph:
            self.released = True
            self.saved = self.scalars = ()
        return results

    def raise_released(self) -> NoReturn:
        """Raises Paddle's error for a second backward."""
        raise FatalError(
            f"The TensorWrappers of {self.name()} do not exist. This may be because:\n"
            "You calculate backward twice for the same subgraph without setting "
            "retain_graph=True. Please set retain_graph=True in the first backward/grad call."
        )

    def release(self) -> None:
        """Lets the saved tensors go; the node stays, and says so when it is run again."""
        self.released = True
        self.saved = self.scalars = ()

    def node_ptr(self) -> int:
        """Returns a number that names this node while it lives."""
        return id(self)

    def __repr__(self) -> str:
        return f"<{self.name()} at {id(self):#x}>"


class GradNodeAccumulation:
    """The end of the graph at one leaf: adds what arrives to the leaf's ``grad``."""

    __slots__ = ("meta", "tensor_name")

    is_leaf = True
    released = False
    edges: tuple[Edge | None, ...] = ()
    width = 1
    as_tensor: ClassVar[Callable]  # array -> Tensor: what a leaf shows as .grad; tensor.py sets it

    def __init__(self, meta, tensor_name: str | None = None):
        self.meta = meta  # a weak reference, because the meta is what holds this node
        self.tensor_name = tensor_name

    def name(self) -> str:
        """Returns "GradNodeAccumulation"."""
        return "GradNodeAccumulation"

    @property
    def next_functions(self) -> list:
        """A leaf has nothing behind it: one None, as Paddle shows it."""
        return [None]

    in_meta: tuple = ()
    out_meta: tuple = ()

    def run(self, grads: list, retain_graph: bool) -> tuple:
        """Adds the gradient to the leaf's ``grad``, as a new Tensor."""
        meta, grad = self.meta(), grads[0]
        if meta is None or grad is None:
            return ()
        if meta.grad is not None and not meta.grad_is_zeroed:
            grad = add_arrays(meta.grad._storage.array, grad)
        meta.grad = type(self).as_tensor(grad)
        meta.grad_is_zeroed = False
        return ()

    def release(self) -> None:
        """A leaf saves nothing."""

    def node_ptr(self) -> int:
        """Returns a number that names this node while it lives."""
        return id(self)

    def __repr__(self) -> str:
        return f"<GradNodeAccumulation at {id(self):#x}>"
