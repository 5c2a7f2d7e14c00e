"""Kernels that are loaded from files without tracing, or compiled as thoroughly as they need.

Note [Kernels from files]
    A kernel with new shapes takes 30 to 200 ms. JAX's own cache saves XLA's part of that; tracing
    and lowering, 12 ms, run before its lookup. So ``kept`` replaces ``cache_miss``, the function
    through which a jitted callable requests an executable from Python. The replacement identifies a
    kernel by what it is made from: the row or rule with its static arguments (``identity``), the
    source of this package's ops, shapes and dtypes, the device, the versions and settings of JAX
    and XLA. If there is a file of that name (kernel_files.py), it is loaded, in 2 ms; else JAX
    compiles as usual, and the file is written. Later calls run in C++ as before, at no extra cost.

    JAX's own cache then need not keep the kernel too, and is configured not to, unless
    ``FLAGS_kernels_in_jax_cache`` is on. Its files are named by the traced computation, so it has
    what was compiled before the source changed. What is read from it gets a file here, too.

    Uncommon calls are left to JAX: tracers (a user's ``jax.jit`` or ``jax.grad``), arrays on
    several devices, JAX's debugging settings, a JAX version that this module does not know.

    A kernel may call functions outside of XLA. JAX registers LAPACK's while it lowers, so they are
    registered before such a kernel is loaded. A kernel with any other is left to JAX's own cache
    from the second process on, because what it calls (a Python callback) may belong to one process.
    So is one that returns named tuples or dicts: a file names no classes.

    ``begin`` and ``ahead`` prepare a kernel before it is called, with and without other threads
    (compile_threads.py). A call of that kernel waits for it meanwhile.
"""

from __future__ import annotations

import functools
import logging
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import numpy as np
from jax.core import ShapedArray

from jaxeager.core import forked, places
from jaxeager.kernels import (
    calling_thread,
    compilations,
    compile_events,
    compile_threads,
    kernel_files,
    stored_kernels,
    tiers,
)
from jaxeager.kernels.kernel_identity import from_plain, name_of, plain, text_of

if TYPE_CHECKING:
    from jaxeager.kernels.executable_data import Jitted, Structs

try:
    from jax._src.core import trace_state_clean
    from jax._src.interpreters import pxla as _pxla
    from jax._src.lax.linalg import initialize_lapack as _initialize_lapack
    from jax._src.lib import xla_client as _xla_client  # type: ignore[attr-defined]

    _Data: Any = _pxla.MeshExecutableFastpathData
    _handlers: Any = _pxla.global_avals_to_results_handler
    _DeviceList: Any = _xla_client.DeviceList
    Array: Any = _xla_client.ArrayImpl
    _is_known = jax.__version_info__[:2] in ((0, 10), (0, 11), (0, 12))
except (ImportError, AttributeError):  # another JAX: it handles all kernels itself
    Array = type(jax.numpy.zeros(()))
    _is_known = False

_jax_log = logging.getLogger("jax._src.dispatch")
_UNCOMMON = ("jax_debug_nans", "jax_debug_infs", "jax_no_execution", "jax_no_tracing")


class Origin(NamedTuple):
    """The identity of a function that JAX traces.

    Attributes:
        what: plain values that identify it across processes; see ``text_of``.
        quick_elements: the number of elements of operands up to which it is compiled quickly: Note
            [Tiers] in tiers.py.
        each_rounded: whether XLA must keep every rounding to 16 bits between two of its ops.
        is_awaited: whether it runs in the thread of its caller (calling_thread.py). It is the same
            executable otherwise, and has the same file.
    """

    what: tuple
    quick_elements: float = 2**18
    each_rounded: bool = False
    is_awaited: bool = False


class Counts(NamedTuple):
    """The numbers of kernels in this process, by source.

    Attributes:
        loaded: read from files, without tracing.
        quick: compiled with few of XLA's passes.
        full: compiled with all of them.
    """

    loaded: int
    quick: int
    full: int


_counts = {"loaded": 0, "quick": 0, "full": 0}
has_new = False
"""Whether kernels were compiled since a backward last looked (graph/vjps_ahead.py)."""


def counts() -> Counts:
    """Return how many kernels were loaded and compiled since the process began.

    Kernels that JAX handled itself (Note [Kernels from files]) are not counted.

    Example:
        >>> from jaxeager.kernels import executables
        >>> sum(executables.counts()) >= 0
        True
    """
    return Counts(**_counts)


def origin_of(function: Callable) -> Origin | None:
    """Return the origin of a function defined in a module of this package; else None."""
    try:
        return Origin((plain(function),))
    except TypeError:
        return None


def kept(
    jitted: Jitted, function: Callable, origin: Origin, on_loaded: Callable, options: dict
) -> Jitted:
    """Return a jitted callable like JAX's, whose kernels come from files where possible.

    Args:
        jitted: ``jax.jit(function, **options)``.
        function: what JAX traces.
        origin: what the function is made from.
        on_loaded: called with the shapes of a kernel's results (``jax.ShapeDtypeStruct``) before it
            is loaded; an exception that it raises refuses the call. It returns a function that is
            called, with the operands, when the kernel is loaded.
        options: those of ``jax.jit``.

    Returns:
        the callable; ``jitted`` itself where this JAX is not supported, ``origin`` is not of plain
        values, or the options choose XLA's options.
    """
    identity = text_of((*origin.what, origin.each_rounded))
    base = tiers.EACH_ROUNDED if origin.each_rounded else {}
    if base:
        jitted = jax.jit(function, **options, compiler_options=base)
    if (
        identity is None
        or "compiler_options" in options
        or not _is_known
        or not hasattr(jitted, "__setstate__")
    ):
        return jitted
    kernel = _Kernel(jitted, function, options, identity, origin, on_loaded, base)
    kind: Any = type(jitted)
    made = kind.__new__(kind)
    made.__setstate__(jitted.__getstate__() | {"cache_miss": kernel.on_miss})
    vars(made).update(vars(jitted), ahead=kernel.ahead, begin=kernel.begin, names=kernel.names)
    kernel.callable = weakref.ref(made)
    return made


_with_refused: list[_Kernel] = []


def accept_refused() -> None:
    """Store the kernels for which a listener of ``compilations`` raised, at their next calls.

    JAX's C++ never stores an executable whose first call raised: each later call requests it again,
    until the callable is cleared.
    """
    while _with_refused:
        kernel = _with_refused.pop()
        kernel.refused.clear()
        callable_ = kernel.callable()
        if callable_ is not None:
            callable_.clear_cache()


def clear(kernel: Jitted) -> None:
    """Free the executables of what ``tracing.jit`` returned; they can begin again."""
    getattr(kernel, "names", set()).clear()
    kernel.clear_cache()


def has_file(kernel: object) -> bool:
    """Return whether the executables of what ``tracing.jit`` returned can be loaded from files."""
    names = getattr(kernel, "names", ())
    return bool(names) and all(stored_kernels.read(name) is not None for name in tuple(names))


def ahead(kernel: Jitted, *operands) -> Structs:
    """Compile a kernel for operands of some shapes, unless it is in memory or has a file.

    Args:
        kernel: what ``tracing.jit`` returned.
        operands: ``executable_data.struct_of`` of each operand of the later call, nested or not.

    Returns:
        its results, as ``jax.ShapeDtypeStruct``.
    """
    known = getattr(kernel, "ahead", None)
    if known is not None:
        return known(operands)
    lowered = kernel.lower(*operands)
    lowered.compile()
    return lowered.out_info


def begin(kernel: Jitted, *operands) -> Structs | None:
    """Trace a kernel for operands of some shapes, and compile it in another thread.

    A kernel that has a file is neither traced nor compiled.

    Args:
        kernel: what ``tracing.jit`` returned.
        operands: ``executable_data.struct_of`` of each operand of the later call, nested or not.

    Returns:
        its results, as ``jax.ShapeDtypeStruct``; None for a kernel that was made before, or that
        is compiled by its call: because JAX handles it, or compilations are listened to or logged.
    """
    known = getattr(kernel, "begin", None)
    if known is None or compilations.is_listened_to() or are_logged():
        return None
    return known(operands)


def are_logged() -> bool:
    """Return whether JAX logs each compilation: the caller may hold the lock of a log's handler."""
    config: Any = jax.config
    return config.jax_log_compiles or _jax_log.isEnabledFor(logging.DEBUG)


class _Call(NamedTuple):
    """One request for a kernel.

    Attributes:
        name: the digest of all that the executable depends on.
        arrays: the operands that are not static, flat.
        device: the device they are on.
        options: XLA's options of its tier.
    """

    name: str
    arrays: list
    device: places.Device
    options: dict

    def results_in_file(self) -> Structs | None:
        """Return the results of a kernel that has a file, as structs; else None."""
        is_free = all(each.sharding is None for each in self.arrays)
        return stored_kernels.results(self.name, None if is_free else places.only_on(self.device))


class _Kernel:
    """One jitted callable, and the sources of its executables."""

    def __init__(
        self,
        jitted: Jitted,
        function: Callable,
        options: dict,
        identity: str,
        origin: Origin,
        on_loaded: Callable,
        base: dict,
    ):
        state = jitted.__getstate__()
        self.jitted, self.miss = jitted, state["cache_miss"]
        self.static_argnums = frozenset(state["static_argnums"])
        self.static_argnames = frozenset(state["static_argnames"])
        quick = {**base, **tiers.QUICK}
        self.make_quick = functools.partial(jax.jit, function, **options, compiler_options=quick)
        self.identity, self.origin, self.on_loaded = identity, origin, on_loaded
        self.names: set[str] = set()  # of kernels that were made or begun
        self.refused: set[str] = set()  # see ``accept_refused``
        self.callable: Any = None  # a weak reference to the callable that ``kept`` returns
        self.jax_name = f"jit({function.__name__})"

    @functools.cached_property
    def quick(self) -> Jitted:
        """Return the callable whose kernels are compiled with few of XLA's passes."""
        return self.make_quick()

    @functools.cached_property
    def quick_miss(self) -> Callable:
        """Return the function that JAX's C++ calls for a kernel of ``quick``."""
        return self.quick.__getstate__()["cache_miss"]

    def on_miss(self, *args, **given):
        """Return the results of a call, and the data that JAX's C++ needs for later such calls."""
        call = self.read(args, given)
        if call is None:
            return self.miss(*args, **given)
        if call.name in self.refused:
            with compilations.not_shown():
                return self.make(call, args, given)
        made = None
        try:
            with compilations.shown_after():
                made = self.make(call, args, given)
        except BaseException:
            if made is not None:
                self.refused.add(call.name)
                _with_refused.append(self)
            raise
        return made

    def make(self, call: _Call, args: tuple, given: dict):
        """Do the work of ``on_miss`` for a common call."""
        forked.check()  # where JAX compiles, its event checks first
        self.names.add(call.name)
        compilations.add(compile_threads.finish(call.name) or [])
        made = self.load(call, (args, given))
        if made is not None:
            return made
        with self.compiling(call):
            made = self.compile(call, args, given)
        is_named_so = not (call.options and tiers.are_refused())
        if is_named_so and isinstance(made[1], _Data):  # else ``load`` could not load it
            stored_kernels.write(call.name, made[1])
        return made

    def ahead(self, operands: tuple) -> Structs | None:
        """Do the work of this module's ``ahead``; None for a kernel that JAX handles itself."""
        call = self.read(operands, {})
        if call is None:
            return None
        structs = call.results_in_file()
        if structs is not None:
            return structs
        with compile_threads.compiling(call.name), self.compiling(call):
            lowered = self.in_tier(call).lower(*operands)
            lowered.compile()
        return lowered.out_info

    def begin(self, operands: tuple) -> Structs | None:
        """Do the work of this module's ``begin`` for a kernel that may be a common call's."""
        call = self.read(operands, {})
        if call is None or call.name in self.names or _is_divided(call.device):
            return None
        structs = call.results_in_file()
        if structs is not None:
            return structs
        self.names.add(call.name)
        compile_events.take_announced()  # of a kernel that was traced and not compiled
        traced = self.in_tier(call).trace(*operands)
        noted = compilations.take_traced()
        compile_traced = functools.partial(self.compile_traced, call, operands, traced, noted)
        compile_threads.submit(call.name, compile_traced)
        return traced.out_info

    def compile_traced(
        self, call: _Call, operands: tuple, traced: jax.stages.Traced, noted: Any
    ) -> list | None:
        """Compile a kernel in any thread; return the notes of it, for ``compilations.add``.

        JAX's settings in ``with`` blocks belong to the thread that traced it. A kernel that they
        change has another name in the others, which return None.
        """
        here = self.read(operands, {})
        if here is None or here.name != call.name:
            return None
        with (
            compilations.collected(noted) as notes,
            self.compiling(call),
        ):
            traced.lower().compile()
        return notes

    def compiling(self, call: _Call) -> AbstractContextManager[None]:
        """Return a block in which JAX compiles the kernel of a call."""
        tier = "quick" if call.options else "full"
        return stored_kernels.compiling(call.name, tier, self.jax_name)

    def in_tier(self, call: _Call) -> Jitted:
        """Return JAX's callable that compiles with the options of a call."""
        return self.quick if call.options else self.jitted

    def read(self, args: tuple, given: dict) -> _Call | None:
        """Return the request of a call; None for a call that is not common."""
        static, dynamic = self.split(args, given)
        arrays, tree = jax.tree.flatten(dynamic)
        device = None if static is None else _one_device(arrays)
        if device is None:
            return None
        is_small = sum([array.size for array in arrays]) <= self.origin.quick_elements
        options = tiers.QUICK if is_small and tiers.are_used_on(device) else {}
        name = name_of((self.identity, static), arrays, tree, device, options)
        return _Call(name, arrays, device, options)

    def compile(self, call: _Call, args: tuple, given: dict):
        """Do the work of ``on_miss`` by tracing and compiling."""
        global has_new
        has_new = True
        made = self.compile_quickly(args, given) if call.options else None
        if made is None:
            made = self.miss(*args, **given)
            _counts["full"] += 1
        return made

    def split(self, args: tuple, given: dict) -> tuple[str | None, tuple]:
        """Return the static arguments as text, None when they are not plain, and the others."""
        if not (self.static_argnums or self.static_argnames):
            return "", (args, given)
        static = [each for at, each in enumerate(args) if at in self.static_argnums]
        named = sorted(item for item in given.items() if item[0] in self.static_argnames)
        left = tuple([each for at, each in enumerate(args) if at not in self.static_argnums])
        rest = {name: each for name, each in given.items() if name not in self.static_argnames}
        return text_of((tuple(static), tuple(named))), (left, rest)

    def compile_quickly(self, args: tuple, given: dict):
        """Do the work of ``miss`` with few of XLA's passes; None when XLA has no such options."""
        try:
            made = self.quick_miss(*args, **given)
        except (jax.errors.JaxRuntimeError, ValueError) as error:
            if "compile option" not in str(error):
                raise
            tiers.refuse()
            return None
        _counts["quick"] += 1
        return made

    def load(self, call: _Call, operands: tuple):
        """Do the work of ``on_miss`` with the executable of a file; None if there is none."""
        name, arrays, device, _ = call
        found = stored_kernels.read(name)
        if found is None:
            return None
        header, executable = found
        avals = [
            ShapedArray(tuple(shape), np.dtype(dtype), weak_type=is_weak)
            for shape, dtype, is_weak in header["outputs"]
        ]
        note = self.on_loaded([jax.ShapeDtypeStruct(each.shape, each.dtype) for each in avals])
        if header["lapack"]:
            _initialize_lapack()
        where = places.only_on(device)
        is_kept, committed = header["kept"], any(each.committed for each in arrays)
        tree = jax.tree.structure(from_plain(header["tree"]))
        given = [array for array, is_used in zip(arrays, is_kept, strict=True) if is_used]
        handlers = _handlers(avals, [where] * len(avals), committed).handlers
        options = calling_thread.load_options(device) if self.origin.is_awaited else {}
        try:
            loaded = device.client.deserialize_executable(
                executable, executable_devices=_DeviceList((device,)), **options
            )
            outs = loaded.execute_sharded(given).consume_with_handlers(handlers)
        except jax.errors.JaxRuntimeError:  # from another XLA, or no memory is left
            kernel_files.drop(name)
            if any(array.is_deleted() for array in given):  # donated: nothing can be called again
                raise
            return None
        data = _Data(
            loaded, tree, [where] * sum(is_kept), [where] * len(avals), avals,
            [committed] * len(avals), is_kept, [None] * sum(is_kept), [],
        )  # fmt: skip
        _counts["loaded"] += 1
        note(operands)
        return jax.tree.unflatten(tree, outs), data, False


def _one_device(arrays: list):
    """Return the one device of all arrays of a call; None for a call that is not common."""
    config: Any = jax.config
    if any(getattr(config, name, None) for name in _UNCOMMON) or not trace_state_clean():
        return None
    device = None
    for array in arrays:
        if type(array) is not Array and type(array) is not jax.ShapeDtypeStruct:
            return None
        where = array.sharding
        if where is None:  # of a struct
            continue
        if type(where) is not jax.sharding.SingleDeviceSharding:
            return None
        (found,) = where.device_set
        if found is not (device or found) or where.memory_kind != places.only_on(found).memory_kind:
            return None
        device = found
    if device is None:  # no operands: it runs on JAX's default device
        device = config.jax_default_device or jax.local_devices()[0]
    return device if isinstance(device, jax.Device) else None


@functools.cache
def _is_divided(device) -> bool:
    """Return whether a CPU is several devices: then an operand without a sharding may be on all."""
    return device.platform == "cpu" and len(device.client.local_devices()) > 1
