"""ClipTogether: clipping by a global norm over all processes that share a model."""

from __future__ import annotations

import jaxeager as paddle
from jaxeager.distributed.communication.groups import Group
from jaxeager.distributed.communication.tensors import all_reduce


class ClipTogether(paddle.nn.ClipGradByGlobalNorm):
    """Clipping by the norm of all gradients of a model that processes share.

    Each process adds up its own gradients: a weight that is divided counts fully, one that is the
    same on several processes counts with its share on each.

    Args:
        clip: the clipping of the optimizer.
        group: the processes that together have one copy of the model.
        alike: the number of processes with the same copy of an undivided weight.
    """

    def __init__(self, clip: paddle.nn.ClipGradByGlobalNorm, group: Group, alike: int):
        super().__init__(clip.clip_norm, clip.group_name, clip.auto_skip_clip)
        self._group, self._alike = group, alike

    def rule(self) -> None:
        """Return None: the norm cannot be computed on one process."""

    def __call__(self, params_grads: list) -> list:
        """Return the pairs with clipped gradients."""
        pairs = [(p, g) for p, g in params_grads if g is not None]
        total = paddle.zeros([], "float32")
        for parameter, grad in pairs:
            if not getattr(parameter, "need_clip", True):
                continue
            share = 1 if getattr(parameter, "is_distributed", False) else self._alike
            if getattr(parameter, "is_firstly_shared", True):
                total = total + grad.astype("float32").square().sum() / share
        all_reduce(total, group=self._group)
        factor = self.clip_norm / paddle.maximum(
            total.sqrt(), paddle.to_tensor(self.clip_norm, dtype="float32")
        )
        return [
            (p, (g * factor.astype(g.dtype)) if getattr(p, "need_clip", True) else g)
            for p, g in pairs
        ]


def clip_together(optimizer: object, group: Group, alike: int) -> None:
    """Make an optimizer clip by the norm over all processes that share its model.

    Args:
        optimizer: any optimizer; other kinds of clipping are unchanged.
        group: the processes that together have one copy of the model.
        alike: the number of them with the same copy of an undivided weight.
    """
    kind = paddle.nn.ClipGradByGlobalNorm
    for each in getattr(optimizer, "_groups", []):
        if isinstance(each.get("grad_clip"), kind):
            each["grad_clip"] = ClipTogether(each["grad_clip"], group, alike)


def step_together(optimizer: object, own: list) -> None:
    """Step the optimizer; a process without gradients still takes part in the norm.

    Args:
        optimizer: any optimizer.
        own: the parameters that this process updates.
    """
    if any(each.grad is not None for each in own):
        optimizer.step()  # type: ignore[attr-defined]
        return
    for group in getattr(optimizer, "_groups", []):
        if isinstance(group.get("grad_clip"), ClipTogether):
            group["grad_clip"]([])
