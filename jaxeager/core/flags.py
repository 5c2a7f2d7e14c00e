"""Paddle's FLAGS: one table of rows, read from the environment, set at run time.

Note [Flags]
    Every flag is a row of ``TABLE``. wiring.py names the tool that a flag switches. The tool is
    imported when the flag first gets a value other than its default, so an unused tool is never
    loaded. ``set_flags`` sets all or nothing: when one tool refuses its value, the others are set
    back.

    A flag accepts the same values from everywhere: ``set_flags({"FLAGS_x": "1"})`` and ``FLAGS_x=1
    python train.py`` mean the same. (Paddle refuses text in ``set_flags``, and ignores what it
    cannot read in the environment.)

    Paddle's flags without effect here (paddle_flags.json, with Paddle's defaults) can be set and
    read, since programs do that at their start; each is warned about once.
"""

from __future__ import annotations

import functools
import operator
import os
import textwrap
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from jaxeager.core import ports, user_lines
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, JaxEagerError

Value = bool | int | float | str


class Flag(NamedTuple):
    """One flag.

    Attributes:
        name: with its FLAGS_ prefix.
        default: its value unless it is set; its type is the type of the flag.
        help: what it does.
        least: the lowest value of a number that has one.
        most: the highest.
    """

    name: str
    default: Value
    help: str
    least: int | None = None
    most: int | None = None

    def kind(self) -> str:
        """Return the name of its type."""
        return "bool" if self.default == AUTO else type(self.default).__name__


AUTO = "auto"  # the default of a bool that is decided automatically

TABLE = (
    Flag("FLAGS_check_index", AUTO, "raise for indices that are out of range, integers "
         "divided by 0 and invalid probabilities, where XLA continues silently; auto: those "
         "in host memory; True: also on accelerators, where they are checked on the device and "
         "reported at the next wait"),
    Flag("FLAGS_check_singular", True, "raise for singular matrices in host memory"),
    Flag("FLAGS_call_stack_level", 1, "1: errors as they are; 2: with the path inside the package; "
         "3: backward errors carry the stack of the forward call"),
    Flag("FLAGS_call_stack_frames", "default", "which frames stacks show: default: those of the "
         "program and of layers, optimizers, ... of the library; user: only those of the program; "
         "all: also how an op is called"),
    Flag("FLAGS_enable_unique_name", False,
         "name tensors and nodes after their op, with a counter"),
    Flag("FLAGS_dump_api_python_stack_path", "", "file (.pid is added) for the stack of every op"),
    Flag("FLAGS_dump_grad_node_forward_stack_path", "", "file (.pid is added) for the forward "
         "stack of every node a backward runs"),
    Flag("FLAGS_dump_api_and_gradnode_python_stack_dir", "", "folder for both of these files"),
    Flag("FLAGS_check_nan_inf", False, "check the results of every op for NaN and Inf"),
    Flag("FLAGS_check_nan_inf_level", 0, "0: raise; 1: report; 2: also values that float16 "
         "cannot hold; 3: report every output", 0, 3),
    Flag("FLAGS_nan_birth", False, "find the node whose gradient is the first of a backward that "
         "is not finite; the results of backward are kept until it ends"),
    Flag("FLAGS_low_precision_op_list", 0, "1: count the ops that run by the dtype they compute "
         "in, for paddle.base.core.get_low_precision_op_list()", 0),
    Flag("FLAGS_check_cuda_error", False, "wait for the device around every op, and raise at the "
         "one that failed"),
    Flag("FLAGS_check_cuda_error_log", True, "with FLAGS_check_cuda_error, print Paddle's lines "
         "around every op; False: only the error"),
    Flag("FLAGS_log_prefix", "module", "module: lines of verbose logs begin as in Paddle; program: "
         "with the program's file and line"),
    Flag("FLAGS_flight_recorder", "", "file (.pid is added) for the last ops and nodes and the "
         "stacks of all threads, written when the program ends by a signal or an exception, or "
         "FLAGS_op_timeout is exceeded"),
    Flag("FLAGS_flight_recorder_size", 200, "number of ops and nodes in that file", 1),
    Flag("FLAGS_check_collectives", AUTO, "compare calls between processes before they run, and "
         "raise when they differ; auto: calls of a new kind, and every 128th; True: every "
         "call, which makes a small one about three times as slow; False: none"),
    Flag("FLAGS_collective_late", 30.0, "seconds after which a waiting call between processes "
         "is reported, with what the others are doing; 0: never", 0),
    Flag("FLAGS_op_timeout", 0.0, "seconds after which an op, node or step that has not ended, or "
         "a wait between two ops, is reported, with its line and the stacks of all threads; each "
         "op is waited for; 0: never", 0),
    Flag("FLAGS_alloc_fill_value", -1, "byte (0 to 255) that empty() and empty_like() fill new "
         "memory with; -1: zeros", -1, 255),
    Flag("FLAGS_draw_backward_graphs", True, "draw the backward graphs that are dumped, as .svg "
         "and .png, if Graphviz is installed"),
    Flag("FLAGS_graph_pictures", "svg,png", "formats of drawn graphs: svg, png, both or nothing; "
         "without png a folder of dumps is all text, as in Paddle"),
    Flag("FLAGS_dump_grad_tensors_summary", 0, "number of elements beyond which a gradient of a "
         "captured backward subgraph is summarized, not written whole; 0: none is", 0),
    Flag("FLAGS_dump_grad_tensors_npy", False, "also save the gradients of a captured backward "
         "subgraph whole, as .npy files"),
    Flag("FLAGS_tensor_md5_checksum_output_path", "", "file for an MD5 of every tensor that ops "
         "and backward make"),
    Flag("FLAGS_tensor_md5_checksum_precision", 3, "decimals that the checksums use", 0),
    Flag("FLAGS_tensor_md5_checksum_use_binary_format", False, "checksums of the bytes, not the "
         "decimals"),
    Flag("FLAGS_tensor_md5_checksum_use_binary_input", False, "the same, as Paddle's guide spells "
         "it"),
    Flag("FLAGS_tensor_md5_checksum_details", 0, "how many of the first elements of each tensor "
         "are written next to its checksum, in PATH.details, with the stack of its call; diff-md5 "
         "shows them; 0: none", 0),
    Flag("FLAGS_trace_api", "", "api.yaml,out.txt: write the configuration of every call of the "
         "APIs that api.yaml (or the word all) lists; ',unique' after it writes each once"),
    Flag("FLAGS_lazy", False, "record the kernels that ops call, and run them together when a "
         "value is read (docs/lazy.md)"),
    Flag("FLAGS_lazy_wait", False, "with FLAGS_lazy, compile a segment of kernels when it first "
         "runs; False: in another thread, from its second run on"),
    Flag("FLAGS_check_static", 0, "capture every N-th call of a whole graph (to_static with "
         "full_graph) again, and raise where its program differs (docs/compiling.md); 0: never"),
    Flag("FLAGS_inplace_saved", "error", "what a backward does with a saved tensor that was "
         "written in place since: error: raise; snapshot: use the value that was saved"),
    Flag("FLAGS_kernel_memory_mb", -1, "megabytes that compiled kernels may take before the least "
         "useful are freed (docs/memory.md); -1: a quarter of the machine's memory, 0: no bound",
         -1),
    Flag("FLAGS_kernel_files", True, "keep compiled kernels on disk, and load them from there "
         "without tracing (docs/memory.md)"),
    Flag("FLAGS_kernel_files_mb", 2048, "megabytes that compiled kernels may take on disk before "
         "those not used for longest are removed (docs/memory.md); 0: no bound"),
    Flag("FLAGS_kernels_in_jax_cache", False, "keep kernels that have files in JAX's own cache as "
         "well, where a change of this package's source finds those that it does not concern"),
    Flag("FLAGS_kernel_tiers", AUTO, "auto: kernels of few elements are compiled with fewer of "
         "XLA's passes; off: all with all of them (docs/memory.md)"),
    Flag("FLAGS_warn_compilations", 16, "warn, once per line, of a call that needed this many "
         "kernels because its shapes or static values change (docs/memory.md); 0: never", 0),
    Flag("FLAGS_enable_gpu_memory_usage_log", False, "print each device's peak memory at exit"),
    Flag("FLAGS_enable_gpu_memory_usage_log_mb", True, "in megabytes, not bytes"),
    Flag("FLAGS_trace_allocations", False, "record the op and the line that made each array, "
         "for debug.live_tensors()"),
    Flag("FLAGS_use_system_allocator", False, "allocate device memory piece by piece, without a "
         "pool; set it before the first op runs"),
)  # fmt: skip

# XLA's counterparts of some of Paddle's flags.
_OF_XLA = {
    "FLAGS_cudnn_deterministic": "XLA_FLAGS=--xla_gpu_deterministic_ops=true",
    "FLAGS_embedding_deterministic": "XLA_FLAGS=--xla_gpu_deterministic_ops=true",
    "FLAGS_cudnn_exhaustive_search": "XLA_FLAGS=--xla_gpu_autotune_level=4, which is its default,",
    "FLAGS_fraction_of_gpu_memory_to_use": "XLA_PYTHON_CLIENT_MEM_FRACTION",
    "FLAGS_allocator_strategy": "XLA_PYTHON_CLIENT_ALLOCATOR",
    "FLAGS_selected_gpus": "CUDA_VISIBLE_DEVICES",
}

_rows: dict[str, Flag] = {row.name: row for row in TABLE}
_values: dict[str, Value] = {row.name: row.default for row in TABLE}
_inert_values: dict[str, Value] = {}  # the set values of Paddle's flags without effect
_lock = threading.RLock()

_TRUE, _FALSE = ("1", "true", "t", "yes", "y", "on"), ("0", "false", "f", "no", "n", "off")


# ---- values


def _parse(row: Flag, value: object) -> Value:
    """Convert a value or its text to the type of a flag.

    Raises:
        InvalidArgumentError: when that is not possible.
    """
    kind = row.kind()
    found = _READERS[kind](value)
    if found is None and row.default == AUTO and value == AUTO:
        return AUTO
    if found is None:
        what = f"a bool or {AUTO!r}" if row.default == AUTO else _KINDS[kind]
        raise InvalidArgumentError(f"Flag {row.name} takes {what}, but received {value!r}.")
    too_low = row.least is not None and found < row.least
    if too_low or (row.most is not None and found > row.most):
        bound = (
            f"from {row.least} to {row.most}" if row.most is not None else f"from {row.least} on"
        )
        raise InvalidArgumentError(
            f"Flag {row.name} takes a number {bound}, but received {value!r}."
        )
    return found


_KINDS = {
    "bool": "a bool (1, 0, true, false)", "int": "an int", "str": "text", "float": "a number",
}  # fmt: skip


def _as_bool(value: Any) -> bool | None:
    """Return the bool of a number, None or text; None when it is not one."""
    if isinstance(value, str):
        word = value.strip().lower()
        return True if word in _TRUE else False if word in _FALSE else None
    if value is None or isinstance(value, (bool, int, float)):
        return bool(value)
    return bool(value.item()) if getattr(value, "shape", None) == () else None


def _as_int(value: Any) -> int | None:
    try:
        return int(value.strip()) if isinstance(value, str) else operator.index(value)
    except (TypeError, ValueError):
        return None


def _as_float(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _as_text(value: object) -> str | None:
    return os.fspath(value) if isinstance(value, (str, os.PathLike)) else None


_READERS: dict[str, Callable[[object], Any]] = {
    "bool": _as_bool, "int": _as_int, "float": _as_float, "str": _as_text,
}  # fmt: skip


# ---- names


def _full_name(name: object, verb: str) -> str:
    """Return the name of a flag with its prefix.

    Raises:
        InvalidTypeError: when it is not text.
        InvalidArgumentError: when there is no such flag, in Paddle's words.
    """
    if not isinstance(name, str):
        raise InvalidTypeError(f"The name of a flag is text, but received {name!r}.")
    full = name if name.startswith("FLAGS_") else f"FLAGS_{name}"
    if full not in _rows and full not in _inert_rows():
        raise InvalidArgumentError(
            f"Flag {name} cannot {verb} its value through this function. {_instead_of(full)}"
        )
    return full


@functools.cache
def _inert_rows() -> dict[str, Flag]:
    """Return the flags of Paddle that have no effect here, by their full names."""
    import json
    from pathlib import Path

    found = json.loads(Path(__file__).with_name("paddle_flags.json").read_text(encoding="utf-8"))
    return {f"FLAGS_{name}": Flag(f"FLAGS_{name}", value, "") for name, value in found.items()}


def _instead_of(name: str) -> str:
    """Return a sentence for a name that is not a flag: the nearest flag."""
    import difflib

    cases = {each.lower().removeprefix("flags_"): each for each in [*_inert_rows(), *_rows]}
    word = name.lower().removeprefix("flags_")
    near = [cases[each] for each in difflib.get_close_matches(word, cases, 1)]
    known = "`python -m jaxeager flags` lists all flags."
    if not near:
        return f"There is no such flag; {known}"
    what = "That is a flag of Paddle that has no effect here." if near[0] not in _rows else known
    return f"Did you mean {near[0]}? {what}"


def _keep_inert(name: str, value: Value) -> None:
    """Keep the value of a flag that has no effect; warn of it the first time."""
    if name not in _inert_values:
        text = f"{name} is a flag of Paddle that has no effect here."
        if name in _OF_XLA:
            text += f" XLA has {_OF_XLA[name]} for it; set that before Python starts."
        user_lines.warn(text)
    _inert_values[name] = value


# ---- setting


def _switch(name: str, value: Value) -> None:
    """Set the value of a flag, and switch its tool."""
    before = _values[name]
    _values[name] = value
    try:
        if value != before:
            ports.switch_tool(name, value)
    except BaseException:
        _values[name] = before
        raise


def set_flags(flags: dict[str, Any]) -> None:
    """Set flags from a dict of name to value; all or none are set.

    Args:
        flags: names, with or without "FLAGS_", and values: of the flag's type, or as text, as in an
            environment variable.

    Raises:
        InvalidTypeError: when it is not a dict.
        InvalidArgumentError: for a name that does not exist or a value of the wrong kind.

    Paddle: flags before a wrong name stay set, text is refused, and names need the prefix.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.set_flags({"FLAGS_check_singular": "0"})
        >>> paddle.get_flags("FLAGS_check_singular")
        {'FLAGS_check_singular': False}
        >>> paddle.set_flags({"FLAGS_check_singular": True})
    """
    if not isinstance(flags, dict):  # pyright: ignore[reportUnnecessaryIsInstance]  # untyped calls
        raise InvalidTypeError(f"flags in set_flags should be a dict, but received {flags!r}.")
    parsed: dict[str, Value] = {}
    for name, value in flags.items():
        full = _full_name(name, "set")
        parsed[full] = _parse(_rows.get(full) or _inert_rows()[full], value)
    before: dict[str, Value] = {}
    with _lock:
        try:
            for name, value in parsed.items():
                if name not in _rows:
                    continue
                old = _values[name]
                _switch(name, value)
                before[name] = old
        except BaseException as error:
            _set_back(before, error)
            raise
        for name, value in parsed.items():
            if name not in _rows:
                _keep_inert(name, value)


def _set_back(before: dict[str, Value], error: BaseException) -> None:
    """Set flags back to earlier values; a tool that refuses even that does not stop the others."""
    for name in reversed(before):
        try:
            _switch(name, before[name])
        except Exception as again:
            error.add_note(f"{name} could not be set back to {before[name]!r}: {again}")


def get_flags(flags: str | Sequence[str]) -> dict[str, Value]:
    """Return a dict of the named flags' values, under the names as given.

    Args:
        flags: one name, or a list or tuple of them.

    Raises:
        InvalidTypeError: for anything else.
        InvalidArgumentError: for a name that does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.get_flags(["FLAGS_call_stack_level", "FLAGS_check_nan_inf"])
        {'FLAGS_call_stack_level': 1, 'FLAGS_check_nan_inf': False}
    """
    if not isinstance(flags, (str, list, tuple)):
        raise InvalidTypeError(
            f"Flags in get_flags should be a list, tuple or string, but received {flags!r}."
        )
    names = [flags] if isinstance(flags, str) else flags
    return {name: _value_of(_full_name(name, "get")) for name in names}


def _value_of(name: str) -> Value:
    if name in _rows:
        return _values[name]
    return _inert_values.get(name, _inert_rows()[name].default)


def flag(name: str) -> Value:
    """Return one flag's value."""
    return _values[name]


def names() -> tuple[str, ...]:
    """Return the full names of all flags."""
    return tuple(_rows)


def default_of(name: str) -> Value:
    """Return the default of a flag, by its full name."""
    return _rows[name].default


# ---- the environment and the table as text


def read_environment() -> None:
    """Set the flags named by the environment; warn once of each value that cannot be used.

    Called after the package is imported, because flags switch tools of its upper layers.
    """
    for name, text in sorted(os.environ.items()):
        if not name.startswith("FLAGS_"):
            continue
        row = _rows.get(name) or _inert_rows().get(name)
        if row is None:
            user_lines.warn(f"{name}={text} of the environment is not used. {_instead_of(name)}")
            continue
        try:
            put = _switch if name in _rows else _keep_inert
            put(name, _parse(row, text))
        except (JaxEagerError, OSError, ImportError) as error:
            user_lines.warn(f"{name}={text} of the environment is not used. {error}")
    if "GLOG_v" in os.environ or "GLOG_vmodule" in os.environ:
        ports.read_log_levels()


def table_text() -> str:
    """Return the table of flags as text: name, type, default, value and description.

    Example:
        >>> import jaxeager as paddle
        >>> print(paddle.flags.table_text().splitlines()[0])
        flag                                          type  default  value
    """
    width = max(len(row.name) for row in TABLE) + 2
    line = f"{{:{width}}}  {{:4}}  {{:7}}  {{}}".format
    lines = [line("flag", "type", "default", "value")]
    for row in TABLE:
        default, value = (str(each) or "''" for each in (row.default, _values[row.name]))
        value = _shortened(value, 99 - len(line(row.name, "", "", "")))
        lines += [line(row.name, row.kind(), default, value)]
        lines += textwrap.wrap(
            row.help, 99, initial_indent="    ", subsequent_indent="    ", break_long_words=False
        )
    return "\n".join(lines)


def _shortened(text: str, width: int) -> str:
    """Return text shortened to a width: a long path loses its beginning."""
    return text if len(text) <= width else f"...{text[3 - width :]}"
