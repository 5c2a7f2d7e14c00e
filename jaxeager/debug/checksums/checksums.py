"""FLAGS_tensor_md5_checksum_output_path: a line ``{unique name}:{md5}`` per computed tensor.

Note [Checksums]
    Forward outputs are written in call order, a node's gradients (``...@Grad``; ``:None`` for a
    missing one) when it has run, an optimizer's outputs when it has stepped. The MD5 is computed
    from every element's decimals in row-major order of the tensor, or from its bytes. The text is
    the same as Paddle's, so files of both can be compared. With at least one decimal the text
    determines the numbers, because the number of decimals after a point is fixed. With none it
    would not ("111" for [1, 11] and for [11, 1]), so only then numbers are separated by commas.

    An op only adds its array to a queue: arrays do not change. They are read and written in
    batches (BATCH lines, or BATCH_ELEMENTS elements), when the device has long finished most of
    them; the rest when a backward has ended, an op has failed, a flag changes, the process ends,
    or by ``flush``.

    Each process has one file: forked and spawned workers, and trainers after the first, write
    ``path.pid``. Stacks and first values are in a second file: Note [Details].
"""

import atexit
import contextlib
import functools
import hashlib
import math
import os
import struct
import threading
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.as_array import host_values
from jaxeager.core import flags, user_lines
from jaxeager.debug.checksums import details
from jaxeager.debug.common import call_names, naming
from jaxeager.debug.common.decimal_text import decimal_blocks
from jaxeager.debug.common.output_files import AppendedFile, check_writable
from jaxeager.debug.stacks import stacks
from jaxeager.errors import JaxEagerError
from jaxeager.graph import events
from jaxeager.kernels.executables import Array

BATCH = 512
BATCH_ELEMENTS = 1 << 23
_SMALL = 32  # elements; arrays up to this size are formatted together with their cached name
_KEPT = 4096
_PATH = "FLAGS_tensor_md5_checksum_output_path"
_PRECISION = "FLAGS_tensor_md5_checksum_precision"
_DETAILS = "FLAGS_tensor_md5_checksum_details"
_BINARY = (
    "FLAGS_tensor_md5_checksum_use_binary_format",
    "FLAGS_tensor_md5_checksum_use_binary_input",
)
_OUTPUTS = {  # of optimizers, if Paddle's op and its optimizer name an accumulator differently
    "_avg_squared_grad": "moment", "_avg_squared_update": "inf_norm", "momentum": "moment",
    "prevs": "prev", "learning_rates": "learning_rate",
}  # fmt: skip
_WITH_POWERS = ("adam", "adamw", "lamb")

_md5 = functools.partial(hashlib.md5, usedforsecurity=False)
_short_md5 = _md5  # for a few bytes: OpenSSL's has a slow start
with contextlib.suppress(ImportError):
    from _md5 import md5 as _short_md5
_CODES = {  # struct module codes, by NumPy's
    "f2": "e", "f4": "f", "f8": "d", "b1": "?", "i1": "b", "i2": "h", "i4": "i", "i8": "q",
    "u1": "B", "u2": "H", "u4": "I", "u8": "Q",
}  # fmt: skip


class _Form(NamedTuple):
    """The text form of arrays of one shape and dtype.

    Attributes:
        suffix: the end of the name, ``_float32_2x3``.
        text: a format for all elements together.
        unpack: reads all elements from the array's memory; None for large arrays and for dtypes
            without a C type.
    """

    suffix: str
    text: str
    unpack: Callable | None


class _Checksums(events.Observer):
    """Queues the results of ops, nodes and optimizers, and writes them in batches.

    Attributes:
        queue: (name, array, aval, stack): a complete name or a naming.Made; an array or None; for a
            gradient, the shape and dtype in the name of the output it belongs to, else None; and
            with details, the stack of the call, else None.
        left: how many elements of arrays may still be queued.
        path: the file, "" while off.
        precision: the number of decimals.
        is_binary: whether bytes are used instead.
        details: the file of stacks and first values; None where it is off.
    """

    def __init__(self):
        self.queue: deque[tuple] = deque()
        self.left = BATCH_ELEMENTS
        self.forms: dict = {}
        self.labels: dict = {}
        self.lock = threading.RLock()
        self.runs = threading.local()
        self.path = ""
        self.file = AppendedFile("")
        self.precision = int(flags.flag(_PRECISION))
        self.is_binary = _is_binary()
        self.details: details.DetailsFile | None = None

    # ---- what is queued

    def op_ran(self, row, operands, attrs, outputs, node, is_inplace):
        queue = self.queue
        stack = None if self.details is None else stacks.forward_stack()
        for tensor in outputs:
            array = tensor._array
            if type(array) is Array:  # not a tracer
                queue.append((tensor._call, array, None, stack))
                self.left -= array.size
        if self.left < 0 or len(queue) >= BATCH:
            self.flush()

    def op_failed(self, row, is_inplace, error):
        self.flush()

    def layer_ended(self, layer, inputs, outputs, node):
        stack = None if self.details is None else stacks.forward_stack()
        for tensor in outputs:  # a tensor from before names were in use has only its own name
            name = getattr(tensor, "_call", None) or naming.name_of(tensor)
            self.put(name, tensor._array, stack=stack)

    def backward_began(self, run):
        self._open_runs().append(run)

    def backward_ended(self, run, error):
        if run in self._open_runs():  # false if the flag was set during the run
            self._open_runs().remove(run)
        self.flush()

    def node_ended(self, node, grads, results):
        if node.is_leaf or not results:
            return
        runs = self._open_runs()
        tasks = runs[-1].tasks if runs else None
        stack = None if self.details is None else stacks.stack_of(node)
        for edge, grad in zip(node.edges, results, strict=True):
            if edge is None or grad is None or (tasks is not None and edge.node not in tasks):
                self.queue.append(("", None, None, stack))
            else:
                self.put(*_gradient_name(edge, grad), stack=stack)

    def step_ended(self, rule, params, state):
        stack = None if self.details is None else stacks.forward_stack()
        for param, call in zip(params, call_names.step_calls(rule, params), strict=True):
            for output, array in _stepped(rule, param, state):
                self.put(naming.output_name(call, f"{output}_out", array), array, stack=stack)

    def put(self, name, array, aval=None, stack=None) -> None:
        """Queue an array under a name; see ``queue``."""
        if type(array) is Array:
            self.queue.append((name, array, aval, stack))
            self.left -= array.size
            if self.left < 0 or len(self.queue) >= BATCH:
                self.flush()

    def _open_runs(self) -> list:
        try:
            return self.runs.open
        except AttributeError:
            self.runs.open = []
            return self.runs.open

    # ---- what is written

    def flush(self) -> None:
        """Write the queue; wait for the device."""
        with self.lock:
            self.left = BATCH_ELEMENTS
            queue = [self.queue.popleft() for _ in range(len(self.queue))]
            if not queue or not self.path:
                return
            _start_copies(queue)
            kept = None if self.details is None else []
            try:
                text = "".join(self.lines(queue, kept))
            except BaseException:  # such as KeyboardInterrupt: keep them for the next flush
                self.queue.extendleft(reversed(queue))
                raise
            try:
                self.file.write(text)
            except OSError as error:
                user_lines.warn(f"{len(queue)} checksums are lost: {error}")
            if self.details is not None and kept is not None:
                self.details.write(kept)

    def lines(self, queue: list[tuple], kept: list[tuple] | None = None) -> list[str]:
        """Return one line for each name and array; add what details need to ``kept``."""
        lines, forms, labels = [], self.forms, self.labels
        for name, array, aval, stack in queue:
            if array is None:
                lines.append(":None\n")
                continue
            form = forms.get(array.aval) or self.new_form(array.aval)
            if type(name) is tuple:  # a naming.Made
                row, stem, number, position = name
                end = "" if aval is None else "@Grad"
                label = labels.get((row, position, end))
                if label is None:
                    label = self.new_label(row, position, end)
                if not label:
                    continue
                suffix = form.suffix if aval is None or aval is array.aval else self.suffix(aval)
                name = f"{stem}{number}_{label}{suffix}{end}"
            try:
                checksum = self.checksum(array, form)
            except (RuntimeError, JaxEagerError) as error:  # donated, or its computation failed
                checksum = f"unreadable ({type(error).__name__})"
                array = None
            line = f"{name}:{checksum}"
            lines.append(f"{line}\n")
            if kept is not None:
                kept.append((line, None if array is None else host_values(array), stack))
        return lines

    def checksum(self, array, form: _Form) -> str:
        """Return the MD5 of one array."""
        if form.unpack is None:
            return checksum_of(host_values(array), self.precision, self.is_binary)
        try:
            values = form.unpack(array)
        except (BufferError, TypeError):  # not contiguous in host memory
            values = tuple(host_values(array).ravel().tolist())
        return _short_md5((form.text % values).encode()).hexdigest()

    def suffix(self, aval) -> str:
        """Return the suffix of names for a shape and dtype."""
        return (self.forms.get(aval) or self.new_form(aval)).suffix

    def new_label(self, row, position: int, end: str) -> str:
        """Return an output's label in names, and cache it; "" for an output without a line.

        A VJP that is recorded as an op has no lines: its results are gradients, and named so.
        """
        label = naming.output_labels(row, position + 1)[position]
        if naming.is_derivative(row) and not end:
            label = ""
        if len(self.labels) >= _KEPT:
            self.labels.clear()
        self.labels[row, position, end] = label
        return label

    def new_form(self, aval) -> _Form:
        """Create the form of a shape and dtype, and cache it."""
        suffix = f"_{aval.dtype.name}_{'x'.join(map(str, aval.shape))}"
        size, text, unpack = math.prod(aval.shape), "", None
        code = _CODES.get(aval.dtype.str[1:])
        if 0 < size <= _SMALL and code and self.precision and not self.is_binary:
            text = f"%.{self.precision}f" * size
            unpack = struct.Struct(f"={size}{code}").unpack
        if len(self.forms) >= _KEPT:
            self.forms.clear()
        form = self.forms[aval] = _Form(suffix, text, unpack)
        return form

    def change(self, **settings) -> None:
        """Change settings, after the queue was written with the old ones."""
        with self.lock:
            self.flush()
            self.forms = {}
            for name, value in settings.items():
                setattr(self, name, value)


def checksum_of(values: np.ndarray, precision: int = 3, is_binary: bool = False) -> str:
    """Return the MD5 of an array's decimals, or of its bytes, in row-major order.

    Args:
        values: an array of any shape and dtype.
        precision: the number of decimals.
        is_binary: use the bytes instead.

    Returns:
        32 hexadecimal digits.

    Example:
        >>> import numpy as np
        >>> checksum_of(np.array([1.0, 2.0004]), 3) == checksum_of(np.array([1.0, 2.0001]), 3)
        True
    """
    if is_binary:
        return _md5(np.ascontiguousarray(values).tobytes()).hexdigest()
    found = _md5()
    for text in decimal_blocks(values, precision, "" if precision else ","):
        found.update(text)
    return found.hexdigest()


def _gradient_name(edge, grad) -> tuple:
    """Return the queue entry for the gradient that flows along an edge."""
    node, position = edge.node, edge.slot + edge.rank
    notes = {} if node.is_leaf else getattr(node, "notes", {})
    made = notes.get("call")
    is_named = "outputs" in notes or "given" in notes  # its name does not follow from its call
    if made is None or is_named or position >= len(node.out_avals):
        return naming.grad_name(edge), grad
    return (*made[:3], position), grad, node.out_avals[position]


def _stepped(rule, param, state) -> list[tuple]:
    """Return (output, array) for a parameter's update, in the order of Paddle's op."""
    found = [("param", param._array)]
    slots = zip(rule.slots, state.slots(param), strict=True)
    slots = [(_OUTPUTS.get(name, name), tensor._array) for name, tensor in slots]
    powers, shared = [], state.powers(param)
    if shared is not None and (rule.spreads_powers or rule.name in _WITH_POWERS):
        for name, tensor in zip(rule.powers, shared.tensors, strict=True):
            array = tensor._array
            if rule.spreads_powers:
                array = jnp.broadcast_to(array.reshape(()), param._array.shape)
            powers.append((name.removesuffix("_acc"), array))
    found += powers + slots if rule.spreads_powers else slots + powers
    master = state.masters.get(param.name)
    return found if master is None else [*found, ("master_param", master._array)]


# ---- the file


def _start_copies(queue: list[tuple]) -> None:
    """Start the transfers of all arrays from an accelerator together."""
    if jax.default_backend() != "cpu":
        for _, array, _ in queue:
            if array is not None and not array.is_deleted():
                array.copy_to_host_async()


# ---- switches


def _is_binary() -> bool:
    return any(flags.flag(name) for name in _BINARY)


def set_path(path: str) -> None:
    """Apply FLAGS_tensor_md5_checksum_output_path: begin a file, or stop on ""."""
    if path:
        check_writable(path, _PATH)
    was_on = bool(_checksums.path)
    before = _checksums.file
    _checksums.change(path=path, file=AppendedFile(path))
    before.close()
    _set_details(path, int(flags.flag(_DETAILS)))
    if path and not was_on:
        naming.begin_use()
        events.observe(_checksums)
    elif was_on and not path:
        events.unobserve(_checksums)
        naming.end_use()
        _checksums.runs = threading.local()  # forget a backward that is still running


def set_precision(precision: int) -> None:
    """Apply FLAGS_tensor_md5_checksum_precision."""
    _checksums.change(precision=precision)


def set_details(count: int) -> None:
    """Apply FLAGS_tensor_md5_checksum_details."""
    _set_details(_checksums.path, count)


def _set_details(path: str, count: int) -> None:
    """Begin to write details next to a file of checksums; stop where there is none, or for 0."""
    before = _checksums.details
    new = details.DetailsFile(path, count) if path and count else None
    _checksums.change(details=new)
    if before is not None:
        before.close()
        stacks.end_use()
    if new is not None:
        stacks.begin_use()


def set_binary(value: bool) -> None:
    """Apply FLAGS_tensor_md5_checksum_use_binary_format, or its other spelling."""
    _checksums.change(is_binary=_is_binary())


set_binary_input = set_binary


def flush() -> None:
    """Write the queued checksums, to read the file while the program runs.

    Example:
        >>> import os, pathlib, tempfile
        >>> import jaxeager as paddle
        >>> path = os.path.join(tempfile.mkdtemp(), "md5.log")
        >>> paddle.set_flags({"FLAGS_tensor_md5_checksum_output_path": path})
        >>> y = paddle.to_tensor([1.0, 2.0]).exp()
        >>> flush()
        >>> pathlib.Path(path).read_text().startswith("exp")
        True
        >>> paddle.set_flags({"FLAGS_tensor_md5_checksum_output_path": ""})
    """
    _checksums.flush()


def _forget() -> None:
    """Drop the queue in a forked child; the parent writes it."""
    _checksums.queue.clear()
    _checksums.left = BATCH_ELEMENTS
    _checksums.lock = threading.RLock()


_checksums = _Checksums()
atexit.register(flush)
os.register_at_fork(after_in_child=_forget)
