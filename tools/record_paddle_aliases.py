"""Record the further names of parameters that real Paddle takes, such as ``input=`` for ``x``.

Run with a Python that has Paddle 3.3.1; it writes tests/ops/call/paddle_aliases.json, which
tests/ops/call/test_paddle_aliases.py compares with this library:

    python tools/record_paddle_aliases.py

Paddle has three kinds of functions that take such names. It asks each of them what a name means:

- Decorators rename arguments before they call the function that they wrap. The program calls each
  decorator around a stand-in with one argument, and sees under which name it arrives.
- Functions that are bound in C++ look names up themselves. The program calls them with a name in
  place of a parameter, and compares the results.
- Some Python functions take ``**kwargs`` and read them. They are called in the same way.
"""

import inspect
import json
import os
import sys
import types
import warnings

from record_paddle_names import FURTHER, MODULES, ROOT, find, names_of

ALIASES = ROOT / "tests" / "ops" / "call" / "paddle_aliases.json"
READ_KEYWORDS = ("nn.functional.group_norm", "nn.functional.interpolate")
# Names that functions bound in C++ may take, besides all that decorators do.
MORE = "keepdims mat2 vec2 tensor tensors values value dim0 dim1 dim2 dims k n source size".split()


class Arrived(Exception):  # it is no error
    """Raised by the stand-in, with the arguments that it got."""

    def __init__(self, given: dict):
        super().__init__()
        self.given = given


def stand_in(*_, **given):
    """Take the place of the function that a decorator wraps."""
    raise Arrived(given)


def texts_in(value) -> set[str]:
    """Return the strings in a constant or in what a decorator keeps."""
    if isinstance(value, str):
        return {value}
    if isinstance(value, (list, tuple, set, frozenset)):
        return {text for each in value for text in texts_in(each)}
    if isinstance(value, dict):
        return texts_in(list(value))
    return texts_in(getattr(value, "alias_mapping", ()))


def around_a_stand_in(wrapper):
    """Return a decorated function with the stand-in for the function inside, and its names."""
    inner = wrapper.__wrapped__
    values = [cell.cell_contents for cell in wrapper.__closure__ or ()]
    if not any(value is inner for value in values):
        return None, set()
    cells = tuple(types.CellType(stand_in if value is inner else value) for value in values)
    copy = types.FunctionType(wrapper.__code__, wrapper.__globals__, closure=cells)
    names = texts_in([value for value in values if value is not inner])
    return copy, {n for n in names | texts_in(wrapper.__code__.co_consts) if n.isidentifier()}


def renamed_by(wrapper) -> dict[str, str]:
    """Return {further name: parameter, or "name:default" for what it also sets} of a decorator."""
    copy, names = around_a_stand_in(wrapper)
    found = {}
    for name in names if copy is not None else ():
        mark = object()
        try:
            copy(**{name: mark})
        except Arrived as arrived:
            for key, value in arrived.given.items():
                if value is mark and key != name:
                    found[name] = key
                elif value is not mark:
                    found[f"{key}:{value}"] = ""
        except Exception:  # a name that the decorator refuses
            continue
    return found


def decorators_of(function):
    """Yield the decorated functions around a function, outermost first."""
    while isinstance(function, types.FunctionType) and hasattr(function, "__wrapped__"):
        yield function
        function = function.__wrapped__


def decorated(function) -> dict[str, str]:
    """Return the further names that the decorators of a function add."""
    found = {}
    for each in decorators_of(function):
        found |= renamed_by(each)
    return found


def samples(library) -> dict[str, object]:
    """Return a value for each parameter of a function that is asked by calling it."""
    ones, square = library.ones([1, 2, 2, 2]), library.to_tensor([[0.25, 0.75], [0.5, 0.125]])
    return {
        "x": square, "y": square, "axis": 1, "keepdim": True, "shifts": 1, "diagonal": 1,
        "offset": 1, "axis1": 1, "axis2": 0, "decimals": 1, "transpose_x": True,
        "transpose_y": True, "rtol": 0.5, "atol": 0.5, "equal_nan": True, "approximate": True,
        "beta": 2, "threshold": 1, "mode": "nearest", "padding_mode": "border",
        "align_corners": False, "dtype": "int32", "indices": (library.to_tensor([1]),),
        "value": square[0], "accumulate": True, "grid": ones, "image": ones,
        "num_groups": 1, "epsilon": 0.5, "scale_factor": 2,
    }  # fmt: skip


OWN = {
    "sum": {"dtype": "float64"},
    "dot": {"x": "value", "y": "value"},
    "bmm": {"x": "image[0]", "y": "image[0]"},
    "grid_sample": {"x": "image"},
    "group_norm": {"x": "image"},
    "interpolate": {"x": "image"},
}


def arguments_of(function, name: str, library) -> dict[str, object]:
    """Return arguments for a function, by its own parameters."""
    values = samples(library)
    values["image[0]"] = values["image"][0]
    values |= {k: values.get(v, v) for k, v in OWN.get(name, {}).items()}
    parameters = [p for p in inspect.signature(function).parameters if p not in ("name", "out")]
    return {p: values[p] for p in parameters if p in values}


def answer(function, arguments: dict):
    """Return the result as something that can be compared; None for an error."""
    try:
        result = function(**arguments)
    except Exception:
        return None
    parts = result if isinstance(result, (list, tuple)) else [result]
    return [[str(each.dtype), each.numpy().tolist()] for each in parts]


def called(function, name: str, names: list[str], library) -> dict[str, str]:
    """Return the further names of a function that looks names up itself.

    Some wrong names end its process, so that children call it: the next one goes on after the
    name that ended the last.
    """
    own = arguments_of(function, name, library)
    (expected,) = in_a_child(lambda: [answer(function, own)]) or [None]
    if expected is None:
        print(f"{name} fails with its own names: {', '.join(own)}", file=sys.stderr)
        return {}
    own_names = list(own)
    trials = [(own, each) for own in own_names for each in names if each not in own_names]
    found, done = {}, 0
    while done < len(trials):
        for line in in_a_child(lambda start=done: tried(function, name, trials[start:], library)):
            done += 1
            if line == expected:
                own, further = trials[done - 1]
                found[further] = own
        done += 1  # the one that ended the child, or the end
    return found


def tried(function, name: str, trials: list[tuple[str, str]], library):
    """Yield the result of each call with a name in place of a parameter."""
    for own, further in trials:
        arguments = arguments_of(function, name, library)
        arguments[further] = arguments.pop(own)
        yield answer(function, arguments)


def in_a_child(results) -> list:
    """Return what an iterator yields in a child process, until it is done or dies."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        with open(writer, "w", encoding="utf-8") as out:
            for each in results():
                out.write(json.dumps(each) + "\n")
                out.flush()
        os._exit(0)
    os.close(writer)
    with open(reader, encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    os.waitpid(child, 0)
    return found


def callables(library):
    """Yield (public name, function) of every public function, constructor and method.

    A function of an inner module that a public one has as well is omitted.
    """
    public = {id(each) for _, each in callables_of(library, MODULES)}
    yield from callables_of(library, MODULES)
    inner = [each for each in FURTHER if not each.startswith(("_C_ops", "base", "static"))]
    yield from (each for each in callables_of(library, inner) if id(each[1]) not in public)


def callables_of(library, modules: list[str]):
    """Yield the same of some modules."""
    for module in modules:
        place = find(library, module)
        for name in names_of(place, module):
            value = getattr(place, name)
            full = f"{module}.{name}"
            if isinstance(value, types.FunctionType) and name[:2] != "__":
                yield full, value
            elif inspect.isclass(value) and value.__module__.startswith("paddle."):
                yield from ((f"{full}.{key}", each) for key, each in methods_of(value))


def methods_of(cls: type):
    """Yield (name, function) of the methods that a class itself has."""
    for name, value in vars(cls).items():
        function = getattr(value, "__func__", value)
        is_public = name[0] != "_" or name in ("__init__", "__call__", "__new__")
        if is_public and isinstance(function, types.FunctionType):
            yield name, function


def recorded(library) -> dict[str, dict[str, str]]:
    """Return {public name: {further name: parameter}}."""
    functions = dict(callables(library))
    found = {name: decorated(function) for name, function in functions.items()}
    names = sorted({further for each in found.values() for further in each} | {*MORE})
    asked: dict[int, dict[str, str]] = {}
    for name, function in functions.items():
        bound = function.__code__.co_filename.endswith("generated_tensor_methods_patch.py")
        if bound or name in READ_KEYWORDS:
            if id(function) not in asked:
                short = name.rpartition(".")[2]
                asked[id(function)] = called(function, short, names, library)
            found[name] = asked[id(function)]
    return {name: each for name, each in found.items() if each}


def main() -> None:
    """Write the file, grouped by what the names mean."""
    warnings.simplefilter("ignore")
    import paddle

    groups: dict[str, list[str]] = {}
    for name, renames in recorded(paddle).items():
        words = [f"{further}={own}" if own else further for further, own in renames.items()]
        groups.setdefault(" ".join(sorted(words)), []).append(name)
    data = {
        "paddle": paddle.__version__,
        "aliases": {words: " ".join(sorted(names)) for words, names in sorted(groups.items())},
    }
    ALIASES.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    count = sum(map(len, groups.values()))
    print(f"{ALIASES.relative_to(ROOT)}: {count} functions", file=sys.stderr)


if __name__ == "__main__":
    main()
