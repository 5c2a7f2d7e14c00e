"""The path from a name of a program to an array, in words: an expression, a line, advice."""

from __future__ import annotations

import collections
import functools
import itertools
import logging
import re
import sys
import types
import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jaxeager.debug.memory.program_roots import (
    Root,
    is_installed_file,
    is_librarys,
    is_librarys_class,
)
from jaxeager.debug.memory.reach import Skipped
from jaxeager.debug.memory.written import lines_that_write
from jaxeager.debug.stacks.lines import line_of_node
from jaxeager.graph.hooks import NodeHooks
from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.node import GradNode
from jaxeager.tensor.tensor import Tensor

if TYPE_CHECKING:
    from types import FrameType, FunctionType, TracebackType

    from jaxeager.graph.types import Node

_CACHE = type(functools.lru_cache(lambda: None))
_FINALIZER: Any = weakref.finalize._Info  # type: ignore[attr-defined]  # what its registry holds
_BOXES = (list, tuple, dict, set, frozenset, collections.deque)


class Holder(NamedTuple):
    """The name through which an array lives.

    Attributes:
        name: an expression: "history[0]", "trainer.meter.sum".
        scope: where its first name is: "of __main__", "in train".
        line: "train.py:14", where the program writes it, or made what holds the array.
        through: what the path passes through: a graph, a closure, an exception, a generator.
        advice: what to do, in a line.
    """

    name: str
    scope: str
    line: str
    through: tuple[str, ...]
    advice: str

    def __str__(self) -> str:
        text = f"{self.name} {self.scope}".strip()
        text += f", at {self.line}" if self.line else ""
        return "; ".join([text, *self.through])

    @property
    def is_graph(self) -> bool:
        """Return whether the array is in the graph of a tensor that the program keeps."""
        return self.advice.startswith(_GRAPH)

    @property
    def short(self) -> str:
        """Return the name, and what the path passes through, without the lines of that."""
        parts = [each.partition(", ")[0].partition(" at ")[0] for each in self.through]
        return "; ".join([f"{self.name} {self.scope}".strip(), *parts])

    @property
    def root(self) -> str:
        """Return the name without elements, and its scope: "history of __main__"."""
        return f"{_without_elements(self.name)} {self.scope}".strip()


class Places:
    """Where objects are in the containers that hold them, each container read once.

    The containers must live, and stay as they are, as long as this does.
    """

    def __init__(self) -> None:
        self._known: dict[int, dict[int, object]] = {}

    def of(self, box: Any, child: object) -> Any:
        """Return the index or key of an object in a list, tuple, deque or dict; None if absent."""
        known = self._known.get(id(box))
        if known is None:
            pairs = list(box.items()) if isinstance(box, dict) else list(enumerate(box))
            known = self._known[id(box)] = {id(each): key for key, each in reversed(pairs)}
        return known.get(id(child))


class _Description:
    """The description of a path, up to the object that it has reached."""

    def __init__(self, root: Root, places: Places):
        self.root, self.places = root, places
        self.name = root.name
        self.through: list[str] = []
        self.inner = ""  # the variable of a closure, a generator or a frame that was passed
        self.kinds: set[str] = {root.kind} - {"global", "local"}
        self.line = ""  # of the last thing that names its own line
        self.written: list[tuple[str, bool]] = [(root.name, False)]
        self.files: list[str] = [root.file]
        self.tensor: Tensor | None = None
        self.nodes: list[Node] = []
        self.skipped_nodes = 0  # those of the graph that the path leaves out

    def add(self, text: str) -> None:
        """Add an attribute or an index to the current variable of the path."""
        if self.inner:
            before, self.inner = self.inner, self.inner + text
            self.through[-1] = self.inner + self.through[-1].removeprefix(before)
        else:
            self.name += text

    def enter(self, variable: str, where: str) -> None:
        """Continue at a variable of a closure, a generator or a frame."""
        self.through.append(f"{variable} {where}")
        self.inner = variable

    def leave(self, what: str) -> None:
        """Continue in an object without variables, such as the traceback of an error."""
        self.through.append(what)
        self.inner = ""


def described(root: Root, path: list, places: Places) -> Holder:
    """Describe a path from a root to an array in words.

    Args:
        root: the name that holds the first object.
        path: the objects, from the first to the array; a Skipped for those left out.
        places: shared by the descriptions of one search.
    """
    description = _Description(root, places)
    if isinstance(path[0], _CACHE):
        description.name = ""
        description.kinds.add("cache")
    owner: object = None
    for thing, child in itertools.pairwise(path):
        if isinstance(thing, Skipped):
            description.skipped_nodes += thing.nodes
            continue
        if isinstance(thing, GradNode):
            description.nodes.append(thing)
        if description.tensor is None and isinstance(thing, Tensor):
            description.tensor = thing
        _describe_step(description, owner, thing, child)
        if not isinstance(thing, dict) or not _is_namespace(owner, thing):
            owner = thing
    _describe_graph(description)
    line = description.line or _written_at(description)
    return Holder(
        description.name or root.name,
        root.scope,
        line,
        tuple(description.through),
        _advice(description),
    )


# ---- steps


def _describe_step(description: _Description, owner: object, thing: object, child: object) -> None:
    """Add the step from an object to the next one."""
    if isinstance(thing, types.FunctionType):
        _describe_function(description, thing, child)
    elif isinstance(thing, (types.CellType, types.TracebackType)):
        pass
    elif isinstance(thing, _CACHE):
        wrapped = thing.__wrapped__
        description.kinds.add("cache")
        description.name = f"the cache of {_name_of(wrapped)}"
        description.line = _line_of(wrapped)
    elif isinstance(thing, logging.LogRecord):
        description.kinds.add("record")
        description.line = f"{thing.pathname}:{thing.lineno}"
        description.leave("a record of the logger " + thing.name)
    elif isinstance(thing, _FINALIZER):
        _describe_finalizer(description, thing, child)
    elif isinstance(thing, BaseException):
        _describe_exception(description, thing, child)
    elif isinstance(thing, types.FrameType):
        _describe_frame(description, thing, child)
    elif isinstance(thing, (types.GeneratorType, types.CoroutineType)):
        _describe_generator(description, thing, child)
    elif isinstance(thing, types.MethodType):
        description.kinds.add("method")
        description.add(".__self__")
    elif isinstance(thing, functools.partial):
        description.kinds.add("partial")
        description.add(_partial_text(thing, child))
    elif description.tensor is not None:
        _describe_tensor(description, thing, child)
    else:
        _describe_data(description, owner, thing, child)


def _describe_function(description: _Description, function: FunctionType, child: object) -> None:
    code = function.__code__
    where = f"{code.co_filename}:{code.co_firstlineno}"
    defaults = function.__defaults__ or ()
    last = code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount]
    given = [*zip(last, defaults, strict=True), *(function.__kwdefaults__ or {}).items()]
    name = next((name for name, each in given if each is child), None)
    if name is not None:
        description.kinds.add("default")
        description.enter(name, f"as a default argument of {function.__qualname__} at {where}")
        description.line = where
    elif isinstance(child, types.CellType):
        names = zip(code.co_freevars, function.__closure__ or (), strict=False)
        name = next((name for name, cell in names if cell is child), "?")
        is_hook = "hook" in description.kinds
        description.kinds.add("closure")
        what = "hook" if is_hook else "function"
        description.enter(name, f"in the closure of the {what} {function.__qualname__} at {where}")
        if not is_librarys(function.__module__ or ""):
            last = max(line for _, _, line in code.co_lines() if line is not None)
            within = code.co_firstlineno, last
            lines = lines_that_write(code.co_filename, name, within=within)
            description.line = f"{code.co_filename}:{_joined(lines)}" if lines else where
    else:
        description.add("".join(f".{n}" for n, each in vars(function).items() if each is child))


def _describe_exception(description: _Description, error: BaseException, child: object) -> None:
    if isinstance(child, types.TracebackType):
        description.kinds.add("traceback")
        description.leave(f"the traceback of {type(error).__name__}")
        description.line = _raised_at(child)
    elif not isinstance(child, BaseException):
        description.kinds.add("exception")
        description.leave(f"the arguments of {type(error).__name__}")


def _describe_finalizer(description: _Description, thing: Any, child: object) -> None:
    """Begin the description again: what leads to a finalizer is Python's own registry."""
    description.kinds.add("finalize")
    kind = "args" if child is thing.args else "kwargs"
    description.name = f"the {kind} of weakref.finalize(..., {_name_of(thing.func)})"
    description.line = _line_of(thing.func)


def _raised_at(trace: TracebackType | None) -> str:
    """Return the innermost line of the program in a traceback."""
    found = ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not is_installed_file(file):
            found = f"{file}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found


def _describe_frame(description: _Description, frame: FrameType, child: object) -> None:
    name = next((name for name, each in frame.f_locals.items() if each is child), "?")
    description.enter(name, f"of {frame.f_code.co_name}")


def _describe_generator(description: _Description, thing: Any, child: object) -> None:
    frame = getattr(thing, "gi_frame", None) or getattr(thing, "cr_frame", None)
    description.kinds.add("generator")
    if frame is not None:
        name = next((name for name, each in frame.f_locals.items() if each is child), "?")
        description.line = f"{frame.f_code.co_filename}:{frame.f_lineno}"
        description.enter(name, f"in the generator {thing.__qualname__}")


def _partial_text(thing: functools.partial, child: object) -> str:
    if child is thing.func:
        return ".func"
    if child is thing.args:
        return ".args"
    return ".keywords"


def _describe_tensor(description: _Description, thing: object, child: object) -> None:
    """Add a step within a Tensor and its graph."""
    if isinstance(thing, NodeHooks):
        description.kinds.add("hook")
        description.leave("a hook of a tensor")
    elif isinstance(thing, AutogradMeta) and thing.grad is child and not description.nodes:
        description.add(".grad")
        description.kinds.add("grad")


def _describe_data(description: _Description, owner: object, thing: object, child: object) -> None:
    """Add a step of the program's own data: an attribute, an element, a key."""
    if isinstance(thing, dict):
        key = description.places.of(thing, child)
        if not _is_namespace(owner, thing):
            description.kinds.add("box")
            description.add(f"[{key!r}]" if isinstance(key, (str, int)) else "[...]")
        elif not (isinstance(child, dict) and _is_namespace(owner, child)):
            _describe_attribute(description, owner, str(key))
    elif isinstance(thing, (list, tuple, collections.deque)):
        at = description.places.of(thing, child) or 0
        fields = getattr(thing, "_fields", None)
        description.kinds.add("box")
        description.add(f".{fields[at]}" if fields else f"[{at}]")
    elif isinstance(thing, (set, frozenset)):
        description.kinds.add("box")
        description.add("{...}")
    elif isinstance(thing, np.ndarray):
        at = next((at for at, each in enumerate(thing.flat) if each is child), 0)
        place = [int(each) for each in np.unravel_index(at, thing.shape)]
        description.kinds.add("box")
        description.add(f"{place}" if place else "[()]")
    elif not isinstance(child, dict) or not _is_namespace(thing, child):
        name = _attribute(thing, child)
        if name:
            _describe_attribute(description, thing, name)


def _is_namespace(owner: object, names: dict) -> bool:
    """Return whether a dict has the attributes of an object, or the parameters of a Layer."""
    try:
        own = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        return False
    tables = "_parameters", "_buffers", "_sub_layers"
    return own is names or any(own.get(each) is names for each in tables)


def _attribute(thing: object, child: object) -> str:
    """Return the name of the attribute of an object that is another one, "" if none is."""
    own: Any = getattr(thing, "__dict__", {})
    for name, each in list(own.items()):
        if each is child:
            return name
    for kind in type(thing).__mro__:
        for name, member in vars(kind).items():
            if isinstance(member, types.MemberDescriptorType):
                try:
                    if member.__get__(thing) is child:
                        return name
                except AttributeError:
                    continue
    return ""


def _describe_attribute(description: _Description, owner: object, name: str) -> None:
    description.add(f".{name}")
    description.written.append((name, True))
    kind = owner if isinstance(owner, type) else type(owner)
    file = _file_of(kind)
    if file and file not in description.files:
        description.files.append(file)
    if isinstance(owner, type):
        description.kinds.add("class")


def _file_of(kind: type) -> str:
    """Return the file of a program's class, "" for that of a library."""
    if is_librarys_class(kind):
        return ""
    return getattr(sys.modules.get(kind.__module__), "__file__", None) or ""


def _describe_graph(description: _Description) -> None:
    """Add the graph that the path has passed."""
    if not description.nodes:
        return
    first = description.nodes[0]
    where = str(line_of_node(first))
    text = f"the graph of {first.name()}" + (f", recorded at {where}" if where else "")
    last = description.nodes[-1]
    if last is not first:
        at = str(line_of_node(last))
        count = len(description.nodes) - 1 + description.skipped_nodes
        text += f", {count} nodes on: {last.name()}" + (f" at {at}" if at else "")
    description.leave(text)


# ---- lines and advice


def _written_at(description: _Description) -> str:
    """Return the lines that write the innermost name, else those of the name before it."""
    for name, is_attribute in reversed(description.written):
        for file in reversed(description.files):
            within = None if is_attribute else description.root.within
            found = lines_that_write(file, name, is_attribute, within)
            if found:
                return f"{file}:{_joined(found)}"
    if description.root.line and description.root.kind != "library":
        return f"{description.root.file}:{description.root.line}"
    return ""


def _joined(lines: list[int]) -> str:
    return ", ".join(map(str, lines))


def _without_elements(name: str) -> str:
    return re.split(r"[\[{]", name)[0]


def _name_of(function: object) -> str:
    return getattr(function, "__qualname__", type(function).__name__)


def _line_of(function: object) -> str:
    code = getattr(function, "__code__", None)
    return "" if code is None else f"{code.co_filename}:{code.co_firstlineno}"


def _advice(description: _Description) -> str:
    """Return what to do, in a line."""
    kinds = description.kinds
    is_number = description.tensor is not None and description.tensor.ndim == 0
    if "hook" in kinds:
        return "use x.detach() in the hook, or remove it: helper.remove()"
    for kind, text in _ADVICE.items():
        if kind in kinds:
            return text
    box = _without_elements(description.name)
    if description.nodes:
        name = description.name if box == description.name else "x"
        number = f"float({name})" if is_number else f"{name}.detach()"
        return f"{_GRAPH}: keep {number}"
    if is_number and "box" in kinds:
        return f"keep numbers in {box}, float(x), or clear it"
    if "box" in kinds:
        return f"clear {box} when it is not needed, or bound its length"
    return f"del {description.name} when it is not needed"


_GRAPH = "the tensor keeps its graph"
_ADVICE = {
    "finalize": "pass numbers to the callback, float(x), or call the finalizer's detach()",
    "cache": "use cache_clear(), or functools.lru_cache(maxsize=N)",
    "traceback": "keep str(error), or call traceback.clear_frames(error.__traceback__)",
    "exception": "keep str(error), or raise it without tensors",
    "record": "log a number, float(x), not a tensor",
    "generator": "close() the generator, or del the variable before it yields",
    "default": "use None as the default, and make the object in the function",
    "thread": "the thread still runs: end it, or del the variable in it",
    "grad": "call clear_grad(), or optimizer.clear_grad()",
    "closure": "drop the function when it is not needed, or let it use x.detach() or a number",
    "partial": "give the partial x.detach() or a number, or drop it",
}
