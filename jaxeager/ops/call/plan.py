"""Plan: the properties of a row that the path of a call needs, computed before the first call."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxeager.ops.row import OpRow


class Plan:
    """The properties of an op that each of its calls reads.

    Attributes:
        row: the op.
        met: the slots of the operands that promotion casts to one dtype; None without promotion.
        kernels: jitted forward kernels by attributes.
        record_kernels: the kernels of recorded calls, which return hidden outputs too.
        count: how many outputs a call returns; 0 for a list.
        hidden: how many more a recorded call has.
        kept: the slot of each name that a node saves; ``~slot``, below 0, for an output.
        kinds: the slots of the operands whose shape and dtype a node keeps.
        tensors: the slots of the differentiable operands; empty when one of these is a list.
        masks_none: whether a node's mask marks those that were not given.
    """

    __slots__ = (
        "count", "hidden", "is_differentiable", "is_view", "kept", "kernels", "kinds", "masks_none",
        "met", "record_kernels", "returns_list", "row", "tensors",
    )  # fmt: skip

    def __init__(self, row: OpRow):
        self.row = row
        self.is_differentiable = row.is_differentiable
        self.is_view = row.view is not None
        self.returns_list = row.returns_list
        has_list = any(each.is_list for each in row.differentiable)
        self.tensors: tuple[int, ...] = (
            () if has_list else tuple([each.slot for each in row.differentiable])
        )
        self.met: tuple[int, int] | None = None
        if row.promote == "float":
            self.met = (0, 0)
        elif row.promote is not None:
            self.met = (row.slots["x"], row.slots["y"])
        self.kernels = row.forward_kernels
        self.record_kernels = row.record_kernels
        self.count = 0 if row.returns_list else len(row.outputs)
        self.hidden = len(row.hidden)
        self.masks_none = row.has_optional and not row.has_lists
        self.kept = tuple(
            [
                row.slots[name] if name in row.slots else ~row.output_slots[name]
                for name in row.saves
            ]
        )
        self.kinds = tuple([row.slots[name] for name in row.shapes])


plan_of = functools.cache(Plan)
