"""Compiled kernels are kept within a bound, and freed ones return when they are needed."""

import functools
import gc
import re
import sys
import threading
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.kernels import memory_bound
from jaxeager.kernels.memory_bound import Held, jitted
from tests.support.here import only_on_a_cpu
from tests.support.processes import printed_by

PACKAGE = Path(paddle.__file__).parent
COMPILED = "/jax/core/compile/backend_compile_duration"
MIB = 1 << 20
glibc = pytest.mark.skipif(memory_bound._malloc_trim() is None, reason="gives no memory back")


@pytest.fixture
def held(monkeypatch):
    """Count from zero: kernels that other tests compiled are neither counted nor freed."""
    monkeypatch.setattr(memory_bound, "_holding", {})
    return memory_bound.held


@pytest.fixture
def bound(held):
    """Set the bound, in MiB."""
    before = paddle.get_flags("FLAGS_kernel_memory_mb")
    yield lambda megabytes: paddle.set_flags({"FLAGS_kernel_memory_mb": megabytes})
    paddle.set_flags(before)


@pytest.fixture
def compiled(no_kernel_files):
    """Yield the names of the kernels that JAX compiles or loads from now on."""
    names = []
    listening = [True]

    def on_event(event, _, fun_name="", **__):
        if event == COMPILED and listening:
            names.append(fun_name)

    jax.monitoring.register_event_duration_secs_listener(on_event)
    yield names
    listening.clear()


# ---- counting


def test_a_kernel_is_counted_when_it_is_compiled_and_not_when_it_runs(held):
    kernel = jitted(lambda x: x * 3 + 1)
    assert held().kernels == 0
    for _ in range(3):
        kernel(jnp.ones(3))
        kernel(jnp.ones(5))
    found = held()
    assert found.kernels == 2
    assert found.bytes >= 2 * memory_bound.LEAST_BYTES
    assert found.bound_bytes == memory_bound.bound_bytes()


def test_a_kernel_inside_another_counts_once(held):
    inner = jitted(lambda x: x * 3 + 2)
    outer = jitted(lambda x: inner(x) + 1)
    outer(jnp.ones(3))
    assert held().kernels == 1
    jax.jit(lambda x: inner(x) + 5)(jnp.ones(4))  # the kernel of other code
    assert held().kernels <= 2


def test_a_freed_callable_keeps_nothing(held):
    kernel = jitted(lambda x: x * 3 + 4)
    kernel(jnp.ones(3))
    assert held().kernels == 1
    del kernel
    gc.collect()
    assert held()[:2] == (0, 0)


def test_the_name_of_a_partial_is_that_of_its_function():
    kernel = jitted(functools.partial(jnp.full, (2,), 3.0))
    assert "jit_full" in kernel.lower().as_text()


def test_options_of_jit_and_the_name_are_kept(held):
    def grow(x, count, *, by):
        return x + count * by

    kernel = jitted(grow, static_argnums=1, static_argnames="by")
    assert kernel(jnp.ones(()), 2, by=3) == 7
    assert "jit_grow" in kernel.lower(jnp.ones(()), 2, by=3).as_text()


# ---- freeing


def test_the_bound_holds_and_the_callable_of_many_shapes_goes_first(held, bound, compiled):
    many, one = jitted(lambda x: x * 5 + 1), jitted(lambda x: x * 5 + 2)
    one(jnp.ones(3))
    freed = held().freed
    bound(6)
    most = 0
    for size in range(1, 40):
        assert many(jnp.ones(size))[0] == 6
        most = max(most, held().bytes)
    assert most <= 6 * MIB
    assert held().freed >= freed + 10
    compiled.clear()
    assert one(jnp.ones(3))[0] == 7
    assert compiled == []  # it was not freed
    many(jnp.ones(1))
    assert len(compiled) == 1


def test_letting_go_is_nothing_that_a_program_sees(held, monkeypatch):
    """Every kernel is freed as soon as it is compiled, also between forward and backward."""
    monkeypatch.setattr(memory_bound, "bound_bytes", lambda: 1)
    before = held().freed
    x = paddle.to_tensor(np.linspace(0.1, 1.0, 7), stop_gradient=False)
    y = paddle.exp(x) * x
    memory_bound.free()
    (first,) = paddle.grad(y.sum(), [x], create_graph=True)
    memory_bound.free()
    (second,) = paddle.grad((first * first).sum(), [x])
    a = np.linspace(0.1, 1.0, 7)
    np.testing.assert_allclose(first.numpy(), np.exp(a) * (a + 1))
    wanted = 2 * np.exp(a) * (a + 1) * np.exp(a) * (a + 2)
    np.testing.assert_allclose(second.numpy(), wanted)
    assert held().freed > before
    assert held().bytes <= 1


def test_other_threads_run_on_while_kernels_are_freed(held, bound):
    bound(1)
    kernel = jitted(lambda x: x * 7 + 1)
    wrong: list = []

    def work(number):
        try:
            for turn in range(25):
                size = 2 + (turn * (number + 1)) % 6
                if float(kernel(jnp.full(size, turn, jnp.float32)).sum()) != size * (7 * turn + 1):
                    wrong.append((number, turn))
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(8):
        memory_bound.free()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_an_optimizer_step_is_never_freed(held, compiled):
    layer = paddle.nn.Linear(3, 1279)  # a step that no other test has compiled
    adam = paddle.optimizer.Adam(parameters=layer.parameters())
    for turn in range(2):
        compiled.clear()
        layer(paddle.ones([1, 3])).sum().backward()
        adam.step()
        adam.clear_grad()
        assert ("jit(optimizer_step)" in compiled) == (turn == 0)
        assert memory_bound.free().kernels > 0


def test_free_returns_the_memory_that_was_freed(held):
    kernel = jitted(lambda x: x * 9 + 1)
    kernel(jnp.ones(3))
    took = memory_bound.free()
    assert took.kernels == 1
    assert took.bytes >= memory_bound.LEAST_BYTES
    assert held() == Held(0, 0, took.bound_bytes, took.freed + 1)
    assert memory_bound.free().kernels == 0
    assert kernel(jnp.ones(3))[0] == 10


PROGRAM = """
import numpy as np
import jaxeager as paddle
from jaxeager.kernels import memory_bound as kernel_memory

def step(size):
    x = paddle.to_tensor(np.arange(size, dtype="float32"), stop_gradient=False)
    (x * x).sum().backward()
    return x.grad.numpy()

def rest():
    kernel_memory._give_back()
    return kernel_memory._resident_bytes()

step(1)
first = kernel_memory.held().bytes
start = most = rest()
for size in range(2, 18):
    np.testing.assert_array_equal(step(size), 2 * np.arange(size))
    # With the compiler's memory given back each kernel would count some of it again.
    most = max(most, rest() if kernel_memory.bound_bytes() else 0)
grown = rest() - start
held = kernel_memory.free()
print(most - start, grown, rest() - start, held.freed, held.bytes, first)
"""


def growth(megabytes):
    """Run 16 shapes in a separate process; return its growth, and the rest at the end."""
    environment = {
        "FLAGS_kernel_memory_mb": str(megabytes), "FLAGS_kernel_files": "0",
        "JAXEAGER_COMPILATION_CACHE": "off",  # all are compiled
    }  # fmt: skip
    return [int(word) for word in printed_by(PROGRAM, **environment).split()]


@pytest.mark.deep
@only_on_a_cpu("the code of its kernels is not in the memory of the process")
@glibc
def test_the_system_gets_the_memory_back():
    """About 80 kernels: without a bound they stay, with one the process is smaller."""
    _, grown, left, freed, counted, first = growth(0)
    assert freed == 0
    assert grown > 20 * MIB
    # The count is close to the actual growth; the first step's contains the compiler itself.
    assert grown < counted - first < 2 * grown
    # JAX itself keeps the rest: 35 to 43 %, as threads that compile have memory of their own.
    assert left < 0.5 * grown
    most, *_, freed, counted, _ = growth(12)
    assert freed > 30
    assert counted <= 12 * MIB
    assert most < 0.75 * grown


# ---- the bound


def test_a_limit_of_0_frees_no_kernel(held, bound):
    bound(0)
    kernel = jitted(lambda x: x * 11 + 1)
    kernel(jnp.ones(3))
    assert held().bound_bytes == 0
    assert held().kernels == 1


def test_a_smaller_bound_is_kept_to_at_once(held, bound):
    kernel = jitted(lambda x: x * 11 + 2)
    for size in range(1, 5):
        kernel(jnp.ones(size))
    bound(1)
    assert held().kernels == 0


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of mappings is Linux's")
@pytest.mark.parametrize("size", ["large", "small"])
def test_half_goes_when_most_mappings_are_used(held, bound, monkeypatch, size):
    """A process that has used all of them dies in XLA's compiler."""
    bound(0)
    if size == "large":
        monkeypatch.setattr(memory_bound, "_LARGE_BYTES", 0)
    else:
        monkeypatch.setattr(memory_bound, "COUNT_AFTER", 4)
        monkeypatch.setattr(memory_bound, "_counted", 0)
    monkeypatch.setattr(memory_bound, "_resident_bytes", lambda: 0)  # each takes the least
    assert not memory_bound._are_maps_short()
    kernels = [jitted(functools.partial(jnp.add, number)) for number in range(4)]
    for kernel in kernels[:3]:
        kernel(jnp.ones(2))
    assert held().kernels == 3
    monkeypatch.setattr(memory_bound, "MOST_OF_MAPS", 0)
    assert memory_bound._are_maps_short()
    kernels[3](jnp.ones(2))
    assert held().kernels == 2


def test_the_default_is_a_quarter_of_the_machine(monkeypatch):
    monkeypatch.setattr(memory_bound, "machine_bytes", lambda: 40 * MIB)
    assert memory_bound.bound_bytes() == 10 * MIB


def test_every_kernel_of_the_package_is_counted():
    """Only optimizer steps are jitted without a bound: kernels/tracing.py does that for them.

    jit/saved_model/exporting.py and the tool that writes a gradient to a file pass a jitted
    function to jax.export, or lower it, which compiles nothing.
    """
    names = ("memory_bound", "tracing", "executables")
    jitters = [PACKAGE / "kernels" / f"{name}.py" for name in names]
    exporting = [
        PACKAGE / "jit" / "saved_model" / "exporting.py",
        PACKAGE / "debug" / "gradients" / "extract.py",
    ]
    free = {*jitters, *(PACKAGE / "optimizer").rglob("*.py"), *exporting}
    jitting = re.compile(r"^(?!.*>>>).*(@|\(|= |return )jax\.(jit|pmap)\b", re.MULTILINE)
    files = set(PACKAGE.rglob("*.py")) - free
    assert len(files) > 100
    assert [path for path in files if jitting.search(path.read_text(encoding="utf-8"))] == []
