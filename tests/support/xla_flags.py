"""How XLA compiles while tests run: with little optimization, which halves what a run costs.

Most of a test's time is XLA's compiler. What users get, XLA's own settings, is what
``JAXEAGER_TEST_XLA=full`` tests; ``make test-all`` sets it.
"""

import os
import subprocess
import sys

# Newer versions of XLA drop one of these now and then, and end the process that asks for it.
CHEAP = (
    "--xla_backend_optimization_level=0",
    "--xla_llvm_disable_expensive_passes=true",
    "--xla_cpu_use_fusion_emitters=false",
)


def are_accepted(flags: str) -> bool:
    """Says whether this XLA knows the flags, which only a process of its own can tell."""
    asked = subprocess.run(
        [sys.executable, "-c", "import jax; jax.devices()"],
        env={**os.environ, "XLA_FLAGS": flags},
        capture_output=True,
        check=False,
    )
    return asked.returncode == 0


def choose() -> None:
    """Puts the flags that this XLA knows into the environment; XLA reads them when it starts.

    Nothing is changed when the user chose flags, another backend than the CPU, or the full run.
    """
    is_chosen = "XLA_FLAGS" in os.environ or os.environ.get("JAXEAGER_TEST_XLA") == "full"
    if is_chosen or os.environ.get("JAX_PLATFORMS") != "cpu":
        return
    if are_accepted(" ".join(CHEAP)):
        known = CHEAP
    else:
        known = tuple(flag for flag in CHEAP if are_accepted(flag))
    os.environ["XLA_FLAGS"] = " ".join(known)
