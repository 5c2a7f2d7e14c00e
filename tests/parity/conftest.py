"""The source of real Paddle's answers: its records, or a process with real Paddle."""

import pytest

from .harness import NOT_COMPARED, PADDLE_VERSION, Worker, needed_paddle
from .oracle import asked_of, recorded
from .questions import is_live

_SAID: list[str] = []


@pytest.fixture(scope="session")
def worker():
    """Yield the process that runs programs under real Paddle."""
    python = needed_paddle()
    worker = Worker(python)
    worker.start()
    if worker.version != PADDLE_VERSION:
        worker.close()
        pytest.skip(
            f"{python} has Paddle {worker.version}, not {PADDLE_VERSION}: this {NOT_COMPARED}"
        )
    yield worker
    _SAID.extend(
        f"Paddle's process was started again after a crash: {how}" for how in worker.deaths
    )
    worker.close()


@pytest.fixture
def oracle(request):
    """Return a function of a program, or of a pair, that returns real Paddle's result."""
    if not is_live():
        return recorded
    worker = request.getfixturevalue("worker")
    return lambda asked: asked_of(worker, asked)


def pytest_terminal_summary(terminalreporter):
    """Print at the end the programs that crashed Paddle."""
    for line in dict.fromkeys(_SAID):
        terminalreporter.write_line(f"parity: {line}")
