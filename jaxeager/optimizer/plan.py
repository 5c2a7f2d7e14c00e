"""The plan of a step: its executable, its memory, and the data that determined them."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from jaxeager.graph.views.view_places import elements_key
from jaxeager.nn.clip import ClipGradBase
from jaxeager.optimizer import fused
from jaxeager.tensor import Tensor

# The properties of a parameter with a gradient that may change from step to step: its index, its
# factor of the learning rate, its regularizer, and whether it is clipped. A tuple: made per step.
ParamSettings = tuple[int, float, Any, bool]


class Plan(NamedTuple):
    """A prepared step; it is used again while nothing of its description changes."""

    settings: list[ParamSettings]
    options: list[tuple]
    params: list[Tensor]
    buffers: fused.Buffers
    run: Callable
    names: list[str]
    pick: Callable[[list], tuple]
    functions: tuple = ()


class Layout:
    """The tensors of a step, each with its position in the list of buffers."""

    def __init__(self, params: list[Tensor]):
        self.tensors: list[Tensor] = []
        self._positions: dict[int, int] = {}
        for param in params:
            self.place(param)

    def place(self, tensor: Tensor) -> int:
        """Return the position of a tensor, at the end when it is new.

        Parameters with the same memory (``second.data = first``) have one position: they are
        updated in succession.
        """
        position = self._positions.setdefault(elements_key(tensor), len(self.tensors))
        if position == len(self.tensors):
            self.tensors.append(tensor)
        return position


def settings_of(index: int, param: Tensor) -> ParamSettings:
    """Return the settings of a parameter; a tensor that is no Parameter has Paddle's defaults."""
    attributes = getattr(param, "optimize_attr", None)
    return (
        index,
        1.0 if attributes is None else float(attributes.get("learning_rate", 1.0)),
        getattr(param, "regularizer", None),
        getattr(param, "need_clip", True),
    )


SETTINGS = operator.attrgetter("optimize_attr", "regularizer", "need_clip")
"""The attributes of a Parameter that its settings depend on."""


def settings_now(params: list) -> list | None:
    """Return copies of those attributes of Parameters; None when there are other tensors."""
    try:
        return [(copy.copy(each[0]), *each[1:]) for each in map(SETTINGS, params)]
    except AttributeError:
        return None


def clip_rule(clip: ClipGradBase | None):
    """Return the rule of a clipping object, for comparison; an object without one is returned."""
    if clip is None:
        return None
    rule = clip.rule() if isinstance(clip, ClipGradBase) else None  # or any callable
    return clip if rule is None else rule


def clip_entries(
    settings: list[ParamSettings], group_of: list[int], options: list
) -> Iterator[fused.Clip]:
    """Yield the clipping rule of each group with its entries, except for a user's own class."""
    for group, (clip, _) in enumerate(options):
        rule = clip_rule(clip)
        members = tuple(
            position
            for position, (index, _, _, need_clip) in enumerate(settings)
            if need_clip and group_of[index] == group
        )
        if rule is not None and rule is not clip and members:
            yield fused.Clip(rule, members)
