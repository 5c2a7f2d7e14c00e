"""jaxeager.compat: ``import paddle`` imports jaxeager, in this process and in its children."""

import builtins
import importlib
import importlib.util
import os
import pickle
import pkgutil
import re
import subprocess
import sys
import textwrap

import pytest

import jaxeager
from jaxeager import compat
from jaxeager.errors import PreconditionNotMetError
from jaxeager.launcher import known_names, missing_names
from jaxeager.launcher.finder import Finder
from tests.support.here import DEVICE, PLACE
from tests.support.often import only

LIMIT_S = 300


@pytest.fixture
def paddle():
    """Yield ``paddle`` as the program of a test imports it."""
    before = sys.modules.get("paddle")
    assert before is None, f"the tests run with {before}"
    compat.install()
    yield importlib.import_module("paddle")
    compat.uninstall()


def run(folder, *arguments, launcher=True, text="", **given):
    """Run python in a folder, where it finds modules; with the launcher or without."""
    if text:
        (folder / "program.py").write_text(textwrap.dedent(text))
    command = [sys.executable, *(["-m", "jaxeager"] if launcher else []), *map(str, arguments)]
    path = os.pathsep.join(filter(None, [os.getcwd(), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        command, cwd=folder, env={**os.environ, "PYTHONPATH": path}, text=True,
        capture_output=True, timeout=LIMIT_S, **given,
    )  # fmt: skip


def said(folder, text, *arguments):
    """Return the output of a program under the launcher; it must succeed."""
    done = run(folder, *(arguments or ["program.py"]), text=text)
    assert done.returncode == 0, done.stderr
    return done.stdout


# ---- one module, two names


def test_modules_are_the_same_objects(paddle):
    functional = importlib.import_module("paddle.nn.functional")
    assert paddle is jaxeager
    assert functional is jaxeager.nn.functional is paddle.nn.functional
    for name in ("nn", "nn.layer.common", "vision.models", "optimizer.lr"):
        importlib.import_module(f"paddle.{name}")
        assert sys.modules[f"paddle.{name}"] is sys.modules[f"jaxeager.{name}"]
        assert sys.modules[f"jaxeager.{name}"].__spec__.name == f"jaxeager.{name}"


def test_an_import_rebinds_nothing(paddle):
    """Some modules have the name of the function they hold; the package holds the function."""
    every = [
        each.name
        for each in pkgutil.walk_packages(jaxeager.__path__, "jaxeager.")
        if not each.name.endswith("__main__")
    ]
    for name in every:
        importlib.import_module(name)
    before = {name: _bound(name) for name in every}
    for name in every:
        module = importlib.import_module(name.replace("jaxeager", "paddle", 1))
        assert module is sys.modules[name]
    changed = [name for name in every if _bound(name) is not before[name]]
    assert not changed


def test_an_import_rebinds_nothing_in_a_fresh_process(tmp_path):
    out = said(tmp_path, """
        import paddle.io.random_split, paddle.framework.batch, paddle.vision.ops.nms
        import paddle.vision
        paddle.vision.models
        import paddle.vision.models.alexnet
        for each in (paddle.io.random_split, paddle.framework.batch, paddle.vision.ops.nms,
                     paddle.vision.models.alexnet):
            print(type(each).__name__)
        """)  # fmt: skip
    assert out.split() == ["function"] * 4


def test_a_module_that_paddle_does_not_have_keeps_its_own_names(tmp_path):
    """``paddle.summary`` is not the module ``summary`` of a room of jaxeager."""
    out = said(tmp_path, """
        import paddle
        from jaxeager.debug.time import summary
        print(type(summary).__name__, hasattr(paddle.debug.time, "flops"), paddle.summary.__name__)
        """)  # fmt: skip
    assert out.split() == ["module", "False", "summary"]


def _bound(name):
    package, _, child = name.rpartition(".")
    return getattr(sys.modules[package], child)


def test_install_twice_and_uninstall(paddle):
    compat.install()
    assert sum(type(each) is Finder for each in sys.meta_path) == 1
    assert compat.is_installed()
    compat.uninstall()
    compat.uninstall()
    assert not compat.is_installed()
    assert not [name for name in sys.modules if name.partition(".")[0] == "paddle"]
    assert jaxeager.__version__ == jaxeager.version.full_version == "0.1.0"
    assert repr(jaxeager.Tensor) == "<class 'jaxeager.tensor.tensor.Tensor'>"
    assert "__getattr__" not in vars(jaxeager.linalg)
    assert jaxeager.vision.models  # a room's own way of importing its contents


def test_importing_jaxeager_gives_nothing_another_name():
    assert not compat.is_installed()
    assert "paddle" not in sys.modules


def test_paddle_itself_was_imported(monkeypatch):
    other = type(sys)("paddle")
    monkeypatch.setitem(sys.modules, "paddle", other)
    with pytest.raises(PreconditionNotMetError, match="Paddle itself is imported already"):
        compat.install()
    assert sys.modules["paddle"] is other


def test_programs_print_the_reprs_of_paddle(paddle):
    layer = paddle.nn.Linear(2, 3)
    assert repr(type(paddle.ones([2]))) == "<class 'paddle.Tensor'>"
    assert repr(type(layer.weight)) == "<class 'paddle.base.framework.EagerParamBase'>"
    assert repr(type(paddle.float32)) == "<class 'paddle.dtype'>"
    assert f"{paddle.float32} {[paddle.int64]}" == "paddle.float32 [<DataType.INT64: 9>]"
    assert str(paddle.ones([2, 3]).shape) == "paddle.Size([2, 3])"
    assert repr(paddle.ones([1])).startswith("Tensor(shape=[1], dtype=float32")
    assert paddle.__version__ == paddle.version.full_version == "3.3.1"
    assert (paddle.version.major, paddle.version.minor) == ("3", "3")
    paddle.utils.require_version("3.0.0")


def test_names_of_inner_modules_are_where_paddle_has_them(paddle):
    """Programs also read them from ``__dict__``, and import from modules that do not exist here."""
    activation = importlib.import_module("paddle.nn.layer.activation")
    assert vars(activation)["ReLU"] is paddle.nn.ReLU
    for text, wanted in [
        ("from paddle.nn.layer.activation import Sigmoid as found", paddle.nn.Sigmoid),
        ("from paddle.vision.transforms.transforms import Compose as found",
         paddle.vision.transforms.Compose),
        ("from paddle.io.dataloader.dataset import Dataset as found", paddle.io.Dataset),
        ("from paddle.hapi.callbacks import Callback as found", paddle.callbacks.Callback),
        ("import paddle; found = paddle.tensor.min", paddle.min),
        ("from paddle.nn.layer.layers import in_declarative_mode as found",
         paddle.base.dygraph.base.in_declarative_mode),  # which that module imports
        ("from paddle.nn.layer.rnn import LayerList as found", paddle.nn.LayerList),
        ("from paddle.device.cuda.streams import Event as found", paddle.device.Event),
    ]:  # fmt: skip
        given = {}
        exec(text, given)
        assert given["found"] is wanted, text
    for text in ("from paddle.nn.layer.activation import Zzz", "import paddle.io.dataloader.zzz",
                 "from paddle.io.dataloader.dataset import Zzz"):  # fmt: skip
        assert isinstance(error_of(text), ImportError)
    compat.uninstall()
    assert "paddle.io.dataloader.dataset" not in sys.modules
    assert not hasattr(sys.modules["jaxeager.device.cuda"], "__path__")


def test_builtin_functions_stay_what_they_are(paddle):
    """A module may call ``min``: it must not become paddle's."""
    importlib.import_module("paddle.tensor")
    given = {name for _, name in missing_names._filled}
    assert "ReLU" in given
    assert not given & vars(builtins).keys()


def test_find_spec_only_asks(paddle):
    assert importlib.util.find_spec("paddle.nn") is not None
    assert importlib.util.find_spec("paddle.fluid") is None


# ---- missing names


def error_of(text, **names):
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the tests say which
        exec(text, names)
    return caught.value


MISSING = "paddle.MmapStorage is an API of Paddle 3.3.1 that jaxeager lacks: Paddle's own memory"


def test_a_missing_attribute(paddle):
    error = error_of("paddle.MmapStorage", paddle=paddle)
    assert isinstance(error, AttributeError)
    assert str(error).startswith(f"module 'paddle' has no attribute 'MmapStorage'. {MISSING}")
    assert repr(type(error)) == "<class 'AttributeError'>"
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert not hasattr(paddle, "MmapStorage")


def test_a_missing_import(paddle):
    error = error_of("from paddle import MmapStorage")
    assert type(error) is ImportError
    assert str(error).startswith(f"cannot import name 'MmapStorage' from 'paddle'. {MISSING}")
    assert error.name == "paddle"


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("paddle.nn.Liner", AttributeError, "Paddle 3.3.1 has no paddle.nn.Liner either. The "
         "nearest here: paddle.nn.Linear."),
        ("paddle.linalg.relu", AttributeError, "The nearest here: paddle.nn.functional.relu"),
        ("paddle.vision.models.resnet19", AttributeError, "module 'paddle.vision.models' has no"),
        ("from paddle.nn.utils import relu7", ImportError, "has no paddle.nn.utils.relu7 either"),
        ("import paddle.fluid", ModuleNotFoundError, "No module named 'paddle.fluid'. Paddle 3.3.1 "
         "has no paddle.fluid either."),
        ("import paddle.fluid.layers", ModuleNotFoundError, "No module named 'paddle.fluid'."),
        ("import paddle.static.quantization.adaround", ModuleNotFoundError,
         "is an internal name of Paddle"),
        ("from paddle.nn.clip import _cast_to_mp_type_if_enabled", ImportError,
         "_enabled is an internal name of Paddle 3.3.1 that jaxeager lacks: A helper of Paddle's"),
        ("paddle.__wrapped__", AttributeError, "module 'paddle' has no attribute '__wrapped__'"),
    ],
)  # fmt: skip
def test_other_missing_names(paddle, text, kind, words):
    error = error_of(text, paddle=paddle)
    assert isinstance(error, kind)
    assert words in str(error)


def test_a_missing_method_of_a_tensor(tmp_path):
    done = run(tmp_path, "program.py", text="import paddle\npaddle.ones([1]).get_map_tensor()\n")
    assert done.returncode == 1
    last = done.stderr.splitlines()[-2:]
    assert last[0] == "AttributeError: 'Tensor' object has no attribute 'get_map_tensor'"
    assert last[1].startswith("paddle.Tensor.get_map_tensor is an API of Paddle 3.3.1 that")


def test_reasons_are_of_the_name_or_its_module():
    assert known_names.reason("paddle.LazyGuard") == known_names.reasons().get(
        "paddle.LazyGuard", ""
    )
    assert known_names.reason("paddle.Tensor.get_map_tensor").startswith("A dtype of strings")
    assert known_names.reason("paddle.nn.Linear") == ""


def test_every_recorded_module_is_one_of_all_modules():
    recorded = {f"paddle.{name}" for name in known_names.recorded()["modules"]} - {"paddle.paddle"}
    classes = {
        each
        for each in recorded
        if known_names.is_known(each) and each not in known_names.modules()
    }
    assert recorded - set(known_names.modules()) == classes
    assert known_names.is_known("paddle.nn.layer.common.Linear")
    assert not known_names.is_known("paddle.fluid")


# ---- as python runs it

PROGRAM = """
import sys
print(__name__, __file__, __package__, type(__loader__).__name__, sorted(globals()))
print(__spec__ and __spec__.name, sys.argv, sys.path[0], sys.modules["__main__"].__name__)
def fail():
    raise ValueError("x")
{"fail": fail, "text": lambda: sys.exit("bye"), "three": lambda: sys.exit(3)}.get(
    sys.argv[-1], lambda: None)()
if sys.argv[-1] == "interrupt":
    raise KeyboardInterrupt
if sys.argv[-1] == "hook":
    sys.excepthook = lambda kind, error, trace: print(trace.tb_frame.f_code.co_filename, kind)
    fail()
"""
WITHOUT = re.compile(r'  File "<frozen runpy>".*\n')


@pytest.fixture
def programs(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "wrong.py").write_text("x = (\n")
    for name in ("package", "plain"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    (tmp_path / "package" / "__main__.py").write_text(PROGRAM)
    (tmp_path / "package" / "inside.py").write_text(PROGRAM)
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "link.py").symlink_to(tmp_path / "program.py")
    return tmp_path


RUNS = [
    "program.py --lr 0.1 -m x", "program.py fail", "program.py interrupt", "-m package fail",
    "-c import(sys)",
]  # fmt: skip
LATER = [
    "program.py three", "program.py hook", "wrong.py", "package a", "-m none",
    "program.py text", "linked/link.py", "none.py", "plain", "-m program -c", "-m package.inside",
    "-m plain", "-m none.inside",
]  # fmt: skip


@pytest.mark.parametrize("arguments", only(RUNS, RUNS + LATER))
def test_the_launcher_runs_a_program_as_python_does(programs, arguments):
    wanted = run(programs, *arguments.split(), launcher=False)
    found = run(programs, *arguments.split())
    assert found.returncode == wanted.returncode
    assert found.stdout == wanted.stdout
    assert found.stderr == WITHOUT.sub("", wanted.stderr)


def test_pdb_runs_under_the_launcher(tmp_path):
    text = "import paddle\nx = paddle.ones([2])\nprint('end')\n"
    done = run(tmp_path, "-m", "pdb", "program.py", text=text, input="n\nn\np x.shape\nc\nq\n")
    assert "[2]" in done.stdout, done.stderr
    assert "> program.py(1)" in done.stdout.replace(f"{tmp_path}{os.sep}", "")


@pytest.mark.deep
def test_the_launcher_runs_under_pdb(tmp_path):
    (tmp_path / "program.py").write_text("import paddle\nbreakpoint()\nprint('end')\n")
    done = run(tmp_path, "-m", "pdb", "-m", "jaxeager", "program.py", launcher=False,
               input="c\np paddle.__version__\nc\nq\n")  # fmt: skip
    assert "'3.3.1'" in done.stdout, done.stderr


# ---- options


def test_options_of_flags(tmp_path):
    text = """
        import os, sys
        import paddle
        print(paddle.get_flags("FLAGS_check_nan_inf"), paddle.get_flags("call_stack_level"))
        print(os.environ["FLAGS_check_nan_inf"], os.environ["GLOG_v"], sys.argv[1:])
        print(paddle.to_tensor([1]).dtype, paddle.get_device(), paddle.ones([1]).place)
        paddle.ones([1]) + 1
        """
    done = run(tmp_path, "-F", "check_nan_inf=1", "--flag", "FLAGS_call_stack_level=2",
               "--GLOG_v", "3", "program.py", "--flag", "x", text=text)  # fmt: skip
    assert done.stdout.splitlines() == [
        "{'FLAGS_check_nan_inf': True} {'call_stack_level': 2}",
        "1 3 ['--flag', 'x']",
        f"paddle.int64 {DEVICE} {PLACE}",
    ], done.stderr
    assert "Running_AD_API: scale" in done.stderr


def test_options_of_dtypes_and_devices(tmp_path):
    text = """
        import paddle
        print(paddle.to_tensor([1]).dtype, paddle.get_device(), paddle.ones([1]).place)
        """
    found = said(tmp_path, text, "--no-x64", "--device", "cpu", "program.py")
    assert found.split() == ["paddle.int32", "cpu", "Place(cpu)"]


# ---- other processes


def test_pickles_made_under_the_launcher_are_read_without_it(tmp_path):
    said(tmp_path, """
        import pickle
        import paddle
        made = [paddle.ones([2]), paddle.nn.Linear(2, 3), paddle.float32, paddle.CPUPlace(),
                paddle.optimizer.lr.StepDecay(0.1, 2), paddle.nn.Linear(1, 1).weight,
                paddle.ones([2, 3]).shape]
        open("made.pickle", "wb").write(pickle.dumps(made))
        """)  # fmt: skip
    written = (tmp_path / "made.pickle").read_bytes()
    read = pickle.loads(written)
    assert b"paddle" not in written
    assert type(read[0]) is jaxeager.Tensor
    assert type(read[1]) is jaxeager.nn.Linear
    assert read[2] is jaxeager.float32
    assert type(read[5]) is jaxeager.Parameter


WORKERS = """
import multiprocessing, sys
from concurrent.futures import ProcessPoolExecutor
import paddle
from mine import Mine

def in_process(x):
    import paddle.nn.functional as F
    return type(x).__name__, F is sys.modules["jaxeager.nn.functional"], paddle.__version__

class Local(paddle.io.Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, at):
        import paddle.nn.functional as F
        return F.relu(paddle.to_tensor([at - 2.0]))

if __name__ == "__main__":
    for dataset in (Mine(), Local()):
        for batch in paddle.io.DataLoader(dataset, batch_size=4, num_workers=1):
            print(batch.numpy().ravel().tolist())
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(sys.argv[1])) as pool:
        print(*pool.submit(in_process, paddle.ones([1])).result())
"""
MINE = """
import sys
import numpy as np
import paddle
import paddle.vision.transforms as T
from paddle.io import Dataset

class Mine(Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, at):
        assert sys.modules["paddle.io"] is sys.modules["jaxeager.io"]
        assert paddle.vision.transforms is T
        return np.array([at, "jax" in sys.modules], "float32")
"""


@pytest.mark.parametrize("method", ["spawn", pytest.param("forkserver", marks=pytest.mark.deep)])
def test_worker_processes_know_it(tmp_path, method):
    (tmp_path / "mine.py").write_text(MINE)
    assert said(tmp_path, WORKERS, "program.py", method).splitlines() == [
        "[0.0, 0.0, 1.0, 0.0, 2.0, 0.0, 3.0, 0.0]",  # these workers needed no JAX
        "[0.0, 0.0, 0.0, 1.0]",
        "Tensor True 3.3.1",
    ]


# ---- pytest and notebooks


def test_as_a_plugin_of_pytest(tmp_path):
    (tmp_path / "conftest.py").write_text("import paddle\n")
    (tmp_path / "test_it.py").write_text(
        "import paddle, jaxeager\ndef test_it():\n    assert paddle is jaxeager\n"
    )
    done = run(tmp_path, "-m", "pytest", "-q", "-p", "jaxeager.compat", launcher=False)
    assert "1 passed" in done.stdout, done.stdout + done.stderr


def test_as_an_extension_of_a_notebook():
    compat.load_ipython_extension(None)
    assert importlib.import_module("paddle") is jaxeager
    compat.unload_ipython_extension(None)
    assert not compat.is_installed()


def test_texts_name_what_is_near():
    assert missing_names.nearest("paddle.nn.Liner") == ["paddle.nn.Linear"]
    assert missing_names.nearest("paddle.incubate.matmul")[0] == "paddle.matmul"
    assert missing_names.nearest("paddle.zzzzz") == []


def test_a_name_that_a_module_imports_on_request_stays_its_own(paddle):
    """paddle.flatten is another function: it must not replace that of paddle.utils."""
    utils = importlib.import_module("paddle.utils")
    assert utils.flatten([1, (2, [3])]) == [1, 2, 3]
