"""A description of the machine that the benchmarks ran on."""

import os
import platform
from datetime import UTC, datetime
from importlib import metadata

import jax


def _cpu_model() -> str:
    try:
        with open("/proc/cpuinfo") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def describe() -> dict[str, str]:
    """Return names and values, in the order to print them."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    device = jax.devices()[0]
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("jax", "jaxlib", "numpy"))
    try:
        versions = f"jaxeager {metadata.version('jaxeager')}, {versions}"
    except metadata.PackageNotFoundError:
        versions = f"jaxeager (not installed, from the tree), {versions}"
    described = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "CPU": f"{_cpu_model()}, {usable} cores usable",
        "backend": f"{jax.default_backend()}, {device.device_kind}",
        "versions": f"Python {platform.python_version()}, {versions}",
        "system": f"{platform.system()} {platform.release()}",
    }
    if hasattr(os, "getloadavg"):
        described["load at the start"] = f"{os.getloadavg()[0]:.2f} over the last minute"
    return described
