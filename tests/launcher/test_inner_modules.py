"""Paddle's inner modules: each is here, with the names that are kept elsewhere, or has a reason.

launcher/paddle_modules.txt has every module of the wheel, outside_names.txt what three packages of
others (PaddleNLP 2.8.1, PaddleSeg 2.8.0, PaddleFormers 0.4.1) use, the most used names first.
"""

import importlib
import json
import os
import subprocess
import typing
from pathlib import Path

import pytest

from jaxeager import compat
from jaxeager.launcher import known_names
from tests.parity.harness import needed_paddle
from tests.support.processes import printed_by

HERE = Path(__file__).parent
# The numbers of modules, and of names without an underscore, that are here at least.
LEAST_MODULES, LEAST_NAMES = 530, 6050
# The areas that static graphs, parameter servers, compilers and launchers alone use.
APART = """
    _C _C_ops _classes _legacy_C_ops _ops _paddle_docs _pir_ops apy base cinn cost_model
    decomposition distributed incubate.cc incubate.distributed incubate.layers
    incubate.passes jit.dy2static jit.pir_dy2static jit.sot pir static
    tensorrt utils.gast
""".split()

WALK = """
import importlib, json, sys, warnings
import jaxeager.compat
from jaxeager.launcher import known_names
jaxeager.compat.install()
warnings.simplefilter("ignore")
modules, names = {}, {}
for name in sorted(known_names.modules()):
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        modules[name] = str(error)
        continue
    own = set(known_names.modules()[name])
    own |= set(known_names.names_from_others(name))
    names[name] = [each for each in sorted(own) if not hasattr(module, each)]
json.dump([modules, names], sys.stdout)
"""


@pytest.fixture(scope="module")
def walked():
    """Return {absent module: the error of its import} and {module: its absent names}."""
    return json.loads(printed_by(WALK))


@pytest.fixture
def paddle():
    """Yield ``paddle`` as a program imports it."""
    compat.install()
    yield importlib.import_module("paddle")
    compat.uninstall()


def is_apart(module):
    """Return whether a module is in one of the areas apart."""
    short = module.removeprefix("paddle.")
    return any(short == each or short.startswith(f"{each}.") for each in APART)


# ---- the whole wheel


def test_most_modules_and_names_are_here(walked):
    absent, lacking = walked
    every = known_names.modules()
    public = {module: {n for n in names if n[0] != "_"} for module, names in every.items()}
    here = sum(len(public[module] - set(names)) for module, names in lacking.items())
    assert len(every) - len(absent) >= LEAST_MODULES
    assert here >= LEAST_NAMES


def test_an_absent_module_has_a_reason_and_its_error_states_it(walked):
    for module, error in walked[0].items():
        parts = module.split(".")
        packages = [".".join(parts[: count + 1]) for count in range(len(parts))]
        first = next(each for each in packages if each in walked[0])  # its package, if that is not
        assert known_names.reason(module), module
        assert known_names.reason(first) in error, error


def test_an_absent_name_has_a_reason(walked):
    without = [
        f"{module}.{name}"
        for module, names in walked[1].items()
        for name in names
        if not known_names.reason(f"{module}.{name}")
        and f"{module}.{name}" not in known_names.modules()
    ]
    assert not without, "give a reason in jaxeager/launcher/absent_inner.toml"


def test_every_reason_of_inner_names_is_about_an_absent_one(walked):
    absent, lacking = walked
    gone = {*absent, *(f"{m}.{name}" for m, names in lacking.items() for name in names)}
    gone |= {f"{m}.{name}" for m in absent for name in known_names.modules()[m]}
    gone = {each.removeprefix("paddle.") for each in gone}
    above = {each[:at] for each in gone for at, c in enumerate(each + ".") if c == "."}
    stale = []
    for said in known_names.inner_reasons():
        short = said.removeprefix("paddle.")
        if short not in gone and short.removesuffix(".*") not in above:
            stale.append(said)
    assert not stale, f"they are here: {stale}"


def test_absent_modules_outside_the_excluded_areas_are_internal_to_paddle(walked):
    """A module of layers, data, optimizers or distributions that a program may import is here."""
    found = [each for each in walked[0] if not is_apart(each)]
    for room in ("nn.layer", "nn.initializer", "optimizer.lr", "distribution", "metric", "text",
                 "audio", "sparse", "vision"):  # fmt: skip
        assert not [each for each in found if each.startswith(f"paddle.{room}")]


# ---- what others import


def uses():
    """Yield (name, number of uses) of what packages of others use."""
    for line in HERE.joinpath("outside_names.txt").read_text(encoding="utf-8").splitlines():
        count, name = line.split()
        yield name, int(count)


def test_names_that_packages_use_exist_or_have_a_reason(paddle):
    without = []
    for name, count in uses():
        if known_names.is_known(name) and not known_names.is_here(name):
            without += [] if known_names.reason(name) else [(name, count)]
    assert not without


def test_nearly_every_use_of_packages_is_of_a_name_that_is_here(paddle):
    every = [(count, known_names.is_here(name)) for name, count in uses()]
    assert sum(count for count, here in every if here) >= 0.96 * sum(count for count, _ in every)


# ---- what modules show that others define


def test_every_type_of_paddle_typing_is_here(paddle):
    """What the package shows and what its modules have is one object, which annotations accept."""
    typing_names = {
        m: n for m, n in known_names.modules().items() if m.startswith("paddle._typing")
    }
    assert len(typing_names) == 7
    for module, names in typing_names.items():
        here = importlib.import_module(module)
        assert not [each for each in names if not hasattr(here, each)]
    shown = vars(importlib.import_module("paddle._typing"))
    assert {"TensorLike", "DTypeLike", "Size2", "NestedStructure"} <= shown.keys()
    assert shown["TensorLike"] is importlib.import_module("paddle._typing.basic").TensorLike
    assert paddle.Tensor in typing.get_args(shown["TensorLike"])
    assert shown["Size2"] | None  # as in ``def f(kernel: Size2 | None)``


def test_unreached_raises_as_in_paddle(paddle):
    with pytest.raises(RuntimeError, match="was reached"):
        importlib.import_module("paddle._typing").unreached()


@pytest.mark.parametrize(
    ("module", "name", "what"),
    [
        ("vision.transforms.transforms", "F", "vision.transforms.functional"),
        ("nn.layer.loss", "F", "nn.functional"),
        ("nn.layer.rnn", "framework", "framework"),
        ("distributed.fleet.utils.sequence_parallel_utils", "dist", "distributed"),
        ("io.dataloader.dataloader_iter", "default_collate_fn", "io.collate.default_collate_fn"),
    ],
)
def test_modules_have_what_they_import_under_the_name_of_the_import(paddle, module, name, what):
    found = getattr(importlib.import_module(f"paddle.{module}"), name)
    assert found is known_names.find(f"paddle.{what}")


def test_an_imported_name_that_is_absent_has_the_reason_of_its_home(paddle):
    with pytest.raises(ImportError) as caught:
        exec("from paddle.tensor.math import ParamAliasDecorator")
    assert "is an internal name of Paddle 3.3.1 that jaxeager lacks" in str(caught.value)
    assert "A helper of Paddle's own code" in str(caught.value)


# ---- how they are made


@pytest.mark.parametrize(
    ("text", "home"),
    [
        ("from paddle.nn.layer.pooling import MaxPool2D as found", "nn.MaxPool2D"),
        ("from paddle.nn.layer.activation import ReLU as found", "nn.ReLU"),
        ("from paddle.nn.layer import layers; found = layers.Layer", "nn.Layer"),
        ("from paddle.nn.parameter import Parameter as found", "nn.Parameter"),
        ("from paddle.nn.parameter import *; found = EagerParamBase", "nn.Parameter"),
        ("from paddle.nn.modules.container import ModuleList as found", "nn.LayerList"),
        ("from paddle.sparse.nn.layer.activation import ReLU as found", "sparse.nn.ReLU"),
        ("from paddle.incubate.nn.layer.fused_linear import FusedLinear as found",
         "incubate.nn.FusedLinear"),
        ("from paddle.base.reader import DataLoader as found", "io.DataLoader"),
        ("from paddle.io.reader import DataLoader as found", "io.DataLoader"),
        ("from paddle.base.libpaddle import Place as found", "base.core.Place"),
        ("from paddle.sparse.binary import is_same_shape as found", "sparse.is_same_shape"),
        ("import paddle; found = paddle.nn.layer.pooling.MaxPool2D", "nn.MaxPool2D"),
        ("import paddle; found = paddle.paddle.nn.Layer", "nn.Layer"),
        ("import paddle; found = paddle.hapi.progressbar.ProgressBar",
         "hapi.progress_bar.ProgressBar"),
    ],
)  # fmt: skip
def test_names_are_where_paddle_has_them(paddle, text, home):
    given = {}
    exec(text, given)
    room, _, name = home.rpartition(".")
    assert given["found"] is getattr(importlib.import_module(f"paddle.{room}"), name)


def test_they_are_modules_of_the_library_as_well():
    module = importlib.import_module("jaxeager.nn.layer.pooling")
    activation = importlib.import_module("jaxeager.tensor.tensor")
    assert module.__name__ == "jaxeager.nn.layer.pooling"
    assert activation.__spec__.name == "jaxeager.tensor.tensor"
    compat.install()
    try:
        assert importlib.import_module("paddle.tensor.tensor") is activation
    finally:
        compat.uninstall()
    with pytest.raises(AttributeError, match=r"module 'jaxeager\.nn\.parameter' has no attribute"):
        importlib.import_module("jaxeager.nn.parameter").nothing  # noqa: B018 - it is asked for


def test_a_function_stays_where_a_module_has_its_name(paddle):
    functional = importlib.import_module("paddle.incubate.nn.functional")
    before = functional.swiglu
    module = importlib.import_module("paddle.incubate.nn.functional.swiglu")
    assert functional.swiglu is before is module.swiglu


def test_samples_are_converted_as_in_paddle(paddle):
    collate = importlib.import_module("paddle.io.dataloader.collate")
    assert collate.default_convert_fn([1, ("a", {"b": (2,)})]) == [1, ["a", {"b": [2]}]]
    assert (
        collate.default_collate_fn
        is importlib.import_module("paddle.io.collate").default_collate_fn
    )


def test_circular_imports_of_paddle_end(paddle):
    assert not hasattr(
        importlib.import_module("paddle.utils.unique_name"), "generate_with_ignorable_key"
    )
    with pytest.raises(AttributeError, match=r"batched_gemm"):
        importlib.import_module("paddle.incubate.nn.functional").batched_gemm  # noqa: B018


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import paddle.pir_utils", "Of static graphs"),
        (
            "from paddle.quantization.imperative.utils import find_next_ops",
            "paddle.quantization has QAT",
        ),
        ("from paddle.distributed.fleet.meta_optimizers import DGCMomentumOptimizer", "Of static"),
        ("from paddle.base.core import ProgramDesc", "Paddle's own C++"),
        ("from paddle.vision.models.resnet import model_urls", "nothing is downloaded"),
        (
            "from paddle.distributed.fleet.utils.tensor_fusion_helper import align",
            "several devices",
        ),
    ],
)
def test_an_error_names_what_is_absent_and_why(paddle, text, words):
    with pytest.raises(ImportError) as caught:
        exec(text)
    assert words in str(caught.value)
    assert text.split()[1].rpartition(".")[2] in str(caught.value)


# ---- the record


@pytest.mark.live
def test_the_record_has_every_module_of_the_wheel():
    """The names of each file, read without importing it, are those of the record.

    Not compared: what programs do not import, and the module that loads Paddle's C++.
    """
    code = """
import ast, json, pathlib, sys
import record_paddle_names as r
class library: __path__ = [sys.argv[1]]; __name__ = "paddle"
found = {name: sorted(r.defined(ast.parse(path.read_bytes())))
         for name, path in r.sources(library).items()}
apart = [name for name in found if name.startswith((*r._APART, "paddle.base.core"))]
print(json.dumps([found, apart]))
"""
    python, tools = needed_paddle(), HERE.parents[1] / "tools"
    where = "import importlib.util as u; print(u.find_spec('paddle').submodule_search_locations[0])"
    folder = subprocess.run([python, "-c", where], capture_output=True, text=True, check=True)
    done = subprocess.run(
        [python, "-c", code, folder.stdout.strip()], cwd=tools, env=os.environ,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    wheel, apart = json.loads(done.stdout)
    assert set(wheel) <= set(known_names.modules())
    for module in wheel.keys() - set(apart):
        names = wheel[module]
        public = {name for name in names if name[0] != "_" and name != "TYPE_CHECKING"}
        lacking = public - known_names.modules()[module]
        assert len(lacking) <= 3, (module, lacking)  # names that it deletes, or of type checkers
