"""Kernels from files: the same numbers without tracing; uncommon kernels use JAX's own path."""

import copy
import functools
import json
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.core import flags
from jaxeager.kernels import executable_data, executables, kernel_files, stored_kernels, tracing
from jaxeager.kernels.executables import Origin
from jaxeager.ops.call import kernels
from jaxeager.ops.derived import higher
from jaxeager.ops.row import ROWS
from tests.support.here import IS_ON_CPU, only_on_a_cpu
from tests.support.processes import printed_by

known = pytest.mark.skipif(not executables._is_known, reason="a JAX whose kernels go its own way")

STEP = """
import hashlib, json, sys
import jax
import jaxeager as paddle
from jaxeager.kernels import executables

traced = []

def listen(event, seconds, **more):
    if "trace_duration" in event:
        traced.append(event)

jax.monitoring.register_event_duration_secs_listener(listen)
paddle.seed(3)
nn = paddle.nn
layer = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 3))
clip = nn.ClipGradByGlobalNorm(1.0)
optimizer = paddle.optimizer.AdamW(0.1, parameters=layer.parameters(), grad_clip=clip)
x = paddle.to_tensor([[0.1, 0.2, 0.3, 0.4], [1.0, -1.0, 0.5, 2.0]])
losses = []
for _ in range(3):
    held = layer[0].weight._array
    loss = paddle.nn.functional.cross_entropy(layer(x), paddle.to_tensor([0, 2]))
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    losses.append(float(loss))
    held.block_until_ready()
numbers = b"".join(p.numpy().tobytes() for p in layer.parameters())
print(json.dumps({
    "counts": executables.counts()._asdict(), "losses": losses,
    "committed": layer[0].weight._array.committed,
    "digest": hashlib.sha256(numbers).hexdigest(), "traced": len(traced),
}))
"""


def run(script: str, folder: Path, **environment: str) -> dict:
    """Return the output of a process that keeps its kernels in a folder."""
    given = {"JAXEAGER_COMPILATION_CACHE": str(folder), "FLAGS_kernels_in_jax_cache": "0"}
    return json.loads(printed_by(script, **given | environment).splitlines()[-1])


def made(counts: dict) -> int:
    return counts["quick"] + counts["full"]


LAZILY = """
import json
import jaxeager as paddle
from jaxeager.kernels import executables
x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
paddle.set_flags({"FLAGS_lazy_wait": True})
with paddle.lazy():
    for _ in range(3):
        x.clear_grad()
        (paddle.tanh(x * x) * 2.0).sum().backward()
print(json.dumps({"counts": executables.counts()._asdict(), "grad": x.grad.tolist()}))
"""
EAGERLY = """
import json
import jaxeager as paddle
from jaxeager.kernels import executables
x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
(paddle.tanh(x * x) * 2.0).sum().backward()
print(json.dumps({"counts": executables.counts()._asdict(), "grad": x.grad.tolist()}))
"""
MATRICES = """
import json
import jaxeager as paddle
from jaxeager.kernels import executables
found = {}
x = paddle.to_tensor([[4.0, 1.0], [1.0, 3.0]], stop_gradient=False)
for name in "NAMES".split():
    function = getattr(paddle.linalg, name)
    out = function(x, x) if name in ("lstsq", "solve") else function(x)
    out = out if isinstance(out, (list, tuple)) else [out]
    floats = [each for each in out if each.dtype.name == "float32" and not each.stop_gradient]
    if floats:
        paddle.autograd.backward([floats[0]])
    found[name] = [str(each.numpy()) for each in out]
found["gradient"] = x.grad.tolist()
print(json.dumps({"counts": executables.counts()._asdict(), "found": found}))
"""
CALLS_PYTHON = """
import json
import jax
import jaxeager as paddle
from jaxeager.kernels import executables, tracing
from jaxeager.kernels.executables import Origin
def rule(x):
    return jax.pure_callback(lambda y: y + 1, jax.ShapeDtypeStruct(x.shape, x.dtype), x)
kernel = tracing.jit(rule, origin=Origin(("calls python",)))
out = kernel(paddle.ones([2])._array)
print(json.dumps({"counts": executables.counts()._asdict(), "out": out.tolist()}))
"""
# Each program in a namespace of its own, with the kernels that it alone made or loaded.
ALL_IN_ONE = """
import contextlib, io, json
import jaxeager as paddle
from jaxeager.kernels import executables
found = {{}}
for name, program in {programs!r}.items():
    before, said = executables.counts()._asdict(), io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(program, {{"__name__": name}})
    found[name] = json.loads(said.getvalue().splitlines()[-1])
    found[name]["counts"] = {{k: v - before[k] for k, v in found[name]["counts"].items()}}
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def first_and_second(tmp_path_factory):
    """Return what a program of each kind says in a process, and in another after it."""
    programs = {"step": STEP, "lazily": LAZILY, "python": CALLS_PYTHON}
    if IS_ON_CPU:
        programs["matrices"] = MATRICES.replace("NAMES", "cholesky qr svd eigh eig lu")
    folder = tmp_path_factory.mktemp("kernels of programs")
    first, second = (run(ALL_IN_ONE.format(programs=programs), folder) for _ in range(2))
    return {name: (first[name], second[name]) for name in programs}


@pytest.fixture(scope="module")
def of_eagerly(tmp_path_factory):
    """Return a folder with the kernels of a program, and what the program said."""
    folder = tmp_path_factory.mktemp("kernels of one program")
    return folder, run(EAGERLY, folder)


@known
def test_a_second_process_loads_what_the_first_compiled(first_and_second):
    first, second = first_and_second["step"]
    assert first["counts"]["loaded"] == 0
    assert made(first["counts"]) > 10
    assert made(second["counts"]) == 0
    assert second["counts"]["loaded"] == made(first["counts"])
    for same in ("losses", "digest", "committed"):
        assert first[same] == second[same]
    assert second["traced"] < first["traced"] - 10  # the rest is JAX's own (the seed)


@known
def test_segments_of_lazy_mode_have_files(first_and_second):
    first, second = first_and_second["lazily"]
    assert first["counts"]["loaded"] == made(second["counts"]) == 0
    assert made(first["counts"]) == second["counts"]["loaded"] > 0
    assert first["grad"] == second["grad"]


@known
@only_on_a_cpu("JAX's own cache keeps the kernels that call cuSOLVER")
def test_kernels_that_call_lapack_run_from_files(first_and_second):
    """JAX finds LAPACK when it lowers, which a process that loads kernels does not do."""
    first, second = first_and_second["matrices"]
    assert first["found"] == second["found"]
    assert made(second["counts"]) == 0
    assert second["counts"]["loaded"] > 10


@pytest.mark.deep
@known
@only_on_a_cpu("JAX's own cache keeps the kernels that call cuSOLVER")
def test_all_kernels_that_call_lapack_run_from_files(tmp_path):
    names = "inv cholesky qr svd eigh eigvalsh eig det slogdet pinv lu lstsq solve"
    program = MATRICES.replace("NAMES", names)
    first, second = run(program, tmp_path), run(program, tmp_path)
    assert first["found"] == second["found"]
    assert made(second["counts"]) <= 1  # XLA cannot write one with a loop over a sort
    assert second["counts"]["loaded"] > 20


@pytest.mark.deep
@known
def test_kernels_whose_calls_are_not_known_are_left_to_jaxs_own_cache(tmp_path):
    """The first process finds out that it is one, the second uses JAX's cache."""
    script = """
import json
import jaxeager as paddle
from jaxeager.kernels import compilations, executable_data
executable_data._KNOWN_CALLS = ("__",)
out = paddle.linalg.cholesky(paddle.to_tensor([[4.0, 1.0], [1.0, 3.0]])).tolist()
(site,) = [each for each in compilations.sites() if each.name == "cholesky"]
print(json.dumps({"from": [source for source, count in site.counts.items() if count], "out": out}))
"""
    runs = [run(script, tmp_path) for _ in range(3)]
    assert [each["from"] for each in runs[1:]] == [runs[0]["from"], ["cached"]]
    assert runs[0]["from"] != ["cached"]
    assert runs[0]["out"] == runs[1]["out"] == runs[2]["out"]


@pytest.mark.deep
@known
def test_later_processes_compute_the_same_moments_from_files(tmp_path):
    """XLA loses functions of such a kernel. JAX reports of the first step only that it was read."""
    script = """
import json
import jaxeager as paddle
layers = [paddle.nn.Linear(8, 8) for _ in range(4)]
rate = paddle.optimizer.lr.StepDecay(0.1, 100)
adam = paddle.optimizer.AdamW(rate, parameters=[p for each in layers for p in each.parameters()])
for _ in range(3):  # the rate comes from the host at first, and then from the device
    sum(p.sum() for each in layers for p in each.parameters()).backward()
    adam.step()
    rate.step()
print(json.dumps({"moment": adam._accumulators["moment1"][layers[0].weight.name].sum().item()}))
"""
    runs = [run(script, tmp_path, FLAGS_kernel_files=on) for on in "011"]
    assert runs[0] == runs[1] == runs[2]


@known
def test_a_function_is_known_by_its_place_only_if_it_is_defined_there():
    """A generated function with the name of another one differs in every program."""

    def made(x):
        return x * 2

    made.__module__, made.__qualname__ = "jaxeager.ops.call.kernels", "made"
    assert executables.origin_of(made) is None
    made.__qualname__ = "forward_rule"
    assert executables.origin_of(made) is None
    assert executables.origin_of(kernels.forward_rule) is not None


def test_a_row_that_others_have_written_has_no_origin():
    """Its gradient has none either, nor a row whose rule only has the name of one in here."""
    row = copy.copy(ROWS["tanh"])
    assert kernels.origin_of(row) is not None
    assert kernels.origin_of(higher.vjp_row(row)) is not None

    @functools.wraps(row.vjp)
    def doubled(*arrays):
        return 2 * row.vjp(*arrays)

    other = copy.copy(row)
    other.vjp, other.vjp_row = doubled, None
    assert kernels.origin_of(other) is None
    assert kernels.origin_of(higher.vjp_row(other)) is None


@known
def test_kernels_that_call_python_are_not_kept(first_and_second):
    first, second = first_and_second["python"]
    assert first["out"] == second["out"] == [2.0, 2.0]
    assert made(second["counts"]) == 1
    assert second["counts"]["loaded"] == made(first["counts"]) - 1


@known
def test_a_kernel_is_compiled_ahead_once(folder):
    kernel = tracing.jit(
        lambda x, y: (jnp.tanh(x) @ y, [x + 1]), origin=Origin(("test ahead",)), name="ahead"
    )
    x = paddle.ones([3, 3])._array
    before = executables.counts()
    given = executables.ahead(kernel, executable_data.struct_of(x), executable_data.struct_of(x))
    assert jax.tree.map(lambda each: each.shape, given) == ((3, 3), [(3, 3)])
    compiled = []
    jax.monitoring.register_event_duration_secs_listener(
        lambda event, seconds, **more: compiled.append(event) if "backend_compile" in event else 0
    )
    out, (more,) = kernel(x, x)
    np.testing.assert_allclose(out, np.tanh(np.ones((3, 3))) @ np.ones((3, 3)), 1e-6)
    assert more.tolist() == [[2.0] * 3] * 3
    assert compiled == []
    assert made(executables.counts()._asdict()) == made(before._asdict()) + 1


@known
def test_a_call_of_a_kernel_waits_while_it_is_compiled(folder, monkeypatch):
    """Otherwise both threads compile it, and neither may write its file."""
    began, may_end = threading.Event(), threading.Event()
    read, looked_up = stored_kernels.read, []

    def noted(name):
        looked_up.append(name)
        return read(name)

    monkeypatch.setattr(stored_kernels, "read", noted)

    def rule(x):
        began.set()
        assert may_end.wait(60)
        return x * 3

    kernel = tracing.jit(rule, origin=Origin(("test wait",)), name="waits")
    x = paddle.ones([3])._array
    name = kernel.ahead.__self__.read((executable_data.struct_of(x),), {}).name
    with ThreadPoolExecutor(2) as pool:
        ahead = pool.submit(executables.ahead, kernel, executable_data.struct_of(x))
        assert began.wait(60)
        called = pool.submit(kernel, x)
        time.sleep(0.2)
        assert looked_up.count(name) == 1  # the call has not looked for the file yet
        may_end.set()
        assert ahead.result().shape == (3,)
        assert called.result().tolist() == [3.0] * 3
    assert looked_up.count(name) == 2


@known
def test_kernels_in_jaxs_own_cache_get_their_files_again(tmp_path):
    """So it is when the source has changed: files have other names, programs do not."""

    def run_with_both():
        found = run(EAGERLY, tmp_path, FLAGS_kernels_in_jax_cache="1")
        return found, *[
            {path.name for path in tmp_path.glob(kind)} for kind in ("*-cache", "kernels/*")
        ]

    first, *files = run_with_both()
    assert made(first["counts"]) > 4
    shutil.rmtree(tmp_path / "kernels")
    second, *files_of_second = run_with_both()
    assert files_of_second == files
    third, *files_of_third = run_with_both()
    assert files_of_third == files
    assert made(third["counts"]) == 0
    assert third["counts"]["loaded"] == made(first["counts"])
    assert first["grad"] == second["grad"] == third["grad"]


@known
def test_damaged_files_are_compiled_again(tmp_path, of_eagerly):
    folder, first = of_eagerly
    shutil.copytree(folder, tmp_path / "copy")
    files = sorted((tmp_path / "copy" / "kernels").iterdir())
    assert len(files) > 4
    for position, path in enumerate(files):
        content = path.read_bytes()
        path.write_bytes(
            content[: len(content) // 2] if position % 2 else content[:-40] + bytes(40)
        )
    again = run(EAGERLY, tmp_path / "copy")
    assert again["counts"]["loaded"] == 0
    assert made(again["counts"]) == made(first["counts"])
    assert again["grad"] == first["grad"]


@known
def test_code_that_xla_cannot_load_is_compiled_again(tmp_path, of_eagerly, monkeypatch):
    folder, first = of_eagerly
    shutil.copytree(folder, tmp_path / "copy")
    monkeypatch.setattr(kernel_files, "_folder", tmp_path / "copy" / "kernels")
    monkeypatch.setattr(kernel_files, "_is_checked", False)
    monkeypatch.setitem(flags._values, "FLAGS_kernel_files", True)
    for path in list(kernel_files.folder().iterdir()):
        header, code = kernel_files.read(path.name)
        kernel_files.write(path.name, header, code[:100])
    again = run(EAGERLY, tmp_path / "copy")
    assert again["counts"]["loaded"] == 0
    assert made(again["counts"]) == made(first["counts"])
    assert again["grad"] == first["grad"]


@pytest.mark.deep
@known
def test_processes_that_begin_together_share_a_folder(tmp_path):
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda _: run(STEP, tmp_path), range(2)))
    assert found[0]["digest"] == found[1]["digest"]
    assert made(run(STEP, tmp_path)["counts"]) == 0


ONE_OP = (
    "import json; import jaxeager as paddle; from jaxeager.kernels import executables\n"
    "paddle.to_tensor([1.0, 2.0]).tanh()\n"
    "print(json.dumps(executables.counts()._asdict()))"
)
OTHER_SETTINGS = [
    {"JAX_DEFAULT_MATMUL_PRECISION": "float32"},
    {"JAX_ENABLE_X64": "0", "JAXEAGER_ENABLE_X64": "0"},
]
if IS_ON_CPU:  # kernels of other devices have no tiers
    OTHER_SETTINGS.append({"FLAGS_kernel_tiers": "off"})


@pytest.fixture(scope="module")
def of_one_op(tmp_path_factory):
    """Return a folder with the kernel of an op."""
    folder = tmp_path_factory.mktemp("kernel of one op")
    assert made(run(ONE_OP, folder, XLA_FLAGS="")) == 1
    return folder


@known
@pytest.mark.parametrize(
    "changed",
    [
        {"XLA_FLAGS": "--xla_cpu_enable_fast_math=false"},
        *(pytest.param(each, marks=pytest.mark.deep) for each in [{}, *OTHER_SETTINGS]),
    ],
    ids=lambda changed: next(iter(changed), "none"),
)
def test_other_settings_have_other_kernels(tmp_path, of_one_op, changed):
    shutil.copytree(of_one_op, tmp_path / "copy")
    found = run(ONE_OP, tmp_path / "copy", **({"XLA_FLAGS": ""} | changed))
    assert made(found) == bool(changed)


@pytest.mark.deep
@known
@only_on_a_cpu("kernels of other devices have no tiers")
def test_tiers_hang_on_shapes_and_flags(tmp_path):
    script = (
        "import json; import jaxeager as paddle; from jaxeager.kernels import executables\n"
        "def count(size):\n"
        "    before = executables.counts(); paddle.ones([size]).tanh()\n"
        "    now = executables.counts()\n"
        "    return now.quick - before.quick, now.full - before.full\n"
        "print(json.dumps([count(10), count(2**18), count(2**18 + 1)]))"
    )
    quick = [[2, 0], [2, 0], [1, 1]]  # ones and tanh; ones has no operands
    assert run(script, tmp_path / "a", XLA_FLAGS="") == quick
    full = [[0, 2]] * 3
    assert run(script, tmp_path / "b", XLA_FLAGS="", FLAGS_kernel_tiers="off") == full
    given = {"XLA_FLAGS": "--xla_backend_optimization_level=2"}
    assert run(script, tmp_path / "c", **given) == full


@known
def test_results_too_big_are_refused_though_there_is_a_file(tmp_path):
    script = (
        "import json, sys; import jaxeager as paddle\n"
        "from jaxeager.kernels import size_limit, executables\n"
        "x = paddle.to_tensor([1.0])\n"
        "if {small}: size_limit.available_bytes = lambda: 1000\n"
        "try:\n"
        "    paddle.expand(x, [1000]); print(json.dumps('made'))\n"
        "except paddle.errors.ResourceExhaustedError: print(json.dumps('refused'))\n"
    )
    assert run(script.format(small=False), tmp_path) == "made"
    assert run(script.format(small=True), tmp_path) == "refused"


def test_kernels_trace_and_differentiate_in_jax():
    """When JAX traces, it uses its own path through the same callables."""
    function = paddle.autograd.to_jax(lambda x: (x * x).tanh())
    x = jnp.array([0.5, 0.25])
    paddle.to_tensor(x).tanh()
    expected = jax.vmap(jax.grad(lambda x: jnp.tanh(x * x)))(x)
    np.testing.assert_allclose(jax.jit(jax.vmap(jax.grad(function)))(x), expected, rtol=1e-6)


def test_nan_is_searched_where_jax_is_asked_to(tmp_path):
    script = (
        "import json, jax; import jaxeager as paddle\n"
        "x = paddle.to_tensor([-1.0])\n"
        "paddle.log(x)\n"
        "jax.config.update('jax_debug_nans', True)\n"
        "try:\n"
        "    paddle.log(x); print(json.dumps('nothing'))\n"
        "except Exception as error: print(json.dumps(type(error).__name__))\n"
    )
    assert run(script, tmp_path) == run(script, tmp_path) == "NonFiniteError"
