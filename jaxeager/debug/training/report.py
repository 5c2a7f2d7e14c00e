"""gradient_report(): the gradients, parameters and updates of each layer over a training.

Note [Steps that are noted]
    A step is recorded when its optimizer's step has ended and its gradients still exist: by
    ``step()``, or, if the report knows the optimizer, automatically while its block is running.
    Each costs one kernel per parameter, without waiting for it (measures.py).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from jaxeager.core import user_lines
from jaxeager.debug.training import findings, measures, picture
from jaxeager.debug.training.measures import Measures
from jaxeager.debug.training.review import Review
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.graph import events
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    import jax

FORMAT = "jaxeager-gradient-report-1"
BY = ("layer", "parameter")
_BARS = "▁▂▃▄▅▆▇█"
_MOST_BARS = 20


def gradient_report(
    model_or_params: Any, optimizer: Any = None, by: str = "layer", every: int = 1
) -> GradientReport:
    """Return a report that records how each layer trains.

    Call its ``step()`` between ``optimizer.step()`` and ``clear_grad()``. With an ``optimizer`` and
    as a block it does so automatically: ``with gradient_report(model, optimizer) as report:``. Then
    print it, ``save`` a picture, or get its ``data()``. It keeps a copy of every parameter from now
    on, for the size of updates; it never waits, and changes nothing else.

    Args:
        model_or_params: a Layer, parameters, or pairs of name and parameter.
        optimizer: the optimizer whose steps are recorded while the report's block runs.
        by: "layer" sums up the parameters of a Layer, "parameter" shows each.
        every: record every so many steps.

    Raises:
        InvalidArgumentError: when there is no trainable parameter, or for an invalid ``by`` or
            ``every``.
        InvalidTypeError: when an item is not a tensor.

    Example:
        >>> import jaxeager as paddle
        >>> model = paddle.nn.Linear(2, 1)
        >>> sgd = paddle.optimizer.SGD(0.1, parameters=model.parameters())
        >>> with paddle.debug.gradient_report(model, sgd, by="parameter") as report:
        ...     for _ in range(3):
        ...         model(paddle.ones([4, 2])).mean().backward()
        ...         sgd.step()
        ...         sgd.clear_grad()
        >>> [row["name"] for row in report.data()["rows"]], report.data()["rows"][1]["grad"]
        (['weight', 'bias'], [1.0, 1.0, 1.0])
    """
    named = _named_parameters(model_or_params)
    if not named:
        raise InvalidArgumentError("gradient_report received no parameters.")
    if by not in BY:
        raise InvalidArgumentError(f'by should be "layer" or "parameter", but received {by!r}.')
    if not isinstance(every, int) or every < 1:
        raise InvalidArgumentError(f"every should be a positive number, but received {every!r}.")
    review = Review(model_or_params, named, optimizer)
    return GradientReport(named, optimizer, by == "layer", every, review)


def _named_parameters(given: Any) -> list[tuple[str, Tensor]]:
    """Return names and parameters of a Layer, of pairs, or of plain tensors; each once."""
    if hasattr(given, "named_parameters"):
        given = given.named_parameters()
    elif isinstance(given, dict):
        given = given.items()
    elif not isinstance(given, Iterable) or isinstance(given, Tensor):
        given = [given]
    pairs = [each if isinstance(each, tuple) else (None, each) for each in given]
    found: dict[int, tuple[str, Tensor]] = {}
    for name, param in pairs:
        if not isinstance(param, Tensor):
            raise InvalidTypeError(
                "gradient_report takes a Layer, parameters, or pairs of name and parameter, but "
                f"received {type(param).__name__}."
            )
        if not param.stop_gradient:
            found.setdefault(id(param), (name or param.name, param))
    return list(found.values())


class GradientReport(events.Observer):
    """The result of ``gradient_report``.

    Attributes:
        steps: the numbers of the recorded steps, from 1.
    """

    def __init__(self, named: list, optimizer: Any, is_by_layer: bool, every: int, review: Review):
        self.steps: list[int] = []
        self._review = review
        self._named, self._optimizer, self._every = named, optimizer, every
        self._rows = _rows_of([name for name, _ in named], is_by_layer)
        self._history = measures.History([param.size for _, param in named])
        self._before: list[jax.Array] = [jnp.copy(param._array) for _, param in named]
        self._count = 0

    def step(self) -> None:
        """Record a step: call it after the optimizer's step, before gradients are cleared.

        It runs one kernel per parameter (about 60 us on a CPU), without waiting.
        """
        self._count += 1
        if (self._count - 1) % self._every:
            return
        noted, has_grads = [], False
        for position, (_, param) in enumerate(self._named):
            grad = None if param._meta is None else param._meta.grad
            has_grads = has_grads or grad is not None
            array = None if grad is None else grad._whole
            found = measures.measure(param._array, array, self._before[position])
            noted.append(found[0])
            self._before[position] = found[1]
        if not has_grads:
            user_lines.warn(
                "gradient_report saw no gradient in this step. Call step() after backward() and "
                "before clear_grad()."
            )
        self.steps.append(self._count)
        self._history.add(noted)

    # ---- as a block

    def __enter__(self) -> GradientReport:
        if self._optimizer is not None:
            events.observe(self)
            self._review.begin()
        return self

    def __exit__(self, *error) -> None:
        if self._optimizer is not None:
            events.unobserve(self)
            self._review.end()

    def step_ended(self, rule, params, state):
        """Record the step of the optimizer that the report knows."""
        if state is self._optimizer._state:
            self._review.step_ended_of(self._optimizer)
            self.step()

    # ---- the recorded data

    @property
    def notes(self) -> list[str]:
        """Mistakes of the program that the first two steps show, as text; usually none.

        A column and a row that are broadcast to a square, gradients that are not cleared, a cross
        entropy of probabilities; parameters that are frozen or that the optimizer does not have; a
        learning rate of 0; dropout and batch norm in eval mode.
        """
        return self._review.notes()

    def data(self) -> dict:
        """Return the recorded data as plain JSON.

        ``format``; ``steps``: their numbers; ``notes``: as the attribute; ``rows``: one per layer
        or parameter, with ``name``, ``count`` of elements, ``finding`` and a list with an entry per
        step of ``grad``, ``value``, ``ratio`` (update to value), ``zeros`` (share of the gradient)
        and ``bad`` (NaN or Inf).
        Unknown values are None.
        """
        table = self._table()
        return {
            "format": FORMAT,
            "steps": list(self.steps),
            "notes": self.notes,
            "rows": [
                {
                    "name": name,
                    "count": steps[0].count if steps else 0,
                    "finding": finding,
                    "grad": [_known(each.grad) for each in steps],
                    "value": [_known(each.value) for each in steps],
                    "ratio": [_known(findings.ratio_of(each)) for each in steps],
                    "zeros": [_known(each.zeros) for each in steps],
                    "bad": [each.bad for each in steps],
                }
                for name, steps, finding in table
            ],
        }

    def _table(self) -> list[tuple[str, list[Measures], str]]:
        """Return the name, the measures of each step and the finding of every row."""
        rows = self._history.rows()
        found = {
            name: [measures.together([step[position] for position in places]) for step in rows]
            for name, places in self._rows.items()
        }
        grads = np.array([[each.grad for each in steps] for steps in found.values()])
        largest = np.nanmax(grads, axis=0, initial=0.0)
        shares = np.divide(grads, largest, out=np.full(grads.shape, np.nan), where=largest > 0)
        return [
            (name, steps, findings.finding_of(steps, _median(list(share)), self.steps))
            for (name, steps), share in zip(found.items(), shares, strict=True)
        ]

    def __str__(self) -> str:
        """Return the table as text: medians over the steps, and the course of the gradient."""
        table = self._table()
        if not self.steps:
            return "No step was noted."
        head = ["layer", "numbers", "|grad|", "over the steps", "|value|", "update", "zeros", ""]
        rows = [_text_row(name, steps, finding) for name, steps, finding in table]
        widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        lines = [_line(row, widths) for row in [head, *rows]]
        wrong = sum(1 for *_, finding in table if finding)
        count = f"{len(self.steps)} steps, {len(rows)} rows"
        notes = [f"note: {each}" for each in self.notes]
        return "\n".join([*lines, f"{count}, {wrong or 'none'} with a finding", *notes])

    def save(self, path: str | os.PathLike) -> Path:
        """Write the picture (.svg, .png, .pdf), or with .json the data; return the path.

        Raises:
            UnavailableError: when a picture is requested and matplotlib is not installed.
            InvalidArgumentError: when no step was recorded.
        """
        written = Path(path)
        if not self.steps:
            raise InvalidArgumentError("There is nothing to save: no step was noted.")
        written.parent.mkdir(parents=True, exist_ok=True)
        if written.suffix == ".json":
            written.write_text(json.dumps(self.data(), allow_nan=False), encoding="utf-8")
        else:
            picture.draw(self.data(), written)
        return written


def _rows_of(names: list[str], is_by_layer: bool) -> dict[str, list[int]]:
    """Return the parameters of each row, by position; a Layer's share the prefix of its name."""
    rows: dict[str, list[int]] = {}
    for position, name in enumerate(names):
        row = name.rpartition(".")[0] or "(itself)" if is_by_layer else name
        rows.setdefault(row, []).append(position)
    return rows


# ---- text


def _known(number: float) -> float | None:
    return float(number) if np.isfinite(number) else None


def _median(numbers: list[float]) -> float:
    known = [each for each in numbers if not np.isnan(each)]
    return float(np.median(known)) if known else np.nan


def _text_row(name: str, steps: list[Measures], finding: str) -> list[str]:
    grads = [each.grad for each in steps]
    zeros = _median([each.zeros for each in steps])
    return [
        name,
        f"{steps[0].count:,}",
        _number(_median(grads)),
        sparkline(grads),
        _number(steps[-1].value),
        _number(_median([findings.ratio_of(each) for each in steps])),
        "-" if np.isnan(zeros) else f"{zeros:.0%}",
        finding,
    ]


def _number(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.2g}" if 0.01 <= value < 1000 else f"{value:.1e}"


def _line(row: list[str], widths: list[int]) -> str:
    texts = []
    for column, (text, width) in enumerate(zip(row, widths, strict=True)):
        texts.append(text.ljust(width) if column in (0, 3, 7) else text.rjust(width))
    return "  ".join(texts).rstrip()


def sparkline(numbers: list[float]) -> str:
    """Return numbers as a row of bars, by magnitude; a dot for 0 and for missing ones.

    Example:
        >>> sparkline([1.0, 0.1, 0.01, 0.0])
        '█▅▁·'
    """
    if len(numbers) > _MOST_BARS:
        parts = np.array_split(np.array(numbers), _MOST_BARS)
        numbers = [_median(list(part)) for part in parts]
    logs = [np.log10(each) if np.isfinite(each) and each > 0 else np.nan for each in numbers]
    known = [each for each in logs if not np.isnan(each)]
    if not known:
        return "·" * len(numbers)
    low, width = min(known), max(max(known) - min(known), 1e-9)
    most = len(_BARS) - 1
    return "".join(
        "·" if np.isnan(each) else _BARS[min(most, int((each - low) / width * most + 0.5))]
        for each in logs
    )
