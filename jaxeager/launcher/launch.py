"""Run a program as ``python`` itself would, with ``paddle`` being jaxeager.

The program is ``__main__`` until the process ends, so threads, exit handlers and pickles find it.
The tracebacks that the user sees have no frames of the launcher, and exit statuses are Python's,
because every exception propagates to the interpreter.
"""

from __future__ import annotations

import ast
import importlib.machinery
import importlib.util
import io
import os
import sys
import types
from collections.abc import Sequence
from typing import Any, NoReturn

from jaxeager.core import tracebacks, user_lines
from jaxeager.launcher import missing_names

_kept: list[types.ModuleType] = []  # the launcher's own __main__, whose globals must not be cleared


def run_file(path: str, arguments: Sequence[str]) -> None:
    """Run a script, or a folder or zip file with a ``__main__.py``, as ``python path`` does.

    Raises:
        SystemExit: with status 2 when there is no such path.
    """
    sys.argv[:] = [path, *arguments]
    full = os.path.abspath(path)
    if _is_container(full):
        _put_first(full)
        spec = importlib.machinery.PathFinder.find_spec("__main__", [full])
        if spec is None:
            _fail(f"can't find '__main__' module in {full!r}", 1)
        _run(_code_of(spec), _main_module(spec))
        return
    try:
        with io.open_code(full) as file:
            source = file.read()
    except OSError as error:
        _fail(f"can't open file {full!r}: [Errno {error.errno}] {error.strerror}", 2)
    _put_first(os.path.dirname(os.path.realpath(full)))
    main = _new_main()
    loader = importlib.machinery.SourceFileLoader("__main__", full)
    vars(main).update(__file__=full, __cached__=None, __loader__=loader)
    _run(source, main, full)


def run_module(name: str, arguments: Sequence[str]) -> None:
    """Run a module, as ``python -m name`` does; for a package its ``__main__``.

    Raises:
        SystemExit: with status 1 when there is no such module.
    """
    sys.argv[:] = ["-m", *arguments]
    _put_first(os.getcwd())
    spec = _spec_of(name)
    sys.argv[0] = spec.origin or name
    _run(_code_of(spec), _main_module(spec))


def run_text(source: str, arguments: Sequence[str]) -> None:
    """Run a program given as text, as ``python -c source`` does."""
    sys.argv[:] = ["-c", *arguments]
    _put_first("")
    _run(source.encode(), _new_main(), "<string>")


# ---- the program


def _is_container(path: str) -> bool:
    """Return whether a path is a folder or a zip file."""
    if os.path.isdir(path):
        return True
    import zipfile

    return os.path.isfile(path) and not path.endswith(".py") and zipfile.is_zipfile(path)


def _spec_of(name: str) -> importlib.machinery.ModuleSpec:
    """Return the spec of the module that ``-m name`` runs."""
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        _fail(f"Error while finding module specification for {name!r} ({_named(error)})", 1)
    if spec is None:
        _fail(f"No module named {name}", 1)
    if spec.submodule_search_locations is None:
        return spec
    if importlib.util.find_spec(f"{name}.__main__") is None:
        why = f"{name!r} is a package and cannot be directly executed"
        _fail(f"No module named {name}.__main__; {why}", 1)
    found = importlib.util.find_spec(f"{name}.__main__")
    assert found is not None
    return found


def _named(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _code_of(spec: importlib.machinery.ModuleSpec) -> Any:
    """Return the code of a module."""
    code = getattr(spec.loader, "get_code", lambda _: None)(spec.name)
    if code is None:
        _fail(f"No code object available for {spec.name}", 1)
    return code


def _put_first(folder: str) -> None:
    """Make a folder the first place of module search, instead of the launcher's own."""
    if not sys.flags.safe_path:
        sys.path[0] = folder


def _new_main() -> types.ModuleType:
    """Return a new ``__main__``."""
    _kept.append(sys.modules["__main__"])
    main = types.ModuleType("__main__")
    vars(main).update(__builtins__=sys.modules["builtins"], __annotations__={})
    sys.modules["__main__"] = main
    return main


def _main_module(spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
    """Return a new ``__main__`` with the spec it was found by."""
    main = _new_main()
    main.__spec__, main.__loader__, main.__package__ = spec, spec.loader, spec.parent
    vars(main).update(__file__=spec.origin, __cached__=spec.cached)
    return main


def _fail(text: str, status: int) -> NoReturn:
    print(f"{sys.executable}: {text}", file=sys.stderr)
    raise SystemExit(status)


# ---- running


def _run(code: Any, main: types.ModuleType, name: str = "") -> None:
    """Run source text, or code, in the ``__main__`` of the process."""
    tracebacks.use_paddles_names()
    try:
        if isinstance(code, bytes):
            user_lines.release(name, _importing_line(code))
            code = compile(code, name, "exec", dont_inherit=True)
        else:
            user_lines.release(code.co_filename, _importing_line(_source_of(main)))
        exec(code, vars(main))
    except BaseException as error:
        explanation = missing_names.note(error)
        if explanation:
            error.add_note(explanation)
        _hide_launcher()
        raise


def _source_of(main: types.ModuleType) -> bytes:
    """Return the text of a module that has a spec; nothing if it is not available."""
    try:
        source = main.__loader__.get_source(main.__spec__.name)  # type: ignore[union-attr]
    except (AttributeError, ImportError, OSError):
        return b""
    return (source or "").encode()


def _importing_line(source: bytes) -> int:
    """Return the first line of a program that imports the package; 1 if none does."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return 1
    found = [1]
    for each in ast.walk(tree):
        names = [alias.name for alias in getattr(each, "names", ()) if isinstance(each, ast.Import)]
        if isinstance(each, ast.ImportFrom) and not each.level:
            names = [each.module or ""]
        if {name.partition(".")[0] for name in names} & {"paddle", "jaxeager"}:
            found.append(each.lineno)  # type: ignore[attr-defined]
    return min(found[1:], default=1)


def _hide_launcher() -> None:
    """Remove the launcher's frames from the error that ends the program."""
    show = sys.excepthook

    def excepthook(kind: type, error: BaseException, trace: types.TracebackType | None) -> None:
        last = trace
        while last is not None and last.tb_frame.f_code is not _run.__code__:
            last = last.tb_next
        trace = trace if last is None else last.tb_next
        show(kind, error.with_traceback(trace), trace)  # type: ignore[arg-type]

    sys.excepthook = excepthook
