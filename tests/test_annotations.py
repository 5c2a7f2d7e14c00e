"""Every public function and method has types for its parameters and its result."""

import inspect
import runpy
import sys
from pathlib import Path

import jaxeager as paddle
from jaxeager.ops.row import ROWS

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs" / "site"))

import reference  # noqa: E402


def missing(function):
    """Return the names of the parameters without annotation, and "return"."""
    signature = inspect.signature(function)
    names = [
        parameter.name
        for parameter in signature.parameters.values()
        if parameter.annotation is parameter.empty and parameter.name not in ("self", "cls")
    ]
    is_bare = signature.return_annotation is signature.empty and function.__name__ != "__init__"
    return names + ["return"] * is_bare


def public_functions():
    """Yield (name, function) of all public functions and of the methods of public classes."""
    for room, module in reference.public_rooms().items():
        for name in reference.public_names(module):
            value = getattr(module, name)
            if inspect.isclass(value):
                yield from methods(f"{room}.{name}", value)
            elif inspect.isfunction(value):
                yield f"{room}.{name}", value


def methods(name, kind):
    """Yield (name, function) of the public methods of a class, __init__ and __call__ too."""
    for base in kind.__mro__:
        for attribute, value in vars(base).items():
            is_public = not attribute.startswith("_") or attribute in ("__init__", "__call__")
            value = getattr(value, "fget", None) or getattr(value, "__func__", value)
            if is_public and inspect.isfunction(value) and is_ours(value):
                yield f"{name}.{attribute}", value


def is_ours(function):
    return inspect.unwrap(function).__module__.split(".")[0] == "jaxeager"


def bare_functions():
    """Return the functions that lack annotations, each by one of its names.

    Functions made from a row have its types in the stubs.
    """
    of_rows = {id(each) for row in ROWS.values() for each in (row.function, row.inplace_function)}
    found = {}
    for name, function in public_functions():
        written = inspect.unwrap(function)
        if id(function) not in of_rows and missing(written):
            found.setdefault(written, name)
    return found


def test_every_public_function_is_annotated():
    assert [f"{name}: {missing(function)}" for function, name in bare_functions().items()] == []


def test_a_function_without_annotations_is_found():
    def bare(x, axis: int = 0):
        return x

    assert missing(bare) == ["x", "return"]
    found = {function for _, function in public_functions()}
    assert len(found) > 1500
    assert {paddle.nn.Conv2D.forward, paddle.Tensor.numpy, paddle.fft.fft} <= found


def test_the_program_that_the_type_checker_checks_runs():
    found = runpy.run_path(str(Path(__file__).parent / "types_of_results.py"))
    assert found["loss"].shape == []
