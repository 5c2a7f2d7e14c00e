"""One process with real Paddle for the session; without Paddle the programs skip and say why."""

import pytest

from .harness import PADDLE_VERSION, Worker, paddle_python

ABSENT = (
    f"real Paddle is not installed here (pip install paddlepaddle=={PADDLE_VERSION}, or name a "
    "Python that has it in JAXEAGER_PADDLE_PYTHON): programs were NOT compared with Paddle"
)
_SAID: list[str] = []


@pytest.fixture(scope="session")
def oracle():
    """The process that runs programs under real Paddle."""
    python = paddle_python()
    if python is None:
        _SAID.append(ABSENT)
        pytest.skip(ABSENT)
    worker = Worker(python)
    worker.start()
    if worker.version != PADDLE_VERSION:
        found = f"programs are compared with Paddle {PADDLE_VERSION}, {python} has {worker.version}"
        worker.close()
        _SAID.append(found)
        pytest.skip(found)
    yield worker
    _SAID.extend(
        f"Paddle's process was started again after a crash: {how}" for how in worker.deaths
    )
    worker.close()


def pytest_terminal_summary(terminalreporter):
    """Says at the end whether programs were compared, and which of them crashed Paddle."""
    for line in dict.fromkeys(_SAID):
        terminalreporter.write_line(f"parity: {line}")
