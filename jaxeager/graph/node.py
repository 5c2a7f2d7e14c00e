"""GradNode and GradNodeAccumulation: the nodes that the engine runs.

Note [Ways to run]
    A node runs in one of two ways. ``run`` takes and returns arrays: for ``backward()``.
    ``run_tensors`` takes and returns Tensors: for ``paddle.grad``, and for gradients that must be
    differentiable again. Neither runs hooks: the caller checks the node's ``hooks``, and calls
    graph/hooks.py when there are any.
"""

# Fields of Tensors have an underscore in front: they belong to the package, not to its users.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from jaxeager.core import ports
from jaxeager.errors import FatalError, InvalidArgumentError
from jaxeager.graph import rows
from jaxeager.graph.grad_tensor_holder import add_arrays
from jaxeager.graph.hook_tensors import as_arrays, as_constants
from jaxeager.graph.hooks import NodeHooks, register_post_hook, register_pre_hook
from jaxeager.graph.journal import Journal, accumulating
from jaxeager.graph.meta import AutogradMeta, Edge, GradSlotMeta

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

    import jax
    from jax.core import ShapedArray

    from jaxeager.graph.hooks import TensorHookRemoveHelper
    from jaxeager.graph.types import (
        Gradient,
        Hook,
        Items,
        Mask,
        Node,
        Observable,
        Row,
        Saved,
        Tensor,
    )

_NO_NOTES: dict[str, Any] = {}
_pointers = itertools.count(0x55C0_0000_0000, 0x40)


def next_pointer() -> int:
    """Return a number that looks like an address and is never used again."""
    return next(_pointers)


def pointer_of(thing: Observable) -> int:
    """Return the number of a node or a Storage: in order of first use, unique."""
    try:
        return thing.pointer
    except AttributeError:
        thing.pointer = next(_pointers)
        return thing.pointer


class GradNode:
    """The record of one op call: the data for its VJP kernel, and the targets of the results.

    Attributes:
        op: the forward op; it has ``grad_name`` and ``run_vjp(node, grads)``.
        attrs: the static attributes of the call, in the op's order.
        scalars: the run-time scalars of the call, as 0-D arrays.
        edges: one Edge or None (no gradient needed) per differentiable input tensor, flat.
        mask: per edge whether it exists; None for an optional operand that was not given.
        ranks: per input slot the number of tensors when it is a list, else None; None when no
            operand is a list.
        saved: a TensorWrapper (None for an operand that was None, a list for a list operand) per
            name in the op's ``saves``.
        shapes: the aval, shape and dtype, per name in the op's ``shapes``.
        out_avals: the aval of each forward output, except hidden ones.
        width: number of forward outputs, and so of gradients that the node takes.
        released: whether the saved tensors were freed.
        hooks: a NodeHooks; None before the first hook.
        stack: the Python stack of the forward call; set when FLAGS_call_stack_level is 3.
        notes: a dict of data of tools; not set before the first use.
        pointer: its number for ``node_ptr``; not set before the first use.
    """

    __slots__ = (
        "__weakref__", "attrs", "edges", "hooks", "mask", "notes", "op", "out_avals", "pointer",
        "ranks", "released", "saved", "scalars", "shapes", "stack", "width",
    )  # fmt: skip

    is_leaf = False
    attrs: Items
    edges: tuple[Edge | None, ...]
    mask: Mask
    notes: dict[str, Any]
    op: Row
    out_avals: tuple[ShapedArray, ...]
    pointer: int
    saved: Saved
    scalars: Items
    shapes: Items
    stack: Any
    width: int
    if TYPE_CHECKING:  # members of a leaf alone, which are used where ``is_leaf`` is True
        meta: weakref.ref[AutogradMeta]
        sharding: Any
        tensor_name: str | None

        def accumulate(self, grad: Gradient | None, journal: Journal) -> None: ...

    def __init__(self):
        self.attrs = self.scalars = self.saved = self.shapes = ()
        self.hooks: NodeHooks | None = None
        self.ranks: tuple[int | None, ...] | None = None
        self.released = False

    def name(self) -> str:
        """Return Paddle's name of the node, for example "MultiplyGradNode".

        A node recorded under FLAGS_enable_unique_name has a numbered one: "multiply1GradNode".
        """
        return getattr(self, "notes", _NO_NOTES).get("name") or self.op.grad_name

    @property
    def next_functions(self) -> list[Node | None]:
        """Return the target nodes of its gradients, one per input tensor, or None for no target.

        An optional operand that was not given has no entry.
        """
        return [
            None if edge is None else edge.node
            for edge, is_wanted in zip(self.edges, self.mask, strict=True)
            if is_wanted is not None
        ]

    @property
    def in_meta(self) -> tuple[tuple[GradSlotMeta, ...], ...]:
        """Return the GradSlotMeta of the forward outputs, by slot and rank."""
        metas = [GradSlotMeta(False, np.dtype(a.dtype), a.shape, None) for a in self.out_avals]
        return (tuple(metas),) if self.op.returns_list else tuple((meta,) for meta in metas)

    def input_meta(self) -> tuple[tuple[GradSlotMeta, ...], ...]:
        """Return ``in_meta``, the inputs of backward. Paddle: it cannot be read there."""
        return self.in_meta

    def output_meta(self) -> tuple[tuple[GradSlotMeta, ...], ...]:
        """Return ``out_meta``, the results of backward. Paddle: it cannot be read there."""
        return self.out_meta

    @property
    def out_meta(self) -> tuple[tuple[GradSlotMeta, ...], ...]:
        """Return the GradSlotMeta of the differentiable forward inputs, by slot and rank."""
        kinds = [aval or (None, None) for aval in self.op.input_avals(self)]
        metas = [
            GradSlotMeta(edge is None, dtype, shape, edge)
            for edge, (shape, dtype) in zip(self.edges, kinds, strict=True)
        ]
        if self.ranks is None:
            return tuple((meta,) for meta in metas)
        slots: list[tuple[GradSlotMeta, ...]] = []
        start = 0
        for rank in self.ranks:
            width = 1 if rank is None else rank
            slots.append(tuple(metas[start : start + width]))
            start += width
        return tuple(slots)

    def run(
        self, grads: list[jax.Array | None], retain_graph: bool, journal: Journal | None = None
    ) -> Sequence[jax.Array | None]:
        """Return the gradient of each input along its edges; None where none is needed.

        Unless ``retain_graph``, the saved tensors are freed as soon as the kernel was called.
        Leaves record their changes in the journal.

        Raises:
            FatalError: when the saved tensors were freed by an earlier backward.
            PermissionDeniedError: when a saved tensor was written in place since.
        """
        if self.released:
            self.raise_released()
        try:
            results = self.op.run_vjp(self, grads)
        except ValueError:
            if self.released:  # by another thread, while this one read the saved tensors
                self.raise_released()
            raise
        if not retain_graph:
            self.released = True
            self.saved = self.scalars = ()
        return results

    def run_tensors(
        self, grads: list[Gradient | None], create_graph: bool, retain_graph: bool
    ) -> Sequence[Gradient | None]:
        """Do the work of ``run``, on Tensors.

        With ``create_graph`` the VJP is an ordinary op, recorded when grad mode is on.

        Raises:
            FatalError: when the saved tensors were freed by an earlier backward.
            PermissionDeniedError: when a saved tensor was written in place since.
        """
        if self.released:
            self.raise_released()
        if create_graph:
            results = self.op.record_vjp(self, grads)
        else:
            results = as_constants(self.run(as_arrays(grads), True))
        if not retain_graph:
            self.release()
        return results

    def raise_released(self) -> NoReturn:
        """Raise Paddle's error for a second backward."""
        raise FatalError(
            f"The TensorWrappers of {self.name()} do not exist. This may be because:\n"
            "You calculate backward twice for the same subgraph without setting "
            "retain_graph=True. Please set retain_graph=True in the first backward/grad call."
        )

    def _register_post_hook(self, hook: Hook) -> TensorHookRemoveHelper:
        """Add a hook ``fn(outputs, inputs)`` that sees and replaces the gradients the node makes.

        ``outputs`` are the gradients the node made, ``inputs`` those it took, as tuples with None
        for a missing one. The hook returns a list or tuple as long as ``outputs``.

        Example:
            >>> import jaxeager as paddle
            >>> x = paddle.to_tensor([1.0], stop_gradient=False)
            >>> y = x * 2
            >>> handle = y.grad_fn._register_post_hook(lambda outputs, inputs: [outputs[0] + 1])
            >>> y.backward()
            >>> x.grad.tolist()
            [3.0]
        """
        return register_post_hook(self, hook)

    def _register_pre_hook(self, hook: Hook) -> TensorHookRemoveHelper:
        """Add a hook ``fn(inputs)`` that sees and replaces the gradients the node takes.

        The hook returns a tuple as long as ``inputs``, or None to keep them.
        """
        return register_pre_hook(self, hook)

    def extract(
        self,
        folder: str | PathLike[str],
        loss: Tensor | None = None,
        grads: object = None,
        step: object = None,
    ) -> list[Path]:
        """Write this gradient as a separate program, which runs with JAX alone.

        The arguments and errors are those of ``jaxeager.debug.extract``.

        Example:
            >>> import jaxeager as paddle
            >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
            >>> y = x * x
            >>> [path.name for path in y.grad_fn.extract(getfixture("tmp_path"), loss=y)]
            ['MultiplyGradNode.py', 'MultiplyGradNode_vjp.mlir']
        """
        return ports.extract_node(self, folder, loss, grads, step)

    def release(self) -> None:
        """Free the saved tensors; the node stays, and raises an error when it is run again."""
        self.released = True
        self.saved = self.scalars = ()

    def node_ptr(self) -> int:
        """Return the node's number, which looks like an address and is never used again."""
        return pointer_of(self)

    def __repr__(self) -> str:
        return f"<{self.name()} at {self.node_ptr():#x}>"

    _repr_html_ = ports.notebook_form


def note_given_name(node: Node, position: int, name: str) -> None:
    """Store the name that a user has given to an output of a node, or to a leaf."""
    if node.is_leaf:
        node.tensor_name = name
        if "tensor" in getattr(node, "notes", _NO_NOTES):
            node.notes["tensor"] = name
        return
    if getattr(node, "notes", None) is None:
        node.notes = {}
    node.notes.setdefault("given", {})[position] = name


def given_name(node: Node, position: int) -> str:
    """Return the name a user has given to an output of a node, or to a leaf, else ""."""
    if node.is_leaf:
        return node.tensor_name or ""
    return getattr(node, "notes", _NO_NOTES).get("given", {}).get(position, "")


class GradNodeAccumulation:
    """The end of the graph at one leaf: it adds gradients to the leaf's ``grad``."""

    __slots__ = ("hooks", "meta", "notes", "pointer", "tensor_name")

    is_leaf = True
    released = False
    edges: tuple[Edge | None, ...] = ()
    width = 1
    sharding: Any = (
        None  # how its gradients are divided over several devices: graph/sharded_leaf.py
    )
    notes: dict[str, Any]
    pointer: int
    if TYPE_CHECKING:  # members of the other nodes alone, which are used where ``is_leaf`` is False
        mask: Mask
        op: Row
        out_avals: tuple[ShapedArray, ...]
        ranks: tuple[int | None, ...] | None

        def raise_released(self) -> NoReturn: ...

        def run_tensors(
            self, grads: list[Gradient | None], create_graph: bool, retain_graph: bool
        ) -> Sequence[Gradient | None]: ...

    def __init__(self, meta: weakref.ref[AutogradMeta], tensor_name: str | None = None):
        self.meta = meta  # a weak reference, because the meta holds this node
        self.tensor_name = tensor_name
        self.hooks: NodeHooks | None = None

    def name(self) -> str:
        """Return "GradNodeAccumulation"."""
        return "GradNodeAccumulation"

    @property
    def next_functions(self) -> list[None]:
        """Return one None, as Paddle does: a leaf has no upstream node."""
        return [None]

    @property
    def saved(self) -> tuple[jax.Array, ...]:
        """Return the gradient that will be added to, if there is one: for tools."""
        meta = self.meta()
        if meta is None or meta.grad is None:
            return ()
        return (meta.grad._whole,)

    in_meta: tuple[()] = ()
    out_meta: tuple[()] = ()

    def input_meta(self) -> tuple[()]:
        """Return no metas: a leaf made nothing."""
        return ()

    output_meta = input_meta

    def _register_post_hook(self, hook: Hook) -> NoReturn:
        """Raise an error: a leaf makes no gradients; hooks are registered on the tensor."""
        raise InvalidArgumentError(
            "Could not register hook for GradNodeAccumulation. Use Tensor.register_hook, or "
            "Tensor._register_backward_hook for a hook that runs afterwards."
        )

    _register_pre_hook = _register_post_hook

    def run(self, grads: list[jax.Array | None], retain_graph: bool, journal: Journal) -> tuple[()]:
        """Add the gradient to the leaf's ``grad``, as a new Tensor; see Note [Journal]."""
        meta, grad = self.meta(), grads[0]
        if meta is not None and grad is not None:
            with accumulating:
                old = meta.grad
                if rows.seen:
                    if old is not None:
                        grad = add_arrays(rows.array_of(old), grad)
                    journal.set_grad(meta, rows.as_gradient(grad, False))
                else:
                    if old is not None:
                        grad = add_arrays(old._array, grad)
                    journal.set_grad(meta, ports.as_tensor(grad, False))
        return ()

    def accumulate(self, grad: Gradient | None, journal: Journal) -> None:
        """Do the work of ``run`` on a Tensor that is part of a graph (``create_graph``)."""
        meta = self.meta()
        if meta is not None and grad is not None:
            with accumulating:
                old = meta.grad
                journal.set_grad(meta, grad if old is None else old.to_dense() + grad)

    def release(self) -> None:
        """Do nothing: a leaf saves nothing."""

    def node_ptr(self) -> int:
        """Return the node's number, which looks like an address and is never used again."""
        return pointer_of(self)

    def __repr__(self) -> str:
        return f"<GradNodeAccumulation at {self.node_ptr():#x}>"


_making = threading.Lock()


def gradient_edge(meta: AutogradMeta, tensor_name: str | None = None) -> Edge:
    """Return the edge of a tensor's gradient; a leaf gets its GradNodeAccumulation."""
    if meta.node is None:
        with _making:  # threads may reach a new leaf together, and must get the same node
            if meta.node is None:
                meta.node = GradNodeAccumulation(weakref.ref(meta), tensor_name)
    return meta


def leaf_of(meta: AutogradMeta, tensor_name: str | None) -> GradNodeAccumulation:
    """Return the node of a leaf.

    Raises:
        InvalidArgumentError: when the tensor is not a leaf.
    """
    if not meta.is_leaf():
        raise InvalidArgumentError(
            "Only can register backward hook for leaf Tensor, but this one was made by "
            f"{meta.node.name()}."  # pyright: ignore[reportOptionalMemberAccess]  # no leaf
        )
    return gradient_edge(meta, tensor_name).node  # pyright: ignore[reportReturnType]  # a leaf's
