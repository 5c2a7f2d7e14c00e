"""The forms of optimizers and schedulers: rates, groups, and the course of a rate."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from jaxeager.notebook.markup import curve, quiet, table, title

if TYPE_CHECKING:
    from typing import Any

    from jaxeager.optimizer.lr import LRScheduler

_STEPS = 100  # of a scheduler that are drawn


def html(optimizer: Any) -> str:
    """Return the form of an optimizer: its groups, and the course of its scheduler."""
    head = title(type(optimizer).__name__, f"learning rate {optimizer.get_lr():.6g}")
    rows = []
    for number, group in enumerate(optimizer._groups):
        owned = zip(optimizer._params, optimizer._group_of, strict=True)
        params = [each for each, of in owned if of == number]
        elements = sum(each.size for each in params)
        hyper = optimizer._hyper(group)._asdict()
        options = (_regular(group) if "decay" not in hyper else {}) | hyper
        rows.append((number, len(params), f"{elements:,}", _text_of(options)))
    shown = head + table(("group", "tensors", "elements", "options"), rows)
    scheduler = optimizer._learning_rate
    return shown + (scheduler_html(scheduler) if hasattr(scheduler, "last_epoch") else "")


def _regular(group: dict) -> dict:
    """Return the options of a group that its update rule does not have."""
    clip = group["grad_clip"]
    return {
        "weight_decay": group["weight_decay"],
        "grad_clip": None if clip is None else type(clip).__name__,
    }


def _text_of(options: dict) -> str:
    """Return the options that are set."""
    return ", ".join(
        f"{key}={value:.6g}" if isinstance(value, float) else f"{key}={value}"
        for key, value in options.items()
        if value is not None and value is not False
    )


def scheduler_html(scheduler: Any) -> str:
    """Return the form of a scheduler: its rate, and the course of the next steps."""
    head = title(
        type(scheduler).__name__, f"step {scheduler.last_epoch}", f"rate {scheduler():.6g}"
    )
    course = _course(scheduler)
    if course is None:
        return head + f"<div>{quiet('the next rates depend on values that it is given')}</div>"
    caption = f"the next {_STEPS} steps: from {course[0]:.4g} to {course[-1]:.4g}"
    return head + curve(course, caption) + f"<div>{quiet(caption)}</div>"


def _course(scheduler: LRScheduler) -> list[float] | None:
    """Return the rates of the next steps of a copy; None if a step needs a value."""
    ahead = copy.deepcopy(scheduler)
    ahead.verbose = False
    rates = [float(ahead())]
    try:
        for _ in range(_STEPS):
            ahead.step()
            rates.append(float(ahead()))
    except TypeError:  # ReduceOnPlateau takes a metric
        return None
    return rates
