"""The threads that compile kernels (kernels/compile_threads.py), as tests see them."""

import threading

from jaxeager.kernels import compile_events, compile_threads


def wait_for_threads():
    """Wait until the threads have compiled what is queued."""
    compile_threads.compile_alone(int).result()
    for job, _ in list(compile_threads._jobs.values()):
        job.exception()


def listen(monkeypatch) -> list[tuple[str, str]]:
    """Return a list that gets (thread, kernel) of each compilation: "main", "kernels" or "lazy"."""
    found = []

    def note(kernel):
        name = threading.current_thread().name
        thread = "main" if name == "MainThread" else name.partition("_")[0]
        found.append((thread, kernel.jax_name))

    monkeypatch.setattr(compile_events, "_listeners", [*compile_events._listeners, note])
    return found
