"""XLA's compilation while tests run: with little optimization, which halves the cost of a run.

Most of a test's time is XLA's compiler. ``JAXEAGER_TEST_XLA=full`` tests XLA's own settings, which
users get; the second run of ``make test-all`` sets it.

Level 0 costs half of level 1 to compile (0.67 s against 1.6 s for six kernels of networks), and its
code for a loop over a million numbers takes eight times as long. Few tests run such loops. Those
that draw a network's first values, a few kernels, and the examples are compiled at level 1. One
part for all of a program's code and narrow vectors save a third of what is left: 250 kernels of
networks, losses and optimizers take 6.5 s of a processor instead of 10.3.
"""

import inspect
import os
import subprocess
import sys

# Newer versions of XLA sometimes drop one of these, and end a process that sets it.
CHEAP = (
    "--xla_backend_optimization_level=0",
    "--xla_llvm_disable_expensive_passes=true",
    "--xla_cpu_use_fusion_emitters=false",
    "--xla_cpu_parallel_codegen_split_count=1",
    "--xla_cpu_prefer_vector_width=128",
)

# XLA ends a process in which a collective waits longer than 40 s for one of its devices, which
# happens where many processes share two cores.
_PATIENT = "--xla_cpu_collective_call_terminate_timeout_seconds=600"

_LEVEL = "xla_backend_optimization_level"
QUICK_LOOPS = {_LEVEL: 1}


def are_accepted(flags: str) -> bool:
    """Return whether this XLA accepts the flags, which requires a separate process."""
    asked = subprocess.run(
        [sys.executable, "-c", "import jax; jax.devices()"],
        env={**os.environ, "XLA_FLAGS": flags},
        capture_output=True,
        check=False,
    )
    return asked.returncode == 0


def choose() -> None:
    """Add the flags that this XLA accepts to the environment; XLA reads them when it starts.

    Nothing is changed when the user chose flags, another backend than the CPU, or the full run.
    ``JAXEAGER_TEST_ISA`` names the instructions that kernels may use (AVX, AVX2, AVX512), so that
    a run shows what an older processor computes.
    """
    isa = os.environ.get("JAXEAGER_TEST_ISA")
    if isa:
        os.environ["XLA_FLAGS"] = " ".join((*CHEAP, f"--xla_cpu_max_isa={isa}"))
    is_chosen = "XLA_FLAGS" in os.environ or os.environ.get("JAXEAGER_TEST_XLA") == "full"
    if is_chosen or os.environ.get("JAX_PLATFORMS") != "cpu":
        return
    if are_accepted(" ".join(CHEAP)):
        known = CHEAP
    else:
        known = tuple(flag for flag in CHEAP if are_accepted(flag))
    os.environ["XLA_FLAGS"] = " ".join(known)


def optimize_first_values() -> None:
    """Compile the kernels that draw a network's first values with optimization."""
    if f"--{_LEVEL}=0" not in os.environ.get("XLA_FLAGS", ""):
        return
    from jaxeager.kernels.tracing import jit
    from jaxeager.nn.initializer import draws

    for name in ("_uniform_kernel", "_normal_kernel", "_truncated_kernel"):
        rule = inspect.unwrap(getattr(draws, name))
        kernel = jit(rule, static_argnames=("count", "dtype"), compiler_options=QUICK_LOOPS)
        setattr(draws, name, kernel)


def for_long_runs(environment: dict) -> dict:
    """Return the environment of a process that runs its kernels for longer than it compiles."""
    flags = environment.get("XLA_FLAGS", "").replace(f"--{_LEVEL}=0", f"--{_LEVEL}=1")
    return environment | ({"XLA_FLAGS": flags} if flags else {})


def for_several_devices(environment: dict, count: int | None = None) -> dict:
    """Return the environment of a process whose CPU is `count` devices, or its own number."""
    flags = [environment.get("XLA_FLAGS", ""), _PATIENT]
    if count is not None:
        flags.append(f"--xla_force_host_platform_device_count={count}")
    return environment | {"XLA_FLAGS": " ".join(flags).strip(), "JAX_PLATFORMS": "cpu"}
