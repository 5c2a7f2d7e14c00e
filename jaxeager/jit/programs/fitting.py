"""The check whether the tensors of a call are like those at the capture of a program.

Note [What a program depends on in a gradient]
    A gradient that exists when a marked function starts takes part in it: backward adds to it, an
    optimizer's step uses it. So a program is for calls with the same gradients, present or absent,
    of the tensors whose gradient the function reads, sets or adds to. During a trace these tensors
    have an AutogradMeta that notes it (``TracedMeta``). Others are not checked, so that a forward
    is one program whether or not a backward has run before. Whether an absent gradient is None or
    zeros that are not made yet matters only where the function reads that, as ``Tensor.grad`` does,
    and as an optimizer does for a parameter without a gradient.

Note [Written tensors that share memory]
    A program reads each tensor with its value from before the call, so a written tensor must not
    share its memory with another tensor that the program uses. A function that does so during its
    capture makes no program. A call in which an argument shares its memory in this way does not fit
    a program that was captured without it. Where nothing is written, sharing does not matter.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jaxeager.core.itemgetters import picker
from jaxeager.jit.capture.captured import Captured, Expected
from jaxeager.jit.capture.lifted import ABSENT, NONE, THERE, UNSEEN, ZEROS, gradient_is, hooks_of
from jaxeager.kernels.call_shapes import Change

if TYPE_CHECKING:
    from jaxeager.tensor import Tensor

_GRADIENTS = {ABSENT: "absent", NONE: "None", ZEROS: "zeros", THERE: "present"}

_meta_of = operator.attrgetter("_meta")
_stops_of = operator.attrgetter("stop_gradient")
_grad_of = operator.attrgetter("grad")
_zeros_of = operator.attrgetter("zeros")
_node_of = operator.attrgetter("node")
_storage_of = operator.attrgetter("_storage")
_sharers_of = operator.attrgetter("sharers")


class _QuickCheck:
    """A quick check whether tensors have not changed, for programs that take no gradients.

    It checks that those without an autograd identity still have none (moments, powers, masks: most
    of those of a step), which of the others stop gradients, and that there are neither gradients
    nor hooks where the program adds to gradients, or sets them. Arguments need no other check: a
    program is looked up by their properties.

    Args:
        tensors: those of ``Captured``.
        expected: the expected properties of each.
        used: the numbers of those that a program holds.
    """

    __slots__ = ("_constants", "_count", "_empty", "_graded", "_others", "_stops", "_without")

    def __init__(self, tensors: Sequence, expected: list[Expected], used: set[int]):
        plain = [at for at in used if tensors[at]._meta is None and expected[at].stops]
        graded = [at for at, each in enumerate(expected) if each.gradient != UNSEEN]
        rest = sorted((used - set(plain)) | set(graded))
        without = [at for at in graded if expected[at].gradient == NONE]
        self._constants, self._others = picker(plain), picker(rest)
        self._graded = picker(list(map(rest.index, graded)))
        self._without = picker(list(map(rest.index, without)))
        self._count, self._empty = len(plain), (len(graded), len(without))
        self._stops = [expected[at].stops for at in rest]

    def passes(self, tensors: Sequence) -> bool:
        """Return True when they have not changed; False may be wrong."""
        if list(map(_meta_of, self._constants(tensors))).count(None) != self._count:
            return False
        metas = list(map(_meta_of, self._others(tensors)))
        if None in metas or list(map(_stops_of, metas)) != self._stops:
            return False
        return self._empty[0] == 0 or self._are_empty(metas)

    def _are_empty(self, metas: list) -> bool:
        """Return whether there are no gradients and no hooks where the program sets gradients."""
        graded = self._graded(metas)
        if list(map(_grad_of, graded)).count(None) != self._empty[0]:
            return False
        if list(map(_zeros_of, self._without(metas))).count(None) != self._empty[1]:
            return False
        nodes = list(map(_node_of, graded))
        return nodes.count(None) == self._empty[0] or all(
            node is None or node.hooks is None for node in nodes
        )


class Fit:
    """The properties of the tensors of a call on which a program depends.

    Args:
        found: the Captured of the program.
        count: the number of arguments among its tensors.
        taken: the numbers of those that it takes.

    Attributes:
        gradients: (number, owner) of each tensor that is the gradient of another one.
        unheld: the numbers of such tensors, and of gradients that the program does not take.
        storages: those of written tensors, as last found by ``is_for``.
    """

    def __init__(self, found: Captured, count: int, taken: set[int]):
        expected = found.expected
        self._expected, self._count = expected, count
        self._grads_of = [each for each in found.grads_of if expected[each[1]].gradient == THERE]
        self.gradients = [each for each in self._grads_of if each[0] >= count]
        untaken = [at for at, _ in found.grads_of if at >= count and at not in taken]
        self.unheld = {*untaken, *[at for at, _ in self.gradients]}
        can_tell = all(
            each.gradient == UNSEEN or (each.gradient in (ABSENT, NONE) and not each.hooks)
            for each in expected
        )
        held = set(range(count, len(expected))) - self.unheld
        self._quick_check = _QuickCheck(found.tensors, expected, held) if can_tell else None
        self._written = picker([each.lifted for each in found.written])
        self._changes = bool(found.written or found.graded or found.stopped)
        self._ids = set(map(id, found.tensors[count:]))
        self.storages: list = []

    def is_for(self, tensors: Sequence[Tensor | None]) -> bool:
        """Return whether a program is for these tensors, from ``Program.tensors_of``."""
        is_alike = self._quick_check is not None and self._quick_check.passes(tensors)
        if not is_alike and not self._each_fits(tensors):
            return False
        return not (self._changes and self._share(tensors))

    def _each_fits(self, tensors: Sequence[Any]) -> bool:
        for tensor, (stops, gradient, hooks) in zip(tensors, self._expected, strict=True):
            if tensor is None:  # a gradient that the program does not take
                continue
            meta = tensor._meta
            if (meta is None or meta.stop_gradient) is not stops:
                return False
            if gradient != UNSEEN and not (gradient_is(meta, gradient) and hooks_of(meta) == hooks):
                return False
        return all(tensors[at] is tensors[owner]._meta.grad for at, owner in self._grads_of)

    def unfit(self, tensors: Sequence[Any]) -> list[Change]:
        """Return why ``is_for`` returns False, for each tensor that has changed."""
        found = []
        for tensor, (stops, gradient, hooks) in zip(tensors, self._expected, strict=True):
            if tensor is None:
                continue
            meta, name = tensor._meta, tensor.name
            if (meta is None or meta.stop_gradient) is not stops:
                found.append(Change(f"stop_gradient of {name}", (stops, not stops)))
            if gradient != UNSEEN and not gradient_is(meta, gradient):
                now = "absent" if meta is None or meta.grad is None else "present"
                found.append(Change(f"gradient of {name}", (_GRADIENTS[gradient], now)))
            if gradient != UNSEEN and hooks_of(meta) != hooks:
                counts = len(hooks), len(hooks_of(meta))
                shown = counts if counts[0] != counts[1] else ("as captured", "others")
                found.append(Change(f"hooks of {name}", shown))
        if not found:  # then each of these owners has a gradient
            found = [
                Change(f"gradient of {tensors[owner].name}", ("a given tensor", "another"))
                for at, owner in self._grads_of
                if tensors[at] is not tensors[owner]._meta.grad
            ]
        if not found and self._changes and self._share(tensors):
            found.append(Change("tensors that share memory with a written one", (0, "some")))
        return found

    def _share(self, tensors: Sequence[Tensor | None]) -> bool:
        """Return whether a written tensor shares its memory with another used tensor."""
        if not self._ids.isdisjoint(map(id, tensors[: self._count])):
            return True
        storages = self.storages = list(map(_storage_of, self._written(tensors)))
        if list(map(_sharers_of, storages)).count(None) == len(storages):
            return False
        written = set(map(id, storages))
        used = [id(tensor._storage) for tensor in tensors if tensor is not None]
        return sum(each in written for each in used) > len(written)
