"""One process with real Paddle for the session; without Paddle the programs skip and say why."""

import pytest

from .harness import NOT_COMPARED, PADDLE_VERSION, Worker, needed_paddle

_SAID: list[str] = []


@pytest.fixture(scope="session")
def oracle():
    """The process that runs programs under real Paddle."""
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


def pytest_terminal_summary(terminalreporter):
    """Says at the end which programs crashed Paddle."""
    for line in dict.fromkeys(_SAID):
        terminalreporter.write_line(f"parity: {line}")
