"""Whether kernels are recorded, and the kernels that can be.

Note [Where kernels are replaced]
    A program that never uses lazy mode calls JAX's own jitted functions, at no cost. ``install``,
    which the first use of the mode calls, replaces each of them by a ``Kernel``: in the tables of
    the rows, in the modules that have kernels as constants, and, by ``tracing.wrap_kernel``, all
    that are made later. A function that a closure or a cache obtained earlier is not a Kernel. It
    receives the values of pending operands, so it ends a segment, and its results are the same.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import jax

from jaxeager.core.user_lines import warn
from jaxeager.errors import UnimplementedError
from jaxeager.kernels import tracing
from jaxeager.kernels.lazy import report
from jaxeager.kernels.lazy.pending import IS_SUPPORTED, Pending, ready, values_of
from jaxeager.kernels.lazy.recorder import Recorder

if TYPE_CHECKING:
    from jaxeager.kernels.executable_data import Jitted

chosen: contextvars.ContextVar[Recorder | Literal[False] | None] = contextvars.ContextVar(
    "lazy", default=None
)
"""The recorder of a ``lazy`` block; False in one that switches it off, None outside of any."""

called: Callable[[Kernel | StaticKernel, tuple, dict], Any] | None = None
"""Calls kernels that are not recorded, for a tool: (kernel, operands, keyword arguments)."""

_read = chosen.get
_PENDING = frozenset({Pending, list, tuple})  # the classes of operands that may hold pending arrays
_UNSUPPORTED = f"Lazy mode works with JAX 0.10 to 0.12, but this is JAX {jax.__version__}."
_is_everywhere = False
_is_observed = False
_of_thread = threading.local()


def set_everywhere(value: bool) -> None:
    """Apply a new value of FLAGS_lazy."""
    global _is_everywhere
    if value:
        install()
    elif _is_everywhere and _read() is None:
        _thread_recorder().run(report.LEFT)
    _is_everywhere = value


def set_observed(value: bool) -> None:
    """Call kernels immediately while a tool observes ops, nodes or values."""
    global _is_observed
    if value and not _is_observed:
        current = recorder()
        if current is not None:
            current.run(report.TOOL)
    _is_observed = value


def recorder() -> Recorder | None:
    """Return the recorder of this thread or asyncio task; None if kernels run immediately."""
    if _is_observed:
        return None
    current = _read()
    if current is None and _is_everywhere:
        return _thread_recorder()
    return current or None


def _thread_recorder() -> Recorder:
    try:
        return _of_thread.recorder
    except AttributeError:
        made = _of_thread.recorder = Recorder()
        return made


def block_recorder() -> Recorder:
    """Return this thread's recorder, for a block: it knows what other blocks recorded."""
    install()
    return _thread_recorder()


def is_chosen() -> bool:
    """Return whether the user has chosen, here or for the process, if kernels are recorded."""
    return _is_everywhere or _read() is not None


@functools.cache
def can_record() -> bool:
    """Return whether lazy mode works with this JAX; the first call warns when it does not."""
    if not IS_SUPPORTED:
        warn(f"Functions that to_static marks run op by op: {_UNSUPPORTED}")
    return IS_SUPPORTED


def begin() -> Recorder | Literal[False] | None:
    """Record the calls of this thread or asyncio task; return the argument for ``end``."""
    before = _read()
    chosen.set(block_recorder())
    return before


def end(before: Recorder | Literal[False] | None) -> None:
    """Run the recorded calls unless recording continues; restore the state before ``begin``."""
    current = recorder()
    chosen.set(before)
    if current is not None and current is not recorder():
        current.run(report.LEFT)


@contextlib.contextmanager
def block() -> Iterator[None]:
    """Record the kernels that a block calls, and run them at its end."""
    before = begin()
    try:
        yield
    finally:
        end(before)


@contextlib.contextmanager
def immediate() -> Iterator[None]:
    """Call the kernels of a block immediately; what was recorded before waits."""
    before = _read()
    chosen.set(False)
    try:
        yield
    finally:
        chosen.set(before)


def run(why: str = report.VALUE) -> None:
    """Run the recorded calls of this thread."""
    current = recorder()
    if current is not None:
        current.run(why)


def run_step() -> None:
    """Run the recorded calls of this thread if the last one is an optimizer's step.

    Gradients that were cleared since are not computed, and the old parameters are freed now.
    """
    current = recorder()
    if current is not None and current.recording.place.ends == report.STEP:
        current.run(report.STEP)


class Kernel:
    """A kernel that is recorded in lazy mode, and called otherwise.

    Attributes:
        kernel: the jitted function.
        rule: the function that it traces.
        name: its name in errors.
        origin: its identity, when plain values describe it (kernels/executables.py).
        ends_segment: whether a segment ends after it.
    """

    def __init__(self, kernel: Jitted, rule: Any):
        self.kernel, self.rule = kernel, rule
        self.name = rule.__name__.strip("_")
        self.origin = getattr(kernel, "origin", None)
        self.ends_segment = False

    def __call__(self, *arrays, **given):
        current = _read()
        if current is None and _is_everywhere:
            current = _thread_recorder()
        if current and not given and not _is_observed:
            out = current.record(self, arrays)
            if out is not NotImplemented:
                return out
        if not _PENDING.isdisjoint(map(type, arrays)):
            arrays = values_of(arrays)
        return self.kernel(*arrays, **given) if called is None else called(self, arrays, given)

    def __getattr__(self, name):
        return getattr(self.kernel, name)


class StaticKernel:
    """A kernel with static arguments; in lazy mode, a Kernel for each combination of their values.

    Attributes:
        kernel: the jitted function.
        rule: the function that it traces.
        positions: those of the static arguments.
        bound: the Kernels, by the static values.
    """

    def __init__(self, kernel: Jitted, rule: Any, positions: tuple[int, ...]):
        self.kernel, self.rule, self.positions = kernel, rule, positions
        self.bound: dict[tuple, Kernel] = {}

    def __call__(self, *arguments, **given):
        current = None if given else recorder()
        if current is not None:
            static = tuple([arguments[at] for at in self.positions])
            arrays = [each for at, each in enumerate(arguments) if at not in self.positions]
            out = current.record(self.bound.get(static) or self._bind(static), arrays)
            if out is not NotImplemented:
                return out
        if called is not None:
            return called(self, tuple(map(ready, arguments)), given)
        return self.kernel(*map(ready, arguments), **given)

    def _bind(self, static: tuple) -> Kernel:
        """Return the Kernel of some static values."""
        rule = functools.wraps(self.rule)(self._with_static(self.rule, static))
        bound = self.bound[static] = Kernel(self._with_static(self.kernel, static), rule)
        origin = self.kernel.origin
        bound.origin = origin and origin._replace(what=(*origin.what, static))
        return bound

    def _with_static(self, function: Callable, static: tuple) -> Callable:
        """Return a function of the other arguments."""

        def with_static(*arrays, **given):
            arguments = list(arrays)
            for at, value in zip(self.positions, static, strict=True):
                arguments.insert(at, value)
            return function(*arguments, **given)

        return with_static

    def __getattr__(self, name):
        return getattr(self.kernel, name)


is_installed = False


def install() -> None:
    """Replace each kernel by a Kernel: see Note [Where kernels are replaced].

    Raises:
        UnimplementedError: when JAX lacks the tables that pending arrays need.
    """
    global is_installed
    if is_installed:
        return
    if not IS_SUPPORTED:
        raise UnimplementedError(_UNSUPPORTED)
    is_installed = True
    kind = type(tracing.jit(lambda x: x))
    tracing.wrap_kernel = _wrapped
    for forget in tracing.on_first_wrap:
        forget()
    made: dict[
        int, Kernel | StaticKernel
    ] = {}  # the same Kernel where several modules have a kernel
    for name, module in list(sys.modules.items()):
        if name.startswith("jaxeager"):
            for key, value in list(vars(module).items()):
                if type(value) is kind and "origin" in vars(value):  # made by ``tracing.jit``
                    if id(value) not in made:
                        made[id(value)] = _recordable(value, value.__wrapped__)
                    setattr(module, key, made[id(value)])


def _wrapped(kernel: Jitted, rule: Any, options: dict) -> Kernel | StaticKernel | Jitted:
    """Return the Kernel of a jitted function; the function itself for options it cannot have."""
    return _recordable(kernel, rule) if options.keys() <= {"static_argnums"} else kernel


def _recordable(kernel: Jitted, rule: Any) -> Kernel | StaticKernel:
    positions = kernel.static_argnums
    return StaticKernel(kernel, rule, positions) if positions else Kernel(kernel, rule)


def step_kernel(function: Any) -> Kernel:
    """Return the Kernel of an optimizer's step, after which a segment ends.

    Args:
        function: a result of ``donating`` of optimizer/donation.py.
    """
    kernel = function.plain
    if type(kernel) is not Kernel:  # made before lazy mode was first used
        kernel = function.plain = Kernel(kernel, kernel.__wrapped__)
    kernel.ends_segment = True
    return kernel
