"""A pytest plugin of public_cases.py: equal seeds, old names, and the modules that a case calls.

public_cases.py copies it into a folder, with names.json, the public names of each module, and
pytest uses it with real Paddle and with jaxeager. With ``--calls``, the profiler of Python
sees each call of a case; the modules whose public names are called from outside Paddle are recorded
with its outcome.
"""

import collections
import collections.abc
import functools
import inspect
import json
import os
import random
import sys
import types
from pathlib import Path

import numpy as np
import pytest

NAMES = Path(__file__).with_name("names.json")
# Files of decorators: a function is called by the caller of its decorator.
DECORATORS = ("/decorator.py", "/wrapped_decorator.py", "/decorator_utils.py")
SEED = 2027
PASSED = pytest.StashKey[bool]()
EVENTS = 2_000_000  # of the profiler, after which it stops: a case that calls longer repeats itself


def restore_names() -> None:
    """Give Python and NumPy the names that they have since removed, for suites that use them."""
    old = [(collections, name, value) for name, value in vars(collections.abc).items()]
    old += [(np, kind.__name__, kind) for kind in (int, float, complex, object, str)]
    old += [(np, "Inf", np.inf), (np, "NaN", np.nan), (np, "float_", np.float64)]
    for module, name, value in old:
        if name not in vars(module) and not name.startswith("_"):
            setattr(module, name, value)


def pytest_addoption(parser) -> None:
    """Add the options ``--calls`` and ``--outcomes``."""
    parser.addoption("--calls", action="store_true", help="record the modules that a case calls")
    parser.addoption("--outcomes", help="the file that receives a line of JSON for each case")


class Calls:
    """A function for ``sys.setprofile`` that collects the modules whose public names are called.

    Attributes:
        found: the modules called since the last ``begin()``.

    Args:
        library: Paddle.
        modules: {module: its public names}; a name that several have counts for the first.
    """

    def __init__(self, library: types.ModuleType, modules: dict[str, list[str]]):
        self.found: set[str] = set()
        self._left = EVENTS
        self._home = os.path.dirname(str(library.__file__)) + os.sep
        self._module_of: dict[object, str] = {}  # by code object, or by function of C
        self._decorators: set[types.CodeType] = set()
        for module, names in modules.items():
            place = find(library, module)
            for name in names:
                self._add(getattr(place, name, None), module)
        self._tensor = getattr(library, "Tensor", None)

    def begin(self) -> None:
        """Collect the calls of the next case."""
        self.found.clear()
        self._left = EVENTS
        sys.setprofile(self)

    def _add(self, value: object, module: str) -> None:
        if inspect.isclass(value):
            for member in [vars(value).get("__init__"), *vars(value).values()]:
                if isinstance(member, types.FunctionType):
                    self._add(member, module)
        elif isinstance(value, types.FunctionType):
            inner = inspect.unwrap(value)
            while isinstance(value, types.FunctionType) and value is not inner:
                self._decorators.add(value.__code__)
                value = vars(value)["__wrapped__"]
            if isinstance(inner, types.FunctionType) and self._is_inside(inner.__code__):
                self._module_of.setdefault(inner.__code__, module)
        elif isinstance(value, types.BuiltinFunctionType):
            self._module_of.setdefault(value, module)

    def __call__(self, frame: types.FrameType, event: str, value: object) -> None:
        """Note a call of a public name, unless Paddle itself makes it."""
        self._left -= 1
        if not self._left:
            sys.setprofile(None)
        if event == "call":
            module = self._module_of.get(frame.f_code)
            caller = frame.f_back
        elif event == "c_call":
            module = self._c_module(value)
            caller = frame
        else:
            return
        if module is None or module in self.found:
            return
        while caller is not None and self._decorates(caller.f_code):
            caller = caller.f_back
        if caller is not None and not self._is_inside(caller.f_code):
            self.found.add(module)

    def _is_inside(self, code: types.CodeType) -> bool:
        return code.co_filename.startswith(self._home)

    def _c_module(self, value: object) -> str | None:
        if self._tensor is not None and type(getattr(value, "__self__", None)) is self._tensor:
            return "Tensor"
        return self._module_of.get(value)

    def _decorates(self, code: types.CodeType) -> bool:
        return code in self._decorators or code.co_filename.endswith(DECORATORS)


def find(library: types.ModuleType, module: str) -> object:
    """Return a module of the library, or its Tensor class; None if there is none."""
    if module == "paddle":
        return library
    try:
        return functools.reduce(getattr, module.split("."), library)
    except AttributeError:
        return None


restore_names()  # before pytest imports a suite


@functools.cache
def calls() -> Calls:
    """Return the collector for the library that ``import paddle`` imports."""
    import paddle

    return Calls(paddle, json.loads(NAMES.read_text(encoding="utf-8")))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    """Seed the generators of random data, and begin to collect calls."""
    random.seed(SEED)
    np.random.seed(SEED)
    if item.config.getoption("--calls"):
        calls().begin()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Write the outcome of a case when it ends, before a later case can end the process."""
    report = yield
    passed = item.stash.get(PASSED, True) and report.passed
    item.stash[PASSED] = passed
    if report.when == "teardown":
        sys.setprofile(None)
        modules = sorted(calls().found) if item.config.getoption("--calls") else []
        line = json.dumps([item.nodeid, passed, modules])
        with open(item.config.getoption("--outcomes"), "a", encoding="utf-8") as file:
            file.write(f"{line}\n")
    return report
