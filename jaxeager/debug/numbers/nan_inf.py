"""FLAGS_check_nan_inf: checks every result of ops and of backward for NaN and Inf.

Note [Checking numbers]
    Levels: 0 raises at the first NaN or Inf; 1 reports it and continues; 2 also reports float32
    tensors that float16 could not hold; 3 reports every floating output. A report is Paddle's
    [PRECISION] line, on stdout or in the checker's folder.

    In forward an array is checked after its kernel was called and before anything is computed from
    it or written, so an error leaves everything unchanged, including the target of an in-place op.
    In backward these are checked: the gradients a backward starts from, the results of nodes
    (PyLayers too) and of hooks, the sums of gradients, and the ``grad`` they are added to. Values
    written by ``set_value``, and the parameters after an optimizer's step, are checked too. The
    report names the op that made the number, and states whether it came from the inputs.

    In host memory a check is cheap (statistics.py, Note [Probes]) and is done immediately. On
    an accelerator reading would wait for the device: see late.py, Note [Checking late]. The choice
    is made for each array, because one program may have both.

    Paddle: level 2 ignores underflow; complex tensors raise at every level, without a line.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from jaxeager.debug.common import naming
from jaxeager.debug.numbers import sites
from jaxeager.debug.numbers.late import LateChecks
from jaxeager.debug.numbers.precision_text import device_text, line_text
from jaxeager.debug.numbers.statistics import (
    are_finite,
    has_nan,
    has_statistics,
    is_beyond_float16,
    is_elsewhere,
    is_finite,
)
from jaxeager.errors import PreconditionNotMetError
from jaxeager.graph import events
from jaxeager.graph.events import notify

if TYPE_CHECKING:
    from jaxeager.graph.types import Node

ABORT, REPORT, OVERFLOW, ALL = range(4)


class Scope(NamedTuple):
    """The ops to check, and the destination of reports.

    Attributes:
        checked: names of ops; if not empty, only these are checked.
        skipped: names of ops that are not checked.
        folder: reports go to its file ``worker_cpu``; to stdout if it is None.
        thread: the only thread that is checked, None for all.
    """

    checked: frozenset = frozenset()
    skipped: frozenset = frozenset()
    folder: str | None = None
    thread: int | None = None

    def has_thread(self) -> bool:
        """Return whether this thread is checked."""
        return self.thread is None or self.thread == threading.get_ident()

    def has(self, op: str) -> bool:
        """Return whether the outputs of an op are checked, by its name with or without "_"."""
        if not self.has_thread():
            return False
        if not (self.checked or self.skipped):
            return True
        names = names_of(op)
        return not names & self.skipped and bool(not self.checked or names & self.checked)


def names_of(op: str) -> set[str]:
    """Return the names by which a list may refer to an op: "exp" also selects "exp_"."""
    stem, grad = (op[:-5], "_grad") if op.endswith("_grad") else (op, "")
    return {op, stem.rstrip("_") + grad}


class _Arrival(NamedTuple):
    """The destination of a gradient.

    Attributes:
        node: the node.
        tainted: the nodes for which a bad gradient was already reported; shared by a backward.
        is_sum: whether it is the sum of the gradients received there.
    """

    node: Node
    tainted: set
    is_sum: bool = False


class _Here(threading.local):
    """The state of one thread.

    Attributes:
        runs: its running backwards, the innermost last.
        seed: the last finite gradient of one element that a backward started from: usually the
            same array is used again, and arrays never change.
    """

    def __init__(self):
        self.runs: list[events.Backward] = []
        self.seed: Any = None


class Checker(events.Observer):
    """The observer of the flag: it checks every array.

    Attributes:
        level: which arrays are reported, see Note [Checking numbers].
        scope: which ops are checked, and where reports go.
        are_fine: a fast function that returns whether arrays need no further check.
    """

    def __init__(self, level: int, scope: Scope):
        self.level = level
        self.scope = scope
        self.are_fine = are_finite if level < OVERFLOW else _never
        self._here = _Here()
        self._late = LateChecks(self.found)

    # ---- checking and reporting

    def look(self, array, describe: Callable, goes_to: _Arrival | None = None) -> None:
        """Check an array: immediately, or later if it is on an accelerator.

        Levels 2 and 3, which inspect every number, wait for it there too.

        Args:
            array: a jax.Array, or another result of an op.
            describe: returns its Site.
            goes_to: its destination if it is a gradient.

        Raises:
            PreconditionNotMetError: at level 0, when it is bad.
        """
        if self.level < OVERFLOW and is_elsewhere(array):
            if self.scope.has_thread():
                self._late.put(array, describe, goes_to)
        elif self.level < OVERFLOW and goes_to and self._late.put_off(array, describe, goes_to):
            return
        elif not is_finite(array):
            self.found(array, describe, goes_to)
        elif self.level >= OVERFLOW and has_statistics(array):
            self.report(array, describe(), False)

    def found(self, array, describe: Callable, goes_to: _Arrival | None, is_late=False) -> None:
        """Report a bad array; skip a sum of gradients of which one was reported."""
        if not is_late:
            self._late.catch_up()
        if goes_to is not None and goes_to.is_sum and goes_to.node in goes_to.tainted:
            return
        self.report(array, describe(), True, is_late)
        if goes_to is not None:
            goes_to.tainted.add(goes_to.node)

    def report(self, array, site: sites.Site, is_bad: bool, is_late: bool = False) -> None:
        """Write the line of an array, if the level and the scope select it.

        Raises:
            PreconditionNotMetError: at level 0.
        """
        if not self.scope.has(site.op) or not self._is_wanted(array, site, is_bad):
            return
        if array.is_deleted():
            if self.level == ABORT:
                raise PreconditionNotMetError(sites.gone_message(site, array))
            return
        report = sites.report_of(array, site)
        self.write(line_text(report.head, report.found), device_text(array))
        if is_bad and self.level == ABORT:
            raise PreconditionNotMetError(sites.message_of(report, array, is_late))

    def _is_wanted(self, array, site, is_bad: bool) -> bool:
        if is_bad:
            is_meant = site.is_fill and self.level == ABORT and not has_nan(array)
            return not is_meant and not (site.is_repair and self.level < ALL)
        if site.only_bad:
            return False
        return self.level == ALL or (self.level == OVERFLOW and is_beyond_float16(array))

    def write(self, line: str, device: str) -> None:
        """Write a line to stdout, or to the folder of the scope."""
        if self.scope.folder is None:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
            return
        os.makedirs(self.scope.folder, exist_ok=True)
        path = os.path.join(self.scope.folder, f"worker_{device.replace(':', '.')}")
        with open(path, "a", encoding="utf-8") as file:
            file.write(line + "\n")

    def settle(self) -> None:
        """Report the unread results of this thread: see late.py."""
        self._late.settle()

    def finish(self) -> None:
        """Report the unread results of all threads on stderr, as nothing can be stopped now."""
        try:
            self._late.settle(every_thread=True)
        except PreconditionNotMetError as error:
            print(error, file=sys.stderr)

    # ---- forward

    def kernel_ran(self, row, operands, attrs, arrays, is_inplace):
        if not self.are_fine(arrays):
            self._check_outputs(row, operands, arrays, is_inplace)

    def _check_outputs(self, row, operands, arrays, is_inplace: bool) -> None:
        call = sites.Call(row, operands, is_inplace)
        if self.level < OVERFLOW and any(map(is_elsewhere, arrays)):
            call = sites.filled_call(call)
        try:
            for position, array in enumerate(arrays):
                self.look(array, sites.Output(call, position, array))
        except PreconditionNotMetError as error:
            notify(events.op_failed, row, is_inplace, error)
            raise

    def value_written(self, op, tensor, array):
        self.look(array, lambda: sites.Site(op, naming.name_of(tensor), (), _SET.format(op), True))

    def value_read(self, tensor):
        self.settle()

    def step_ended(self, rule, params, state):
        for param in params:
            if not self.are_fine((param._array,)):
                op = f"{rule.name}_"
                inputs = () if param.grad is None else ((f"{param.name}@Grad", param.grad._whole),)
                self.look(param._array, partial(_step_site, op, param.name, inputs))

    # ---- backward

    def backward_began(self, run):
        here = self._here
        here.runs.append(run)
        for edge, grad in run.roots:
            if grad is here.seed:
                continue
            if self.are_fine((grad,)):
                here.seed = grad if grad.size == 1 else None
            else:
                self.look(grad, partial(_seed_site, edge), _Arrival(edge.node, self._tainted(run)))

    def backward_ended(self, run, error):
        runs = self._here.runs
        if runs and runs[-1] is run:
            runs.pop()
        if error is None:
            self._late.settle()

    def gradients_met(self, node, grads, positions):
        for position in positions:
            if not self.are_fine((grads[position],)):
                self._check_sum(node, position, grads[position])

    def node_ran(self, node, saved, grads, results):
        if node.is_leaf:
            if saved:  # it was added to an existing grad
                self._check_leaf(node)
        elif not self.are_fine(results):
            self._check_results(node, saved, grads, results)

    def hook_began(self, node, position, hook, grad):
        self._late.catch_up()

    def hook_ended(self, node, position, hook, before, after):
        if after is not before and not self.are_fine((after,)):
            runs = self._here.runs
            goes_to = _Arrival(node, self._tainted(runs[-1])) if runs else None
            self.look(after, partial(_hook_site, node, position, hook, before), goes_to)

    def _check_results(self, node, saved: tuple, grads: list, results) -> None:
        runs = self._here.runs
        if not runs or (runs[-1].create_graph and sites.is_of_row(node)):  # checked as an op
            return
        tainted = self._tainted(runs[-1])
        for position, (edge, grad) in enumerate(zip(node.edges, results, strict=False)):
            if edge is not None and grad is not None:
                describe = partial(sites.gradient_site, node, position, list(grads), saved)
                self.look(grad, describe, _Arrival(edge.node, tainted))

    def _check_leaf(self, leaf) -> None:
        meta = leaf.meta()
        if meta is None or meta.grad is None or self.are_fine((meta.grad._whole,)):
            return
        runs = self._here.runs
        if runs and not runs[-1].create_graph and runs[-1].targets is None:  # not added by an op
            self._check_sum(leaf, 0, meta.grad._whole)

    def _check_sum(self, node, position: int, grad) -> None:
        runs = self._here.runs
        if runs:
            goes_to = _Arrival(node, self._tainted(runs[-1]), is_sum=True)
            self.look(grad, partial(_sum_site, node, position), goes_to)

    def _tainted(self, run: events.Backward) -> set:
        """Return the nodes of a backward for which a bad gradient was reported."""
        return run.notes.setdefault(self, set())


def _never(arrays) -> bool:
    """Return False, so that every array is inspected."""
    return False


_SET = "It is the value given to {}."


def _step_site(op: str, name: str, inputs: tuple) -> sites.Site:
    return sites.Site(op, name, inputs, "It is a parameter after an optimizer's step.", True)


def _seed_site(edge) -> sites.Site:
    name = sites.arriving_name(edge.node, edge.slot + edge.rank)
    return sites.Site("backward", name, (), "It is a gradient that backward started from.", True)


def _sum_site(node, position: int) -> sites.Site:
    note = "It is a sum of gradients that were finite."
    return sites.Site("grad_add", sites.arriving_name(node, position), (), note, True)


def _hook_site(node, position: int, hook: object, before) -> sites.Site:
    name = getattr(hook, "__qualname__", type(hook).__name__)
    code = getattr(hook, "__code__", None)
    place = "" if code is None else f" ({code.co_filename}:{code.co_firstlineno})"
    tensor = sites.arriving_name(node, position)
    note = f"The hook {name}{place} on {node.name()} returned it."
    return sites.Site("hook", tensor, ((tensor, before),), note, True)


# ---- switching


class _Switch:
    """The settings of the flags and the tensor checker, and the resulting observer."""

    def __init__(self):
        self.is_on = False
        self.level = ABORT
        self.scope = Scope()
        self.checker: Checker | None = None
        self.lock = threading.RLock()

    def change(self, **settings) -> None:
        """Change settings and replace the active checker."""
        with self.lock:
            for name, value in settings.items():
                setattr(self, name, value)
            old, self.checker = self.checker, None
            if self.is_on:
                self.checker = Checker(self.level, self.scope)
                events.observe(self.checker)
            if old is not None:
                events.unobserve(old)
        if old is not None:
            old.finish()


switch = _Switch()


@atexit.register
def _finish() -> None:
    if switch.checker is not None:
        switch.checker.finish()


def set_enabled(value: bool) -> None:
    """Apply FLAGS_check_nan_inf."""
    switch.change(is_on=value)


def set_level(value: int) -> None:
    """Apply FLAGS_check_nan_inf_level."""
    switch.change(level=value)


def set_scope(scope: Scope) -> None:
    """Set which ops are checked and where reports go, while the flag is on."""
    switch.change(scope=scope)


@contextmanager
def checking(level: int) -> Iterator[None]:
    """Check the computations of this thread in a block, unless the flag does so already.

    Raises:
        PreconditionNotMetError: at level 0, for the first NaN or Inf.
    """
    if switch.is_on:
        yield
        return
    checker = Checker(level, Scope(thread=threading.get_ident()))
    events.observe(checker)
    try:
        yield
    finally:
        events.unobserve(checker)
    checker.settle()
