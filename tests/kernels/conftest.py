"""A fixture for tests of counts: no compilation that an earlier test started is still running."""

import pytest

from jaxeager.kernels import compile_threads
from jaxeager.kernels.lazy import mode


@pytest.fixture(autouse=True)
def _nothing_is_compiled():
    """Wait for what the threads of lazy mode compile."""
    if mode.is_installed:
        compile_threads.compile_alone(int).result()
        for job, _ in list(compile_threads._jobs.values()):
            job.exception()
