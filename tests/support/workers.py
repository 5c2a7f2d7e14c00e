"""The number of test processes to run side by side: by processors and memory, 8 at most.

`python tests/support/workers.py` prints it. It imports nothing but Python: make runs it as a file.
"""

import os
from pathlib import Path

BYTES_OF_A_WORKER = 3 << 30  # one that has run many tests, with the processes that it starts
LEAST = 2  # where there are as many processors; they fit into 4 GiB, as most tests are small
MOST = 8  # more wait for one another's files and ports


def processors(limits: Path = Path("/sys/fs/cgroup")) -> float:
    """Return the number of processors that this process may use; a container may limit them."""
    affinity = getattr(os, "sched_getaffinity", None)
    count = float(len(affinity(0)) if affinity else os.cpu_count() or 1)
    quota, _, period = _read(limits / "cpu.max").partition(" ")
    return min(count, int(quota) / int(period)) if quota.isdigit() else count


def memory_bytes(limits: Path = Path("/sys/fs/cgroup")) -> int:
    """Return the memory that this process may use."""
    installed = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit = _read(limits / "memory.max")
    return min(installed, int(limit)) if limit.isdigit() else installed


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def workers(processors: float, memory_bytes: int) -> int:
    """Return the number of workers: 1 on a single processor, else ``LEAST`` to ``MOST``.

    Example:
        >>> workers(2.0, 24 << 30), workers(64.0, 16 << 30), workers(0.5, 1 << 30)
        (2, 5, 1)
    """
    fitting = max(LEAST, min(memory_bytes // BYTES_OF_A_WORKER, MOST))
    return max(1, min(int(processors), fitting))


if __name__ == "__main__":
    print(workers(processors(), memory_bytes()))
