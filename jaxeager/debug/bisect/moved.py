"""The first call of a kernel whose results on another device a program cannot have.

Note [Moved calls]
    The first N calls of kernels run on the other device: their operands are copied there, and the
    results back to where they would have been. So the program, its tensors and the order of its
    calls are the same for each N, and what differs is what the device computes. Calls of backward
    and of optimizers are counted too. A call whose operands are on several devices is not moved and
    not counted; nor is one that JAX traces, which is part of another call.

    The last of the N calls also runs where it would have, so that the report has both results.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jax.core import Tracer

from jaxeager.core.places import as_place, current_device, place_of
from jaxeager.debug.bisect.counted import Change, find_call, write_report
from jaxeager.debug.bisect.judge import Trials
from jaxeager.debug.bisect.search import UnusableError
from jaxeager.debug.lockstep.compare import ulps
from jaxeager.debug.stacks import stacks
from jaxeager.debug.stacks.lines import line_of_node, running_line
from jaxeager.errors import InvalidArgumentError
from jaxeager.graph import events
from jaxeager.graph.mode import grad_mode
from jaxeager.kernels.lazy import mode
from jaxeager.kernels.lazy.pending import trace_state_clean

if TYPE_CHECKING:
    from jaxeager.core.places import Device

_DEVICE = re.compile(r"(cpu|gpu|cuda|tpu)(:\d+)?")


def is_device(text: str) -> bool:
    """Return whether a text has the form of a device.

    Example:
        >>> is_device("cpu:1"), is_device("gpu"), is_device("float16")
        (True, True, False)
    """
    return _DEVICE.fullmatch(text) is not None


class MovedCalls(events.Observer):
    """Runs the first calls of kernels on another device: see Note [Moved calls].

    As an observer it knows which node of a backward runs.

    Args:
        device: the other device.
        first: how many calls run on it.

    Attributes:
        count: how many calls have been counted.
        last: the name and line of the last call that was moved.
        more: how its results differ, as lines of text.
    """

    def __init__(self, device: Device, first: int):
        self._device, self._first = device, first
        self._lock = threading.Lock()
        self._running = threading.local()
        self.count = 0
        self.last = ("", "")
        self.more: list[str] = []

    def node_began(self, node, grads):
        self._running.node = node

    def node_ended(self, node, grads, results):
        self._running.node = None

    def node_failed(self, node, error):
        self._running.node = None

    def call(self, kernel: Any, operands: tuple, given: dict) -> Any:
        """Call a kernel; ``mode.called``."""
        arrays = [each for each in jax.tree.leaves((operands, given)) if _is_array(each)]
        home = _home_of(arrays)
        if home is None or grad_mode.silent or not trace_state_clean():
            return kernel.kernel(*operands, **given)
        with self._lock:
            self.count += 1
            number = self.count
            if number <= self._first:
                self.last = self._place(kernel)
        if number > self._first or home == self._device:
            return kernel.kernel(*operands, **given)
        moved = jax.tree.map(lambda each: _moved(each, self._device), (operands, given))
        with jax.default_device(self._device):
            out = kernel.kernel(*moved[0], **moved[1])
        is_committed = any(each.committed for each in arrays)
        if number == self._first:  # after the call above: this one may donate its operands
            self._compare(kernel.kernel(*operands, **given), out, home)
        return jax.tree.map(lambda each: _returned(each, home, is_committed), out)

    def _place(self, kernel: Any) -> tuple[str, str]:
        """Return the name and line of a call."""
        node: Any = getattr(self._running, "node", None)
        line = "" if node is None else str(line_of_node(node))
        if node is not None and line:
            return node.name(), line
        return kernel.rule.__name__.strip("_"), running_line()

    def _compare(self, wanted: Any, found: Any, home: Device) -> None:
        """Note how the results of the two devices differ."""
        here, there = map(_name_of, (home, self._device))
        for number, (a, b) in enumerate(
            zip(jax.tree.leaves(wanted), jax.tree.leaves(found), strict=True)
        ):
            x, y = np.asarray(a), np.asarray(b)
            far, at = ulps(x, y)
            if far:
                self.more.append(
                    f"result {number} at {list(at)}: {x[at]} on {here}, {y[at]} on {there}, "
                    f"{far:.4g} {'ULPs ' if x.dtype.kind not in 'biu' else ''}apart"
                )
        if not self.more:
            self.more.append(f"its results are equal on {here} and {there}")


def _is_array(value: Any) -> bool:
    return isinstance(value, jax.Array)


def _home_of(arrays: list) -> Device | None:
    """Return the device of a call; None if it has several, or JAX traces the operands.

    An operand that is not committed to its device is used on that of the others.
    """
    if any(isinstance(each, Tracer) for each in arrays):
        return None
    held = [each for each in arrays if each.committed] or arrays
    homes = {device for each in held for device in each.devices()} or {current_device()}
    return homes.pop() if len(homes) == 1 else None


def _moved(value: Any, device: Device) -> Any:
    return jax.device_put(value, device) if _is_array(value) else value


def _returned(value: Any, home: Device, is_committed: bool) -> Any:
    """Return a result on a device, committed to it or not."""
    if is_committed:
        return jax.device_put(value, home)
    with jax.default_device(home):
        return jax.device_put(np.asarray(value))


def _name_of(device: Device) -> str:
    place = place_of(device)
    return f"{place.kind}:{place.index}"


@contextmanager
def _moving(calls: MovedCalls) -> Iterator[None]:
    """Run the calls of a block through ``calls``, with the lines of nodes known."""
    mode.install()
    stacks.begin_use()
    try:
        with events.observing(calls):
            mode.called = calls.call
            yield
    finally:
        mode.called = None
        stacks.end_use()


def run_moved(
    device: str, first: int, report: str, program: list[str], run_program: Callable
) -> int:
    """Run a program in this process with its first calls of kernels on another device.

    Args:
        device: the other device, such as "cpu:1".
        first: how many calls.
        report: a file for the number of calls and the last one that was moved; "" for none.
        program: the program and its arguments.
        run_program: runs it.

    Raises:
        UnusableError: if there is no such device.
    """
    try:
        calls = MovedCalls(as_place(device).device(), first)
    except InvalidArgumentError as error:
        raise UnusableError(str(error)) from None
    try:
        with _moving(calls):
            return run_program(program)
    finally:
        name, line = calls.last
        write_report(report, {"count": calls.count, "name": name, "line": line, "more": calls.more})


def bisect_moved(trials: Trials, device: str, program: list[str], folder: Path) -> int:
    """Find the first call that a program cannot have on a device; return the exit status.

    Args:
        trials: judges and prints.
        device: the other device, such as "cpu:1".
        program: the program and its arguments.
        folder: a temporary folder.

    Raises:
        UnusableError: if the program is not good with no call moved, or not bad with all.
    """
    change = Change(
        ("--ops", device),
        lambda calls: f"{calls} on {device}",
        "the program has called no kernel, or was ended by os._exit; there is nothing to run on "
        f"{device}",
        f"cannot run on {device}",
    )
    return find_call(trials, program, folder, change)
