"""Ports: functions that lower layers call and upper layers set.

Note [Ports]
    Imports run downward (tests/test_layers_of_imports.py). Where a lower layer needs a function of
    an upper one, this module has a name for it: the lower layer calls it as ``ports.name``, the
    upper one sets it. Only one other thing is set from above: the class of Tensor itself
    (``set_tensor_class`` in ops), which is stored where every call looks it up.

    Ports that are always needed are set when the file with their function is imported. Those that
    only some programs need are set by wiring.py, which imports the module at the first call. Those
    of a tool are None while that tool is off.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path


Port: TypeAlias = Callable[..., Any]
"""A function of an upper layer; the text below it describes it."""


def _unfilled(*arguments: object) -> Any:
    raise RuntimeError("A port is called before jaxeager is imported as a whole.")


# ---- always there

as_tensor: Port = _unfilled
"""(array, stop_gradient) -> Tensor. The graph makes tensors for hooks; set by tensor/tensor.py."""

to_tensor: Port = _unfilled
"""(data) -> Tensor of a number, list or array, as paddle.to_tensor; set by tensor/tensor.py."""

as_selected_rows: Port = _unfilled
"""(array, rows, stop_gradient) -> SelectedRows: a gradient of some rows of a table."""

view_steps: Any = None
"""The module that reads and writes the places of a shared memory: ops/derived/view_steps.py."""

overwritten: Port = _unfilled
"""The gradient of a value that is overwritten; ops/elementwise/overwriting.py."""

# ---- imported when first called, by wiring.py

switch_tool: Callable[[str, bool | int | float | str], None] = _unfilled
"""(name of a flag, its new value): notifies the tool that the flag switches, if there is one."""

read_log_levels: Callable[[], None] = _unfilled
"""Sets the verbose log to the levels that the environment names."""

log_writers: Callable[[], list[Any]] = _unfilled
"""() -> the observers that write the verbose logs of forward and of backward."""

dumping: Callable[[str | PathLike[str]], AbstractContextManager[object]] = _unfilled
"""(folder) -> a context that writes the graph of each backward to the folder."""

describe_failure: Callable[[BaseException, Any], None] = _unfilled
"""(error, node): reports a node that failed; debug/stacks/error_text.py."""

sparse_room: Callable[[], ModuleType] = _unfilled
"""() -> paddle.sparse, for the methods that convert a dense Tensor to a sparse one."""

extract_node: Callable[..., list[Path]] = _unfilled
"""(node, folder, ...) -> paths: writes a gradient as a program; debug/gradients/extract.py."""

known_number: Callable[[Any, Any], Any] = _unfilled
"""(Tensor, size or shape) -> the Tensor that also records its values; tensor/open_number.py."""
open_number: Callable[[Any], Any] = _unfilled
"""(size, or shape) -> a Tensor that records its open sizes; tensor/open_number.py."""

layout_of: Callable[[object], Any] = _unfilled
"""(tensor or array) -> its placement on a mesh, None on one device.

See distributed/mesh/partial_tensors.py. The placement has a ``mesh`` and ``placements``."""

local_of: Port = _unfilled
"""(tensor, rank) -> the part of a tensor on one device; distributed/mesh/local_tensors.py."""

html_of: Callable[[object], str] = _unfilled
"""(value) -> its form in a notebook, HTML; notebook/__init__.py."""


def notebook_form(self: object) -> str:
    """Return the form that notebooks show: the ``_repr_html_`` of the classes that have one."""
    return html_of(self)


treescope_of: Port = _unfilled
"""(value, path, renderer) -> its rendering in treescope; notebook/treescope_forms.py."""


def treescope_form(self: object, path: str | None, subtree_renderer: object) -> Any:
    """Return the rendering in treescope: the ``__treescope_repr__`` of Tensors and Layers."""
    return treescope_of(self, path, subtree_renderer)


# ---- there once a program has several ranks

write_for_ranks: Callable[[str, str], None] | None = None
"""(name, text): leaves a text for the other ranks; distributed/communication/shared_texts.py."""

read_of_rank: Callable[[str, int], str | None] | None = None
"""(name, rank) -> the text that a rank has left, None if there is none."""

run_name: str = ""
"""What the ranks of one run have in common: random text; distributed/communication/world.py."""

# ---- there while a tool is on

on_error: Callable[[Any], None] | None = None
"""Notified of every error of the package that is created; debug/stacks/error_text.py."""

describe_write: Callable[..., str] | None = None
"""(wrapper, node) -> the lines that saved a tensor and wrote it; debug/stacks/stacks.py."""

name_of_edge: Callable[[Any], str] | None = None
"""(edge) -> the unique name of the tensor at an edge; debug/common/naming.py."""

look_at_indices: Callable[..., None] | None = None
"""Checks indices that are on an accelerator, on that device; debug/checks/index_checks.py."""

look_at_values: Callable[..., None] | None = None
"""Checks values that are on an accelerator, on that device; debug/checks/index_checks.py."""
