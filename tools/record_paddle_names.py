"""Record the public names of real Paddle, which docs/coverage.md compares with.

Run with a Python that has Paddle 3.3.1; it writes paddle_names.json, paddle_modules.txt (every
module with its names, including those that are not public) and paddle_imported.txt (names that
inner modules import from others of Paddle) in jaxeager/launcher, tools/paddle_classes.json (the
classes, with their bases and members), the signatures of layers into
tests/nn/paddle_signatures.json, and the arguments of ``_C_ops`` into
jaxeager/legacy/paddle_ops.txt:

    python tools/record_paddle_names.py
"""

import ast
import importlib
import inspect
import json
import pathlib
import re
import sys
import types
import typing
import warnings
from collections.abc import Iterable

ROOT = pathlib.Path(__file__).resolve().parents[1]
NAMES = ROOT / "jaxeager" / "launcher" / "paddle_names.json"
ALL_MODULES = ROOT / "jaxeager" / "launcher" / "paddle_modules.txt"
IMPORTED = ROOT / "jaxeager" / "launcher" / "paddle_imported.txt"
# Of static graphs, passes, parameter servers, other backends: programs do not need their imports.
_APART = tuple(
    f"paddle.{name}"
    for name in (
        "apy base.device base.incubate base.libpaddle base.trainer cinn decomposition "
        "distributed.auto_parallel.static distributed.auto_tuner distributed.fleet.data "
        "distributed.fleet.elastic distributed.fleet.runtime "
        "distributed.launch distributed.passes distributed.ps distributed.transpiler "
        "incubate.cc incubate.distributed.fleet incubate.passes jit.dy2static "
        "jit.pir jit.sot pir static tensorrt"
    ).split()
)
CLASSES = ROOT / "tools" / "paddle_classes.json"
OPS = ROOT / "jaxeager" / "legacy" / "paddle_ops.txt"
LAYERS = ROOT / "tests" / "nn" / "paddle_signatures.json"
# The first eight are the ones that programs cannot do without.
MODULES = """
    paddle Tensor nn nn.functional nn.initializer linalg fft optimizer
    optimizer.lr io metric distribution vision.models vision.transforms
    amp audio audio.backends audio.features audio.functional autograd callbacks device geometric
    incubate incubate.autograd incubate.optimizer nn.utils regularizer signal sparse sparse.nn
    sparse.nn.functional special text utils utils.unique_name vision vision.datasets vision.ops
""".split()
# Every other module of the wheel that declares its public names, except those of parameter servers,
# and modules without such a declaration that programs read. Their classes are not compared.
FURTHER = """
    _C_ops amp.debugging api_tracer audio.datasets autograd.ir_backward base base.data_feeder
    base.dygraph base.dygraph.base base.framework base.layer_helper base.param_attr
    base.unique_name common_ops_import compat compat.nn compat.nn.functional cost_model cuda
    dataset.cifar dataset.common dataset.imdb dataset.mnist dataset.uci_housing device.cuda
    device.custom_device device.xpu distributed distributed.collective distributed.communication
    distributed.communication.stream distributed.fleet distributed.fleet.base.role_maker
    distributed.fleet.base.topology distributed.fleet.layers.mpu distributed.fleet.meta_parallel
    distributed.fleet.recompute distributed.fleet.utils distributed.fsdp distributed.parallel
    distributed.passes distributed.rpc distributed.sharding distribution.kl distribution.transform
    framework framework.io framework.random functional hub incubate.asp incubate.autotune
    incubate.cc incubate.distributed.fleet incubate.nn incubate.nn.functional
    incubate.optimizer.functional inference jit nn.attention nn.init nn.layer.loss nn.quant
    nn.quant.quant_layers onnx profiler quantization quantization.observers quantization.quanters
    random reader.decorator static static.amp static.nn sysconfig tensor tensor.array
    tensor.attribute tensor.creation tensor.linalg tensor.logic tensor.manipulation tensor.math
    tensor.ops tensor.random tensor.search tensor.stat utils.cpp_extension utils.dlpack
    utils.download utils.layers_utils version
""".split()


def bare(function) -> str | None:
    """Return a signature without annotations; None if there is none."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    parameters = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=parameters, return_annotation=signature.empty))


def find(library, module: str):
    """Return a module of the library, or its Tensor class."""
    if module == "Tensor":
        return library.Tensor
    name = library.__name__
    return importlib.import_module(name if module == "paddle" else f"{name}.{module}")


def names_of(place, module: str) -> list[str]:
    """Return the public names of a module or a class."""
    if module == "Tensor":
        hidden = set(dir(object))
        return [n for n in dir(place) if n not in hidden and (n[:2] == "__" or n[:1] != "_")]
    listed = getattr(place, "__all__", None)
    if not listed:
        listed = [n for n in dir(place) if not n.startswith("_")]
        if module in FURTHER:
            listed = [n for n in listed if _is_own(place, n)]
    if module == "_C_ops":
        listed = [n for n in listed if not re.search("_grad_?(_grad)?(_dist)?$", n)]
    return sorted({name for name in listed if hasattr(place, name)})


def recorded(library) -> dict:
    """Return {module: {name: signature, or None for a value}}."""
    modules = {}
    for module in [*MODULES, *FURTHER]:
        place = find(library, module)
        entries = {name: getattr(place, name) for name in names_of(place, module)}
        modules[module] = {
            name: bare(each) for name, each in entries.items() if not inspect.ismodule(each)
        }
    return {"version": library.__version__, "modules": modules}


def kind_of(value) -> str:
    """Return "class", "function" (any other callable) or "value"."""
    if inspect.isclass(value):
        return "class"
    return "function" if callable(value) else "value"


def public_names(library) -> list[tuple[str, str, object]]:
    """Return (module, name, value) of every public name except modules and Tensor's."""
    found = []
    for module in MODULES:
        if module != "Tensor":
            place = find(library, module)
            entries = [(module, name, getattr(place, name)) for name in names_of(place, module)]
            found += [entry for entry in entries if not inspect.ismodule(entry[2])]
    return found


def members_of(cls: type, public: dict[type, str]) -> dict[str, str | None]:
    """Return {name: signature} of the members that a class adds to its public bases.

    An attribute that is not callable is "property", a method without a signature None.
    """
    taken = "__init__ __call__ __getitem__ __setitem__ __len__ __iter__ __enter__ __exit__".split()
    members = {}
    for name in dir(cls):
        homes = [each for each in cls.__mro__ if name in vars(each)]
        if (name.startswith("_") and name not in taken) or not homes:
            continue
        if (homes[0] is not cls and homes[0] in public) or homes[0] is object:
            continue
        value = getattr(cls, name)
        is_called = callable(value) and not isinstance(vars(homes[0])[name], property)
        members[name] = bare(value) if is_called else "property"
    return members


def classes(library) -> dict:
    """Return {"kinds": {module: {name: kind}}, "classes": {name: {"bases", "members"}}}."""
    kinds: dict[str, dict[str, str]] = {}
    public: dict[type, str] = {}
    for module, name, value in public_names(library):
        kinds.setdefault(module, {})[name] = kind_of(value)
        if inspect.isclass(value):
            public.setdefault(value, f"{module}.{name}")
    found = {}
    for cls, name in public.items():
        bases = [b for b in cls.__mro__[1:] if b is not object]
        builtin = [b for b in bases if getattr(b, "__module__", "") == "builtins"]
        named = [public.get(b) or (b.__name__ if b in builtin else "") for b in bases]
        members = members_of(cls, public)
        found[name] = {"bases": [each for each in named if each], "members": members}
    return {"version": library.__version__, "kinds": kinds, "classes": found}


def layer_signatures(library) -> dict:
    """Return the signatures of layers, of Layer's methods and of initializers."""
    nn = library.nn
    layers = {
        name: [bare(each.__init__), bare(each.forward)]
        for name, each in inspect.getmembers(nn, inspect.isclass)
        if issubclass(each, nn.Layer)
    }
    methods = {n: bare(f) for n, f in inspect.getmembers(nn.Layer, inspect.isfunction)}
    initializers = {
        name: bare(getattr(nn.initializer, name)) for name in sorted(nn.initializer.__all__)
    }
    other = {
        "ParamAttr": bare(library.ParamAttr),
        "create_parameter": bare(library.create_parameter),
        **{
            f"utils.unique_name.{name}": bare(getattr(library.utils.unique_name, name))
            for name in ("generate", "guard", "switch")
        },
    }
    return {
        "paddle": library.__version__,
        "layers": layers,
        "Layer": {n: s for n, s in methods.items() if not n.startswith("_")},
        "initializers": initializers,
        "other": other,
    }


def all_modules(library) -> str:
    """Return a line for each module of the wheel, with its names.

    A module that is not a package has the names defined there, and the values; imported names are
    listed under their home module. The names of a module that needs another package, which is not
    installed, are read from its source.
    """
    lines = []
    modules = {name: _imported_or_none(name) for name in sources(library)}
    for name, path in sources(library).items():
        module, names = modules[name], defined(ast.parse(path.read_bytes()))
        if module is not None:
            names = {each for each in names if _is_alias(vars(module).get(each))}
            names |= {each for each in vars(module) if _is_own(module, each)}
            names |= {each for each in vars(module) if _is_shown_alias(module, each)}
        lines.append(f"{name}: {' '.join(sorted(names))}".rstrip())
    core = f"{library.__name__}.base.libpaddle"
    names = sorted(each for each in vars(importlib.import_module(core)) if each[:2] != "__")
    lines.append(f"{core}: {' '.join(names)}")
    lines += [f"{each}:" for each in folders(sources(library)) - sources(library).keys()]
    return "\n".join(sorted(lines)) + "\n"


def _imported_or_none(name: str) -> types.ModuleType | None:
    with warnings.catch_warnings(action="ignore"):
        try:
            return importlib.import_module(name)
        except Exception:
            return None


def sources(library) -> dict[str, pathlib.Path]:
    """Return {module: its file}; folders without ``__init__.py`` are walked like packages."""
    top = pathlib.Path(library.__path__[0])
    found = {}
    for path in sorted(top.rglob("*.py")):
        parts = path.relative_to(top.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if parts[-1] != "__main__":
            found[name] = path
    return found


def folders(names: Iterable[str]) -> set[str]:
    """Return the packages above some modules; those without ``__init__.py`` are in no list."""
    above = {name.rpartition(".")[0] for name in names} - {""}
    return above | folders(above) if above else above


def defined(tree: ast.Module) -> set[str]:
    """Return the names that a source defines at its top: functions, classes, values."""
    found = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        found |= {each.id for each in targets if isinstance(each, ast.Name)}
    return {name for name in found if not name.startswith("__")}


def imported(library) -> str:
    """Return a line for each inner module: what it imports from others.

    ``module: home(name name) home(name=alias)``; a module of Paddle is a name of its package.
    """
    lines = []
    for name in sorted(sys.modules):
        module = sys.modules[name]
        if name.partition(".")[0] != library.__name__ or name.startswith(_APART):
            continue
        homes: dict[str, list[str]] = {}
        for each, value in list(vars(module).items()):
            home, their_name = _home(library, each, value)
            if home and home != name and not each.startswith("__"):
                shown = each if their_name == each else f"{their_name}={each}"
                homes.setdefault(home, []).append(shown)
        if homes:
            found = " ".join(f"{home}({' '.join(sorted(homes[home]))})" for home in sorted(homes))
            lines.append(f"{name}: {found}")
    return "\n".join(lines) + "\n"


def _home(library, name: str, value: object) -> tuple[str, str]:
    """Return the module of Paddle that defines a value, and its name there; "" if there is none."""
    if inspect.ismodule(value):
        home, _, own = value.__name__.rpartition(".")
    else:
        home, own = str(getattr(value, "__module__", "")), name
        defined_as = getattr(value, "__name__", name)
        there = vars(sys.modules.get(home, library))
        if name not in there and there.get(defined_as) is value and defined_as[:1] != "_":
            own = defined_as
        if not callable(value) or home == library.__name__:
            return "", ""
    is_theirs = f"{home}.".startswith(f"{library.__name__}.")
    return (home, own) if is_theirs and not f"{home}.{own}".startswith(_APART) else ("", "")


def _is_alias(value: object) -> bool:
    """Return whether a value is a type to which a module gives a name, such as a Union."""
    return getattr(value, "__module__", None) in ("typing", "types", "collections.abc")


def _is_shown_alias(module: types.ModuleType, name: str) -> bool:
    """Return whether a package shows a type that one of its modules names, such as a Union."""
    value = vars(module)[name]
    is_of_python = any(getattr(each, name, None) is value for each in (typing, types))
    return hasattr(module, "__path__") and _is_alias(value) and not is_of_python


def _is_own(module: types.ModuleType, name: str) -> bool:
    value = vars(module)[name]
    if name.startswith("__") or name in ("TYPE_CHECKING", "annotations"):
        return False
    home = value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", None)
    if not isinstance(home, str):
        return True
    if hasattr(module, "__path__"):
        return home.startswith(module.__name__.partition(".")[0])
    return home in (module.__name__, "paddle.base.libpaddle")


def operators(library) -> str:
    """Return a line for each function of ``_C_ops``: its name and its argument names.

    A function that returns several tensors has a * before its name.
    """
    headers = pathlib.Path(library.__path__[0]) / "include" / "paddle" / "phi" / "api" / "include"
    found = {}
    for line in (headers / "api.h").read_text(encoding="utf-8").splitlines():
        parts = re.match(r"PADDLE_API (.*?) (\w+)(\(.*\));$", line.strip())
        if parts and hasattr(library._C_ops, parts.group(2)):
            returns, name, signature = parts.groups()
            given = [part.rpartition(" ")[2].lstrip("&*") for part in cut(signature)]
            names = [each for each in given if each and each != "predefined_out"]
            shown = f"*{name}" if "tuple" in returns else name
            found.setdefault(name, " ".join([shown, *names]))
    return "".join(f"{found[name]}\n" for name in sorted(found))


def cut(signature: str) -> list[str]:
    """Return the parts between the commas of a signature, without defaults."""
    depth, parts, current = 0, [], ""
    for letter in signature[1 : signature.rindex(")")] + ",":
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == "," and depth == 0:
            parts.append(current.partition("=")[0].strip())
            current = ""
        else:
            current += letter
    return parts


if __name__ == "__main__":
    import paddle

    OPS.write_text(operators(paddle), encoding="utf-8")
    sys.stdout.write(f"wrote {OPS.relative_to(ROOT)}\n")
    made = ((NAMES, recorded), (CLASSES, classes), (LAYERS, layer_signatures))
    for path, value in [(path, make(paddle)) for path, make in made]:
        path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
        sys.stdout.write(f"wrote {path.relative_to(ROOT)}\n")
    ALL_MODULES.write_text(all_modules(paddle), encoding="utf-8")
    IMPORTED.write_text(imported(paddle), encoding="utf-8")
