"""Kernels that threads compile before their calls: kernels/compile_threads.py."""

import contextlib
import gc
import json
import logging
import sys
import threading
import warnings

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import PreconditionNotMetError
from jaxeager.kernels import compilations, compile_threads, executables, memory_bound
from jaxeager.kernels.lazy import mode
from jaxeager.kernels.tracing import jit
from tests.support.compile_threads import listen, wait_for_threads
from tests.support.processes import printed_by

pytestmark = [
    pytest.mark.skipif(not executables._is_known, reason="JAX handles all kernels itself"),
    pytest.mark.single_calls,
]


@pytest.fixture(autouse=True)
def _anew(no_kernel_files):
    """Give each test its own journal, an empty queue, and no kernels in files."""
    mode.install()  # which drops the kernels made before
    compilations.forget()
    compile_threads._jobs.clear()
    yield
    compilations.forget()


def sites_of(name):
    """Return the sites of a name."""
    return [site for site in compilations.sites() if site.name == name]


@pytest.fixture
def compiled_by(monkeypatch):
    """Return (thread, kernel) of each compilation, in a list that grows."""
    return listen(monkeypatch)


def threads(compiled_by):
    """Return the threads that compiled."""
    return {thread for thread, _ in compiled_by}


def blocked_threads():
    """Occupy all threads; return the event that frees them."""
    free, began = threading.Event(), threading.Semaphore(0)
    count = min(compile_threads._cores() + 1, compile_threads._MOST_THREADS)

    def wait():
        began.release()
        return [free.wait(60)]

    for number in range(count):
        compile_threads.submit(f"blocked {number}", wait)
    for _ in range(count):
        assert began.acquire(timeout=60)
    return free


# ---- the queue


def test_a_finished_job_gives_its_result_once():
    compile_threads.submit("a", lambda: [1])
    compile_threads.submit("a", lambda: [2])  # queued already
    wait_for_threads()
    assert compile_threads.finish("a") == [1]
    assert compile_threads.finish("a") is None


def test_a_call_does_the_work_of_a_job_that_has_not_begun():
    free = blocked_threads()
    try:
        compile_threads.submit("late", lambda: [threading.current_thread().name])
        assert compile_threads.finish("late") == [threading.current_thread().name]
    finally:
        free.set()


def test_a_call_does_the_work_that_only_its_thread_can_do():
    here = threading.current_thread()
    compile_threads.submit("here", lambda: [1] if threading.current_thread() is here else None)
    wait_for_threads()
    assert compile_threads.finish("here") == [1]


def test_an_error_of_a_job_is_left_to_the_call():
    compile_threads.submit("bad", lambda: 1 // 0)
    wait_for_threads()
    assert compile_threads.finish("bad") is None


def test_a_call_waits_for_a_job_that_has_begun():
    free = blocked_threads()
    timer = threading.Timer(0.1, free.set)
    timer.start()
    assert compile_threads.finish("blocked 0") == [True]


def test_a_compiling_thread_waits_for_no_kernel():
    """A finalizer that runs in it may call the kernel that the thread compiles."""
    compile_threads.submit("own", lambda: [compile_threads.finish("own"), compile_threads.is_one()])
    wait_for_threads()
    assert compile_threads.finish("own") == [None, True]
    assert not compile_threads.is_one()


# ---- kernels of recorded calls


def test_recorded_kernels_are_compiled_once_and_by_the_threads(compiled_by):
    x = paddle.to_tensor(np.ones([3, 71], "float32"), stop_gradient=False)
    held = memory_bound.held().kernels
    compiled_by.clear()
    with paddle.lazy():
        loss = (paddle.tanh(x) * x).mean()
        loss.backward()
        names = list(compile_threads._jobs)
        wait_for_threads()
        by_threads = list(compiled_by)
        x.grad.numpy()
    assert len(names) == len(by_threads) >= 5
    assert threads(by_threads) == {"kernels"}
    assert compiled_by == by_threads  # the calls found all of them
    assert memory_bound.held().kernels == held + len(names)
    assert not compile_threads._jobs


def test_operands_bound_to_a_device_have_the_same_kernel(compiled_by):
    free, bound = paddle.ones([5, 73]), paddle.to_tensor(np.ones([5, 73], "float32"))
    assert (free._array.committed, bound._array.committed) == (False, True)
    compiled_by.clear()
    with paddle.lazy():
        y = paddle.sinh(free)
        z = paddle.cosh(y * bound) - free
        wait_for_threads()
        by_threads = len(compiled_by)
        np.testing.assert_allclose(z.numpy(), np.cosh(np.sinh(1)) - 1, rtol=1e-5)
    assert by_threads == len(compiled_by)
    assert threads(compiled_by) == {"kernels"}


@pytest.mark.parametrize("compiled", ["by threads", "by its call", "under a setting"])
def test_the_journal_names_the_line_of_the_op(compiled):
    size = {"by threads": 79, "by its call": 80, "under a setting": 81}[compiled]
    x = paddle.to_tensor(np.ones([size], "float32"), stop_gradient=False)
    free = blocked_threads() if compiled == "by its call" else threading.Event()
    is_set = compiled == "under a setting"
    precision = jax.default_matmul_precision("float32") if is_set else contextlib.nullcontext()
    try:
        with precision, paddle.lazy():
            y = paddle.asinh(x)
            line = sys._getframe().f_lineno - 1
            y.sum().backward()
            if compiled != "by its call":
                wait_for_threads()
            assert sites_of("asinh") == []  # noted by the call
            y.numpy(), x.grad.numpy()
    finally:
        free.set()
    assert not [site for site in compilations.sites() if "asinh" in site.name][2:]
    (site,) = sites_of("asinh")
    assert site.place[:2] == (__file__, line)
    assert (site.kernels(), site.place.in_backward) == (1, False)
    assert 0 < site.seconds < 100
    (gradient,) = sites_of("asinh_grad")
    assert gradient.place.in_backward


def test_a_warning_of_many_kernels_is_given_at_the_line_of_the_op():
    """As an error, it leaves the statement that reads the value, not the thread."""
    several = [paddle.to_tensor(np.full([size], 0.5, "float32")) for size in range(83, 89)]
    before = paddle.get_flags("FLAGS_warn_compilations")
    paddle.set_flags({"FLAGS_warn_compilations": 4})
    try:
        with warnings.catch_warnings(record=True) as caught, paddle.lazy():
            warnings.simplefilter("always")
            for x in several:
                y = paddle.asin(x)
                line = sys._getframe().f_lineno - 1
                wait_for_threads()
                y.numpy()
        (warned,) = [each for each in caught if "asin needed" in str(each.message)]
        assert (warned.filename, warned.lineno) == (__file__, line)
        with warnings.catch_warnings(), paddle.lazy():
            warnings.simplefilter("error")
            with pytest.raises(UserWarning, match="atanh needed 4 kernels"):
                [paddle.atanh(x).numpy() for x in several]
    finally:
        paddle.set_flags(before)


def test_a_setting_of_one_thread_leaves_the_kernel_to_its_call(compiled_by):
    x = paddle.ones([4, 89])
    compiled_by.clear()
    with jax.default_matmul_precision("float32"), paddle.lazy():
        y = paddle.matmul(x, x, transpose_y=True)
        wait_for_threads()
        assert compiled_by == []
        assert y.numpy()[0, 0] == 89
    assert [thread for thread, _ in compiled_by] == ["main"]


def test_a_tool_that_listens_to_compilations_has_them_in_the_call(compiled_by):
    x = paddle.ones([97])
    compiled_by.clear()
    with paddle.lazy(), pytest.raises(Exception, match="expm1"), paddle.debug.no_compile():
        paddle.expm1(x).numpy()
    assert threads(compiled_by) == {"main"}


def test_a_finalizer_in_a_compiling_thread_is_refused_a_value(monkeypatch):
    """The thread with the value may wait for that one."""
    found = []

    class Reader:
        def __init__(self, tensor):
            self.tensor, self.me = tensor, self

        def __del__(self):
            try:
                found.append(float(self.tensor))
            except PreconditionNotMetError as error:
                found.append(error)

    compile_traced = executables._Kernel.compile_traced

    def collect_first(self, *arguments):
        gc.collect()
        return compile_traced(self, *arguments)

    monkeypatch.setattr(executables._Kernel, "compile_traced", collect_first)
    gc.disable()  # in this thread
    try:
        with paddle.lazy():
            y = paddle.ones([101]).sum()
            wait_for_threads()
            Reader(y)
            z = paddle.atan(y + 1.0)  # two new kernels
            wait_for_threads()
            assert float(z) == pytest.approx(np.arctan(102.0), rel=1e-6)
    finally:
        gc.enable()
    (error,) = found
    assert isinstance(error, PreconditionNotMetError), error
    assert "finalizer" in str(error)


def test_a_kernel_of_a_function_of_the_user_is_compiled_by_its_call():
    kernel = jit(lambda x: x * 3, name="triple")
    assert executables.begin(kernel, jax.ShapeDtypeStruct((3,), "float32")) is None


def test_a_log_of_compilations_is_written_by_the_call(compiled_by, caplog):
    x = paddle.ones([103])
    compiled_by.clear()
    with jax.log_compiles(True), paddle.lazy():
        paddle.log1p(x).numpy()
    assert threads(compiled_by) == {"main"}
    assert any(
        "compilation" in record.message and "log1p" in record.message for record in caplog.records
    )


def test_a_handler_that_prints_a_tensor_does_not_wait_for_a_thread():
    """Its lock is held meanwhile, and JAX logs in the thread that compiles."""
    shown = []

    class Handler(logging.Handler):
        def emit(self, record):
            shown.append(self.format(record))

    root = logging.getLogger()
    handler, level = Handler(), root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        with paddle.lazy():
            for _ in range(6):  # also when its segment is compiled
                logging.info("loss %s", paddle.log2(paddle.full([107], 8.0)).sum())
    finally:
        root.setLevel(level)
        root.removeHandler(handler)
    assert sum("loss" in line and "321." in line for line in shown) == 6


def test_a_call_does_not_wait_for_a_thread_for_ever(monkeypatch):
    monkeypatch.setattr(compile_threads, "PATIENCE", 0.1)
    free = blocked_threads()
    try:
        assert compile_threads.finish("blocked 0") is None
    finally:
        free.set()


# ---- the end of a process

AFTER_MAIN = """
import threading, time
import jaxeager as paddle

def train():
    threading.main_thread().join()
    time.sleep(0.2)
    with paddle.lazy():
        for _ in range(6):
            x = paddle.full([3, 5], 2.0)
            x.stop_gradient = False
            y = (x * 3.0 + x.exp()).sum()
            y.backward()
            value = y.item()
    print(round(value, 3))

paddle.ones([2])
threading.Thread(target=train).start()
"""


def test_a_thread_that_outlives_the_main_one_compiles_by_itself(tmp_path):
    printed = printed_by(AFTER_MAIN, JAXEAGER_COMPILATION_CACHE=str(tmp_path))
    assert printed == "200.836\n"


QUEUED = """
import threading, time
from jaxeager.kernels import compile_threads

ran = []
for number in range(40):
    compile_threads.submit(str(number), lambda: ran.append(time.sleep(0.05)))
threading._register_atexit(lambda: print(len(ran) < 40))
real = threading._shutdown
def shut_down():
    real()
    print(len(ran) < 20)
threading._shutdown = shut_down
"""


def test_a_process_that_ends_leaves_what_is_queued():
    assert printed_by(QUEUED).split() == ["True", "True"]


# ---- files

SCRIPT = """
import json, threading
import jax
traces = []
jax.monitoring.register_event_duration_secs_listener(
    lambda event, seconds, **_: traces.append(1) if "jaxpr_trace" in event else None
)
import jaxeager as paddle
from jaxeager.kernels import executables

with paddle.lazy():
    x = paddle.to_tensor([[0.5, 1.0], [2.0, 3.0]], stop_gradient=False)
    (x @ x).tanh().sum().backward()
    grad = x.grad.numpy().tolist()
print(json.dumps([executables.counts(), len(traces), grad]))
"""


def test_a_second_process_loads_them_and_traces_nothing(tmp_path):
    given = {"JAXEAGER_COMPILATION_CACHE": str(tmp_path), "XLA_FLAGS": ""}
    found = [json.loads(printed_by(SCRIPT, **given)) for _ in range(2)]
    (first, traced, grad), (second, traced_again, grad_again) = found
    assert first[0] == 0
    assert traced >= sum(first) >= 6
    assert second == [sum(first), 0, 0]
    assert traced_again == 0
    assert grad == grad_again
