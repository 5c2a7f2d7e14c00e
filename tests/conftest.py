"""The common setup of tests: JAX on the CPU, one folder of compiled programs per run, equal seeds.

`JAX_PLATFORMS` chooses another backend, `JAXEAGER_COMPILATION_CACHE` a folder that outlives the
run, `JAXEAGER_TEST_XLA=full` XLA's default optimizations (support/xla_flags.py). On an accelerator
float32 products have all their digits, unless `JAXEAGER_TEST_PRODUCTS=default`
(support/compare.py). `JAXEAGER_TEST_LAZY=1` runs each test in lazy mode, except for those marked
`single_calls`.
"""

import gc
import os
import random
import subprocess
import tempfile

from tests.support import examples_of_docstrings, workers, xla_flags

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # workers share a GPU
xla_flags.choose()
# Set before the workers of pytest-xdist start it reaches them all: none compiles twice.
_OWN_CACHE = None
if "JAXEAGER_COMPILATION_CACHE" not in os.environ:
    _OWN_CACHE = tempfile.TemporaryDirectory(  # a thread may still write there
        prefix="jaxeager-tests-xla-", ignore_cleanup_errors=True
    )
    os.environ["JAXEAGER_COMPILATION_CACHE"] = _OWN_CACHE.name
# Files of kernels are identified by their source, and a change of it makes all of them useless. In
# JAX's own cache kernels are identified by their computation, so those that a change does not
# concern are found there. The default is tested in kernels/test_executables.py, and by the second
# run of `make test-all`.
if os.environ.get("JAXEAGER_TEST_XLA") != "full":
    os.environ.setdefault("FLAGS_kernels_in_jax_cache", "1")
os.environ.setdefault("FLAGS_kernel_files_mb", "0")  # looking at all files takes 50 ms
# Tests call ops with one shape after the other, and warnings are errors here.
os.environ.setdefault("FLAGS_warn_compilations", "0")
# JAX writes a compiled program in two steps. A reader in between (another worker, a process of a
# test, a thread) gets a warning, and compiles it.
HALF_WRITTEN = "ignore:Error reading persistent compilation cache entry:UserWarning"
os.environ.setdefault("PYTHONWARNINGS", HALF_WRITTEN)

import jax  # noqa: E402 - after the environment it reads
import numpy as np  # noqa: E402
import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

import jaxeager as paddle  # noqa: E402
from jaxeager.core import flags  # noqa: E402
from jaxeager.graph import events  # noqa: E402
from jaxeager.kernels import kernel_files, memory_bound  # noqa: E402
from tests.parity.harness import not_compared  # noqa: E402
from tests.support.here import DEVICE, IS_ON_CPU  # noqa: E402
from tests.support.program_of_tests import hide_other_tests  # noqa: E402

xla_flags.optimize_first_values()
if not IS_ON_CPU and os.environ.get("JAXEAGER_TEST_PRODUCTS") != "default":
    # In the environment, too: for the processes that tests start.
    os.environ["JAX_DEFAULT_MATMUL_PRECISION"] = "highest"
    jax.config.update("jax_default_matmul_precision", "highest")

# Scripts that import `paddle`, for separate processes, and others that no test imports.
collect_ignore_glob = [
    "types_of_results.py",
    "programs/*.py",
    "distributed/programs/*.py",
    "debug/guide/programs/*.py",
    "debug/hunt/programs/*.py",
    "compat/run_*.py",
    "editors/program.py",  # it writes a file
    "ulps/references.py",  # needs mpmath, which the tests do not
]

SEED = 20260101
# These follow references to every object of the process: they run first, while there are few.
SEARCHES = ("jaxeager/debug/memory/", "tests/debug/memory/", "docs/tutorial/4_look_inside.md")
# These free all kernels of the process, which later tests would have to load again.
LAST = ("jaxeager/kernels/memory_bound.py", "tests/kernels/test_mlir_contexts.py")
NAMES_OF_A_CPU = ("Place(cpu)", "device=cpu", "worker_cpu", "(cpu)")
# The growth of a process of tests before it frees compiled programs: a quarter of its share of the
# memory, which the processes that tests start need as well.
MEMORY_BYTES = max(
    2 << 30,
    workers.memory_bytes() // (4 * int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))),
)
YOUNGEST, YOUNG = 20_000, 10  # thresholds of the garbage collector
FEW_OBJECTS = 100_000  # the collector goes through as many in a few ms
KERNEL_FILES_MB = 2048  # what those of several states of the source may take after a run
IS_LAZY = os.environ.get("JAXEAGER_TEST_LAZY") == "1"
_bound = MEMORY_BYTES
_FOUND = pytest.StashKey[set[str]]()

# Drawn from a fixed seed: a run that failed fails again. No time limit: a first call compiles.
settings.register_profile(
    "jaxeager",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    database=None,
    print_blob=True,
)
settings.load_profile("jaxeager")


def pytest_configure(config):
    """Register hooks for tests of all folders; ignore a warning that is not of this library."""
    config.pluginmanager.register(examples_of_docstrings)
    config.addinivalue_line("filterwarnings", HALF_WRITTEN)
    if IS_LAZY:  # a test calls ops with one shape after the other
        config.addinivalue_line("filterwarnings", "ignore:Lazy mode. the last")


def pytest_report_header():
    """Return a line about the settings that the run depends on."""
    flags = os.environ.get("XLA_FLAGS") or "its own settings"
    return f"jax {jax.__version__} on {jax.default_backend()}, x64 on, seed {SEED}, XLA: {flags}"


def pytest_terminal_summary(terminalreporter):
    """List at the end the files whose tests were not compared with real Paddle."""
    skipped = terminalreporter.stats.get("skipped", [])
    for reason, files in not_compared(skipped).items():
        terminalreporter.write_line(reason)
        for file, count in files.items():
            terminalreporter.write_line(f"    {file}: {count} test{'s' * (count != 1)}")


def pytest_collection_modifyitems(config, items):
    """Put searches for objects first, what frees kernels last; deselect what is not for this run.

    In lazy mode these are tests of single calls; on an accelerator, the examples of docstrings that
    print a tensor's place.
    """
    items.sort(key=lambda item: item.nodeid.startswith(LAST) - item.nodeid.startswith(SEARCHES))
    if IS_LAZY:
        single = [item for item in items if item.get_closest_marker("single_calls")]
        config.hook.pytest_deselected(items=single)
        items[:] = [item for item in items if not item.get_closest_marker("single_calls")]
    if IS_ON_CPU:
        return
    reason = pytest.mark.skip(reason="it prints a CPU's name, and this run is on another device")
    for item in items:
        if isinstance(item, pytest.DoctestItem) and any(
            name in (item.dtest.docstring or "") for name in NAMES_OF_A_CPU
        ):
            item.add_marker(reason)


def pytest_sessionstart(session):
    """Note the files that are not in the repository yet."""
    session.config.stash[_FOUND] = _new_files(session.config.rootpath)


def pytest_sessionfinish(session, exitstatus):
    """Fail if tests have left files where they run: CI refuses them. Remove old kernels."""
    before = session.config.stash.get(_FOUND, None)  # None if this file was loaded later
    if before is None or os.environ.get("PYTEST_XDIST_WORKER"):
        return
    flags.set_flags({"FLAGS_kernel_files_mb": KERNEL_FILES_MB})
    kernel_files.keep_within()
    left = _new_files(session.config.rootpath) - before
    if left:
        print(f"\nThe tests have left files in the repository: {', '.join(sorted(left))}")
        if not exitstatus:
            session.exitstatus = 1


def _new_files(folder) -> set[str]:
    """Return what git neither knows nor ignores at the top of a folder; nothing without git."""
    command = "git ls-files --others --exclude-standard --directory --no-empty-directory".split()
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return set()
    return {path for path in done.stdout.splitlines() if "/" not in path.rstrip("/")}


def pytest_unconfigure():
    """Remove the folder of compiled programs if this run created it."""
    if _OWN_CACHE is not None:
        _OWN_CACHE.cleanup()


def pytest_collection_finish(session):
    """Spare the garbage collector, and the tools that search all names, the tests themselves."""
    hide_other_tests(session)
    _keep_from_collector()
    gc.set_threshold(YOUNGEST, YOUNG, 10)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item, nextitem):
    """Spare the garbage collector what a file's tests leave, which is mostly JAX's caches.

    Tracing creates millions of objects that live long. A collection of them all takes seconds, and
    so does a debugging tool that walks all objects: it does not see those that are spared.
    """
    if nextitem is None or nextitem.path != item.path:
        youngest, young, old = gc.get_count()
        if youngest + YOUNGEST * (young + YOUNG * old) > FEW_OBJECTS:
            _keep_from_collector()


def _keep_from_collector() -> None:
    """Collect garbage once, and exclude the objects that are left from later collections."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _bounded_memory():
    """Free compiled programs when the process has become too large: all of them take gigabytes.

    Some cannot be freed, so the bound is one of growth.
    """
    global _bound
    yield
    if memory_bound._resident_bytes() > _bound:
        jax.clear_caches()
        memory_bound.free()
        gc.unfreeze()
        _keep_from_collector()
        _bound = max(MEMORY_BYTES, memory_bound._resident_bytes() + MEMORY_BYTES // 2)


@pytest.fixture
def no_kernel_files(monkeypatch):
    """Let JAX trace all new kernels: none is loaded from a file."""
    monkeypatch.setitem(flags._values, "FLAGS_kernel_files", False)


@pytest.fixture
def fresh_names():
    """Start the counters of unique names from zero in the test."""
    with paddle.utils.unique_name.guard():
        yield


def _let_observers_go() -> None:
    """Remove leftovers of tests: observed graphs in cycles, and an observed peak of memory."""
    from jaxeager.debug.memory import meter as memory_meter

    memory_meter.unwatch()
    gc.collect()
    x = paddle.ones([1])
    x.stop_gradient = False
    (x * 2).backward()  # it removes the observers that no node needs any more


@pytest.fixture(autouse=True)
def _in_lazy_mode():
    """Record a test's calls, if the run is one of lazy mode."""
    if IS_LAZY:
        paddle.set_flags({"FLAGS_lazy": True})
    yield
    if IS_LAZY:
        paddle.set_flags({"FLAGS_lazy": False})


@pytest.fixture(autouse=True)
def _same_start():
    """Start every test from the same seeds, with recording on, float32, and no observers."""
    if events._observers:
        _let_observers_go()
    random.seed(SEED)
    np.random.seed(SEED)
    paddle.seed(SEED)
    yield
    if not IS_ON_CPU:
        paddle.set_device(DEVICE)
    assert paddle.is_grad_enabled(), "the test left recording turned off"
    assert paddle.get_default_dtype() == "float32", "the test left another default dtype"
