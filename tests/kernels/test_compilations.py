"""The journal of kernels: each is recorded once, with source and line; the warnings."""

import json
import os
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.kernels import compilations, executable_data, executables
from jaxeager.kernels.call_shapes import Shapes, changes
from jaxeager.kernels.tracing import jit
from tests.support.here import IS_ON_CPU


@pytest.fixture(autouse=True)
def _anew():
    """Give each test its own journal."""
    compilations.forget()
    yield
    compilations.forget()


def found(name):
    """Return the sites of a name."""
    return [site for site in compilations.sites() if site.name == name]


def test_a_kernel_is_noted_when_it_comes_and_not_when_it_runs():
    kernel = jit(lambda x, by: x * 3 + by, name="triple", static_argnums=1)
    for size in (3, 5, 3):
        kernel(jnp.ones([size], "float32"), 2)
    (site,) = found("triple")
    assert site.kernels() == 2
    assert site.place[:2] == (__file__, sys._getframe().f_lineno - 3)
    assert list(site.shapes) == [Shapes((((n,), "float32"),), (2,)) for n in (3, 5)]
    assert 0 < site.seconds < 100
    assert site.cpu_seconds > 0
    kernel(jnp.ones([3]), 4)
    assert len(found("triple")) == 2  # another line


def test_a_kernel_inside_another_is_none():
    inner = jit(lambda x: x * 3 + 1, name="inner")
    outer = jit(lambda x: inner(x) + 1, name="outer")
    outer(jnp.ones([7]))
    assert [len(found("inner")), len(found("outer"))] == [0, 1]


def test_a_function_that_a_user_jits_is_recorded_under_jaxs_name():
    inner = jit(lambda x: x * 3 + 2, name="inner")

    def of_user(x):
        return inner(x) + 5

    jax.jit(of_user)(jnp.ones([4]))
    assert found("inner") == []
    (site,) = found("jit(of_user)")
    assert site.kernels() == 1
    assert (len(site.shapes), site.place.file) == (0, __file__)
    inner(jnp.ones([4]))  # traced before, compiled now
    assert [len(found("inner")), len(found("jit(<lambda>)"))] == [0, 1]


def test_several_arrays_options_and_tracers_go_jaxs_way_and_are_noted():
    function = paddle.autograd.to_jax(lambda x: (x * x).tanh())
    assert jax.jit(jax.grad(lambda x: function(x).sum()))(jnp.full([11], 0.5)).shape == (11,)
    assert found("tanh") == []
    (site,) = found("jit(<lambda>)")
    assert site.kernels() == 1


def test_steps_fills_and_backward_are_noted():
    layer = paddle.nn.Linear(13, 3)
    adam = paddle.optimizer.Adam(parameters=layer.parameters())
    layer(paddle.ones([2, 13])).sum().backward()
    adam.step()
    for name in ("matmul", "matmul_grad", "optimizer_step"):
        (site,) = found(name)
        assert site.place.file == __file__
        assert site.place.in_backward == name.endswith("_grad")


def test_layers_of_one_line_are_sites_of_their_own():
    layers = [paddle.nn.Linear(size, size + 1) for size in range(21, 24)]
    for layer in layers:
        layer(paddle.ones([1, layer.weight.shape[0]]))
    assert len(found("matmul")) == 3
    assert [changes(site.shapes) for site in found("matmul")] == [()] * 3


def test_the_journal_is_bounded(monkeypatch):
    monkeypatch.setattr(compilations, "MOST_SITES", 3)
    kernel = jit(lambda x: x * 5 + 1, name="five")
    for size in range(1, 20):
        kernel(np.ones([size]))
    (site,) = found("five")
    assert site.kernels() == 19
    assert len(site.shapes) <= 16
    assert [site.shapes[at].operands[0][0] for at in (0, -1)] == [(1,), (19,)]
    lines = "".join([f"kernel(np.ones([{20 + at}]))\n" for at in range(6)])
    exec(lines, {"kernel": kernel, "np": np})
    assert len(compilations._sites) == 3
    assert sum(each.kernels() for each in found("five")) == 25


def test_changes():
    def seen(*operands, static=()):
        return Shapes(tuple((shape, "float32") for shape in operands), static)

    def said(*shapes):
        return [str(change) for change in changes(shapes)]

    assert said(seen((2, 3)), seen((2, 3))) == []
    assert said() == []
    assert said(seen((2, 3), (1,)), seen((2, 4), (1,))) == ["operand 0, axis 1: 3, 4"]
    assert said(*[seen((n,)) for n in range(9)]) == ["operand 0, axis 0: 0, 1, 2, 3, ..."]
    assert said(seen((2,)), seen((2, 1))) == ["rank of operand 0: 1, 2"]
    assert said(seen((2,)), seen()) == ["number of operands: 1, 0"]
    assert said(seen((2,)), Shapes((((2,), "int32"),), ())) == [
        "dtype of operand 0: float32, int32"
    ]
    assert said(seen(static=(1, 2)), seen(static=(1, 2.0))) == ["a static value: 2, 2.0"]
    assert said(seen(static=(1,)), seen()) == ["number of static values: 1, 0"]
    both = seen((2,), static=(2,)), seen((3,), static=(3,))
    assert said(*both) == ["operand 0, axis 0: 2, 3"]  # the static value follows


# ---- the warning


@pytest.fixture
def warned():
    """Warn from the fourth kernel on; return the warnings."""
    before = paddle.get_flags("FLAGS_warn_compilations")
    paddle.set_flags({"FLAGS_warn_compilations": 4})
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        yield told
    paddle.set_flags(before)


def test_a_call_of_many_shapes_is_warned_of_once(warned):
    kernel = jit(lambda x: x * 5 + 2, name="five")
    for size in range(1, 8):
        kernel(np.ones([2, size], "float32"))
        assert len(warned) == (size >= 4)
    text = str(warned[0].message)
    assert text.startswith("five needed 4 kernels at this line (")
    assert "operand 0, axis 1: 1, 2, 3, 4)" in text
    assert "\n" not in text
    assert "BucketBatchSampler" in text
    line = sys._getframe().f_lineno - 7
    assert (warned[0].filename, warned[0].lineno) == (__file__, line)


def test_ops_warn_forward_and_not_backward(warned):
    for size in range(31, 37):
        x = paddle.to_tensor(np.ones([size]), stop_gradient=False)
        y = x.tanh()
        (y * 2.0).sum().backward()
    lines = [each.lineno for each in warned]
    assert len(lines) == len(set(lines)) == 2
    assert [str(each.message).split()[0] for each in warned] == ["tanh", "scale"]


def test_layers_of_several_sizes_do_not_warn(warned):
    for size in range(41, 47):
        paddle.nn.Linear(size, 3)(paddle.ones([1, size]))
    assert [str(each.message).split()[0] for each in warned] == ["full"]


def test_0_is_silent(warned):
    paddle.set_flags({"FLAGS_warn_compilations": 0})
    kernel = jit(lambda x: x * 5 + 3, name="five")
    for size in range(1, 7):
        kernel(np.ones([2, size], "float32"))
    assert warned == []


def test_few_warnings_in_all(warned):
    kernel = jit(lambda x: x * 5 + 4, name="five")
    lines = "".join([f"for n in range({4 * at}, {4 * at + 4}): call(n)\n" for at in range(3)])
    exec(lines, {"call": lambda n: kernel(np.ones([2, n], "float32"))})
    assert len(warned) == 1  # the line of the lambda, here
    compilations.forget()
    code = "".join(
        [f"for n in range({4 * at}, {4 * at + 4}): kernel(made([3, n]))\n" for at in range(7)]
    )
    exec(compile(code, "of_user.py", "exec"), {"kernel": kernel, "made": np.ones})
    assert len(warned) == 1 + 5


# ---- separate processes: files on and off

SCRIPT = """
import json, sys
import jaxeager as paddle
from jaxeager.kernels import compilations

x = paddle.to_tensor([[0.5, 1.0], [2.0, 3.0]], stop_gradient=False)
(x @ x).tanh().sum().backward()
y = paddle.zeros([5]); z = paddle.rand([3])
found = {}
for site in compilations.sites():
    if not site.name.startswith("jit("):
        assert (site.place.file, site.place.line > 4) == (sys.argv[0], True), site.place
        for source, count in site.counts.items():
            found.setdefault(source, []).extend([site.name] * count)
print(json.dumps(found))
"""
NAMES = ["full", "matmul", "matmul_grad", "split_ahead", "sum", "sum_grad", "tanh", "tanh_grad"]


def run(tmp_path, **environment):
    script = tmp_path / "program.py"
    script.write_text(SCRIPT)
    given = {**os.environ, "JAXEAGER_COMPILATION_CACHE": str(tmp_path / "cache"), **environment}
    done = subprocess.run(
        [sys.executable, str(script)], env=given, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return {source: sorted(names) for source, names in json.loads(done.stdout).items()}


@pytest.mark.skipif(not executables._is_known, reason="a JAX whose kernels go its own way")
@pytest.mark.deep  # test_executables.py has a second process, too
@pytest.mark.parametrize("files", ["1", "0"])
def test_a_second_process_takes_kernels_from_files_or_jaxs_cache(tmp_path, files):
    sources = {"FLAGS_kernel_files": files, "XLA_FLAGS": ""}
    first, second = run(tmp_path, **sources), run(tmp_path, **sources)
    tier, none = ("quick", "full") if IS_ON_CPU else ("full", "quick")
    assert set(NAMES) <= set(first[tier])
    assert (first["loaded"], first["cached"], first[none]) == ([], [], [])
    assert second["loaded" if files == "1" else "cached"] == first[tier]
    assert second["quick"] == second["full"] == []
    if IS_ON_CPU:  # kernels of other devices have no tiers
        other = run(tmp_path, FLAGS_kernel_tiers="off", **sources)
        assert other["full"] == first["quick"]


@pytest.mark.skipif(not executables._is_known, reason="a JAX whose kernels go its own way")
def test_a_kernel_made_ahead_is_noted_once():
    kernel = jit(jnp.square, name="square")
    x = jnp.ones([81])
    with ThreadPoolExecutor(1) as pool:
        pool.submit(executables.ahead, kernel, executable_data.struct_of(x)).result()
    (site,) = found("square")
    assert site.place[:2] == ("", 0)
    kernel(x)
    assert [each.kernels() for each in found("square")] == [1]
