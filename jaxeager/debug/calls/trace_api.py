"""FLAGS_trace_api: a line per call of a public API, with the configuration of the call.

``FLAGS_trace_api=api.yaml,out.txt`` writes lines such as
``paddle.concat(list[Tensor([2, 3],"float32"),], axis=0, )``, which PaddleAPITest can run again.
``all`` instead of the file traces every public function; ``unique`` as a third word writes every
configuration only once.

Note [Replaced functions]
    A traced function is replaced where it is looked up: in the module or class that defines it,
    and in every module outside the package that has imported it by name. Everything is restored
    when the flag changes. A line is written before its call, so it exists even if the call
    crashes the process, and it shows the arguments before any in-place change. Calls made inside a
    traced call have no lines. A call that raises has its line like any other, and a second one,
    with the error, in ``out.txt.failed``.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import re
import sys
import threading
import types
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from jaxeager.core import user_lines
from jaxeager.debug.calls.api_config import NoText, config_text
from jaxeager.debug.common.output_files import AppendedFile, check_writable
from jaxeager.errors import InvalidArgumentError

if TYPE_CHECKING:
    from types import ModuleType

FLAG = "FLAGS_trace_api"
_USAGE = f"{FLAG} should be 'api.yaml,out.txt', 'all,out.txt', or one of these and ',unique'"
_ROOMS = (  # the modules that "all" searches
    "", "nn.functional", "linalg", "fft", "signal", "geometric", "incubate.nn.functional",
    "vision.ops", "sparse", "sparse.nn.functional",
)  # fmt: skip
_ITEM = re.compile(r"\s*-\s+(['\"]?)([\w.]+)\1\s*(#.*)?")
_TWO_SIDED = "add sub mul matmul truediv div floordiv mod pow and or xor lshift rshift".split()
_ONE_SIDED = "neg abs invert getitem setitem eq ne lt le gt ge".split()
_OPERATORS = {
    f"__{name}__" for name in [*_TWO_SIDED, *(f"r{each}" for each in _TWO_SIDED), *_ONE_SIDED]
}


class Api(NamedTuple):
    """A function that can be traced.

    Attributes:
        name: its name in the log, "paddle.nn.functional.linear".
        owner: the module or class it is looked up in.
        attribute: its name there; "__init__" when the API is a class.
        function: the original.
    """

    name: str
    owner: ModuleType | type
    attribute: str
    function: Callable


class _Trace:
    """One active value of the flag.

    Attributes:
        file: the file of all lines.
        failed: the file that also gets the lines of calls that raised.
        seen: the lines already written; None when repeated lines are written too.
    """

    def __init__(self, path: str, is_unique: bool):
        self.file = AppendedFile(path, FLAG)
        self.failed = AppendedFile(f"{path}.failed", FLAG)
        self.is_on = True
        self.seen: set[str] | None = set() if is_unique else None
        self.untold: set[tuple] = set()  # kinds of arguments already warned about
        self.thread = threading.local()
        self.replaced: list[tuple] = []  # (owner, attribute, value before, or _MISSING)
        self.wrappers: dict[int, Callable] = {}  # of functions, by id

    def start(self, apis: list[Api]) -> None:
        """Replace the functions."""
        for api in apis:
            wrapper = self.wrapper(api)
            self.replace(api.owner, api.attribute, wrapper)
            if isinstance(api.owner, types.ModuleType):
                self.wrappers.setdefault(id(api.function), wrapper)
        for module, name, value in _users_names():
            if id(value) in self.wrappers:
                self.replace(module, name, self.wrappers[id(value)])

    def stop(self) -> None:
        """Restore what ``start`` replaced if it is unchanged, and what was imported since.

        A traced function that was stored elsewhere stays, but no longer writes anything.
        """
        self.is_on = False
        for owner, attribute, before, wrapper in reversed(self.replaced):
            if vars(owner).get(attribute) is wrapper:
                delattr(owner, attribute) if before is _MISSING else setattr(
                    owner, attribute, before
                )
        ours = set(map(id, self.wrappers.values()))
        for module, name, value in _users_names():
            if id(value) in ours:
                setattr(module, name, _originals[value])
        self.file.close()
        self.failed.close()

    def replace(self, owner, attribute: str, wrapper: Callable) -> None:
        """Store a wrapper in an owner, and remember the previous value."""
        self.replaced.append((owner, attribute, vars(owner).get(attribute, _MISSING), wrapper))
        setattr(owner, attribute, wrapper)

    def wrapper(self, api: Api) -> Callable:
        """Return a function that calls the API's function and writes a line."""
        function, of_class = api.function, api.owner if api.attribute == "__init__" else None

        @functools.wraps(function)
        def traced(*arguments, **named):
            if not self.is_on or getattr(self.thread, "is_inside", False):
                return function(*arguments, **named)
            if of_class is not None and type(arguments[0]) is not of_class:
                return function(*arguments, **named)
            shown = arguments if of_class is None else arguments[1:]
            self.thread.is_inside = True
            line = None
            try:
                line = self.write(api.name, shown, named)
                return function(*arguments, **named)
            except BaseException as error:
                if line is not None and self.is_on:
                    self.failed.try_write(f"{line}\t{_error_text(error)}\n")
                raise
            finally:
                self.thread.is_inside = False

        _originals[traced] = function
        return traced

    def write(self, name: str, arguments: tuple, named: dict) -> str | None:
        """Write the line of a call and return it; None when an argument has no text."""
        try:
            line = config_text(name, arguments, named)
        except NoText as error:
            if (name, error.kind) not in self.untold:
                self.untold.add((name, error.kind))
                user_lines.warn(
                    f"{FLAG}: calls of {name} with a {error.kind.__name__} are not written: "
                    "such an argument has no text form."
                )
            return None
        if self.seen is None or line not in self.seen:
            if self.seen is not None:
                self.seen.add(line)
            self.file.try_write(line + "\n")
        return line


_MISSING: Any = object()
_originals: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # of traced functions
_trace: _Trace | None = None


def _error_text(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"


def _users_names() -> Iterator[tuple]:
    """Yield (module, name, value) of all modules outside the package."""
    for name, module in list(sys.modules.items()):
        if isinstance(module, types.ModuleType) and name.split(".")[0] != "jaxeager":
            for attribute, value in list(vars(module).items()):
                if type(value) is types.FunctionType:  # isinstance may trigger warnings of objects
                    yield module, attribute, value


def set_trace(value: str) -> None:
    """Apply FLAGS_trace_api.

    Raises:
        InvalidArgumentError: unless it names a readable api.yaml and a writable file.
    """
    global _trace
    following, apis = None, []
    if value:
        words = [word.strip() for word in value.split(",")]
        if len(words) not in (2, 3) or not words[1] or words[2:] not in ([], ["unique"]):
            raise InvalidArgumentError(f"{_USAGE}, but received {value!r}.")
        check_writable(words[1], FLAG)
        following = _Trace(words[1], len(words) == 3)
        apis = all_apis() if words[0] == "all" else find_apis(read_names(words[0]), words[0])
    if _trace is not None:
        _trace.stop()
    _trace = following
    if following is not None:
        following.start(apis)


def read_names(path: str) -> list[str]:
    """Return the names that an api.yaml lists: a line ``apis:``, then one line ``- name`` each.

    Raises:
        InvalidArgumentError: when the file cannot be read, or contains anything else.
    """
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, ValueError) as error:
        raise InvalidArgumentError(f"{_USAGE}, but {path!r} cannot be read: {error}.") from None
    names: list[str] = []
    is_open = False
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        item = _ITEM.fullmatch(line)
        if re.fullmatch(r"apis:\s*(#.*)?", line) and not is_open:
            is_open = True
        elif item and is_open:
            names.append(item[2])
        else:
            raise InvalidArgumentError(
                f"{path}, line {number}: expected 'apis:' and below it lines '- paddle.name', but "
                f"found {line.strip()!r}."
            )
    if not names:
        raise InvalidArgumentError(f"{path} lists no API: 'apis:' and lines '- paddle.name'.")
    return names


# ---- finding


def find_apis(names: list[str], path: str = "the list") -> list[Api]:
    """Return the APIs of dotted names; issue one warning that lists the unknown ones.

    Raises:
        InvalidArgumentError: when all are unknown.
    """
    found = {name: _find(name) for name in dict.fromkeys(names)}
    apis = [api for api in found.values() if api is not None]
    missing = [name for name, api in found.items() if api is None]
    if missing:
        names_text = ", ".join(map(_near, missing))
        message = f"{FLAG}: {path} has names that are not functions here: {names_text}."
        if not apis:
            raise InvalidArgumentError(message)
        user_lines.warn(message)
    return apis


def _find(name: str) -> Api | None:
    owner: Any = sys.modules["jaxeager"]
    first, *middle, last = name.split(".")
    if first not in ("paddle", "jaxeager") or not name.count("."):
        return None
    for part in middle:
        owner = getattr(owner, part, None)
    value = inspect.getattr_static(owner, last, None)
    if value is None and isinstance(owner, types.ModuleType):
        value = getattr(owner, last, None)
    name = ".".join(["paddle", *middle, last])
    if isinstance(value, type) and isinstance(owner, types.ModuleType):
        owner, last, value = value, "__init__", value.__init__
    if not isinstance(value, types.FunctionType):
        return None
    return Api(name, owner, last, _originals.get(value, value))


def _near(name: str) -> str:
    """Return a name together with the nearest existing one."""
    owner: Any = sys.modules["jaxeager"]
    *middle, last = name.split(".")[1:] or [name]
    for part in middle:
        owner = getattr(owner, part, None)
    near = difflib.get_close_matches(last, dir(owner), 1)
    return f"{name} (is it {'.'.join(['paddle', *middle, near[0]])}?)" if near else name


def all_apis() -> list[Api]:
    """Return every public function of tensors, and every method of Tensor."""
    paddle = sys.modules["jaxeager"]
    apis: list[Api] = []
    for room in _ROOMS:
        module: Any = paddle
        for part in room.split(".") if room else ():
            module = getattr(module, part, None)
        if module is None:
            continue
        names = [*paddle.public.__all__, "to_tensor"] if module is paddle else _public(module)
        prefix = f"paddle.{room}." if room else "paddle."
        for name in names:
            value = getattr(module, name, None)
            if isinstance(value, types.FunctionType):
                apis.append(Api(prefix + name, module, name, _originals.get(value, value)))
    for name, value in inspect.getmembers_static(paddle.Tensor, inspect.isfunction):
        if not name.startswith("_") or name in _OPERATORS:
            function = _originals.get(value, value)
            apis.append(Api(f"paddle.Tensor.{name}", paddle.Tensor, name, function))
    return apis


def _public(module) -> list[str]:
    names = getattr(module, "__all__", None)
    return [name for name in vars(module) if name[0] != "_"] if names is None else list(names)
