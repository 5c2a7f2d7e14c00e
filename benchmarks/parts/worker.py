"""One library in a separate process: runs programs on request and returns their times.

Started as ``python worker.py LIBRARY``. A line on stdin is a JSON request, a line on stdout its
answer.
"""

import contextlib
import importlib
import json
import os
import sys
import time
from pathlib import Path

CALLS = {"jaxeager": "paddle_calls", "paddle": "paddle_calls", "torch": "torch_calls"}
CHAINS = {"jaxeager": "paddle_chain", "paddle": "paddle_chain", "torch": "torch_chain"}
LENETS = {
    "jaxeager": "programs.paddle_lenet",
    "paddle": "programs.paddle_lenet",
    "torch": "programs.torch_lenet",
    "jax": "plain_jax.jax_lenet",
}
MODELS = {
    "jaxeager": "models.paddle_model",
    "paddle": "models.paddle_model",
    "torch": "models.torch_model",
    "jax": "plain_jax.jax_model",
}
BLOCK_SECONDS = 0.2  # the duration of the steps that one figure averages
_FIRST_STEPS = 12  # before a model is measured: some of them compile, or load an executable
EVENTS = {
    "/jax/core/compile/backend_compile_duration": "compiled",
    "/jax/core/compile/jaxpr_trace_duration": "traced",
}


class Compilations:
    """Counts XLA compilations and JAX traces."""

    def __init__(self):
        import jax.monitoring

        self.compiled = self.traced = 0
        jax.monitoring.register_event_duration_secs_listener(self._count)

    def _count(self, event, duration, **_):
        name = EVENTS.get(event)
        if name:
            setattr(self, name, getattr(self, name) + 1)


class Runner:
    """Holds one library's programs, created on first use."""

    def __init__(self, library_name: str):
        self.name = library_name
        sys.path[:0] = [str(Path(__file__).resolve().parents[2])]
        self.library = importlib.import_module(library_name)
        if library_name == "torch" and os.environ["BENCH_BACKEND"] == "gpu":
            _use_gpu(self.library)
        sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
        self.chain = self.step = self.weight = self.calls = self.raw = None
        self.models, self.steps_of = {}, {}

    def hello(self) -> dict:
        """Return the library's version."""
        return {"version": getattr(self.library, "__version__", "")}

    def run_chain(self, chains: int, mode: str = "") -> dict:
        """Return the seconds of a chain, forward and backward, in a mode of ``_in_mode``."""
        if self.chain is None:
            self.chain = _named(f"programs.{CHAINS[self.name]}")(self.library)
            self.chain()
        with self._in_mode(mode):
            return self._time_chain(chains)

    def _in_mode(self, mode: str):
        """Return a context manager: "" changes nothing, else the name of a mode of jaxeager."""
        return self.library.lazy() if mode == "lazy" else contextlib.nullcontext()

    def _time_chain(self, chains: int) -> dict:
        for _ in range(5):  # after these nothing is compiled any more
            self.chain()
        started = time.perf_counter()
        for _ in range(chains):
            grad = self.chain()
        _wait_for(grad)
        return {"seconds": (time.perf_counter() - started) / chains}

    def run_steps(self, steps: int) -> dict:
        """Return the seconds of a training step, and the loss of the last one."""
        self._make_step()
        started = time.perf_counter()
        for _ in range(steps):
            loss = self.step()
        self.weight()
        return {"seconds": (time.perf_counter() - started) / steps, "loss": float(loss)}

    def run_calls(self, calls: int) -> dict:
        """Return the seconds of each everyday call; in jaxeager's process also of the yardstick."""
        self._make_calls()
        seconds, raw = {}, {}
        for name, make in self.calls.items():
            seconds[name] = _seconds_a_call(make(), calls)
            if self.raw:
                raw[name] = _seconds_a_call(self.raw, calls)
        return {"seconds": seconds, "raw": raw}

    def first_calls(self) -> dict:
        """Return the seconds of the first call of each everyday call."""
        self._make_calls()
        return {"seconds": {name: _seconds_a_call(make(), 1) for name, make in self.calls.items()}}

    def _make_calls(self):
        if self.calls is None:
            self.calls = _named(f"everyday.{CALLS[self.name]}")(self.library)
            self.raw = _named("everyday.raw_call")() if self.name == "jaxeager" else None

    def run_model(self, name: str, mode: str = "", reads: bool = False) -> dict:
        """Return the seconds of a training step of a model; None if there is no such model.

        Args:
            name: the model.
            mode: a mode of ``_in_mode``.
            reads: whether the loss of each step is read, not only that of the last one.
        """
        step = self._model(name)
        if step is None:
            return {"seconds": None}
        with self._in_mode(mode):
            step = _reading(step) if reads else step
            return {"seconds": self._seconds_of_model(step, (name, mode, reads))}

    def run_static(self, name: str, full_graph: bool = True) -> dict:
        """Return the seconds of a training step marked with ``to_static``."""
        step = self._static(name, full_graph)
        return {"seconds": self._seconds_of_model(step, (name, "static", full_graph))}

    def run_forward(self, name: str) -> dict:
        """Return the seconds of a forward marked with ``to_static``."""
        key = name, "forward"
        if key not in self.models:
            self.models[key] = _named("models.paddle_static_forward")(self.library, name)
            took = _seconds_a_call(self.models[key], 3)
            took = _seconds_a_call(self.models[key], 3)
            self.steps_of[key] = max(1, round(BLOCK_SECONDS / took))
        return {"seconds": _seconds_a_call(self.models[key], self.steps_of[key])}

    def first_static(self, name: str) -> dict:
        """Return the processor seconds of the first call of a marked training step."""
        return {"seconds": _seconds_of_steps(self._static(name, True), 1, time.process_time)}

    def _static(self, name: str, full_graph: bool):
        key = name, "static", full_graph
        if key not in self.models:
            made = _named("models.paddle_static_model")(self.library, name, full_graph)
            self.models[key] = made
        return self.models[key]

    def _seconds_of_model(self, step, what: tuple) -> float:
        if what not in self.steps_of:
            took = [_seconds_of_steps(step, 1, time.perf_counter) for _ in range(_FIRST_STEPS)]
            self.steps_of[what] = max(1, round(BLOCK_SECONDS / min(took)))
        return _seconds_of_steps(step, self.steps_of[what], time.perf_counter)

    def within(self, where: str, **arguments) -> dict:
        """Return the result of a function of the benchmarks, "MODULE.NAME", for the library."""
        return _named(where)(self.library, **arguments)

    def first_step(self, name: str, clock: str = "cpu") -> dict:
        """Return the seconds of a model's first training step, "cpu" (processor) or "wall"."""
        of = {"cpu": time.process_time, "wall": time.perf_counter}
        return {"seconds": _seconds_of_steps(self._model(name), 1, of[clock])}

    def compile_softmaxes(self) -> dict:
        """Return the processor seconds for 20 softmax kernels that plain JAX compiles."""
        jax = self.library
        softmax = jax.jit(jax.nn.softmax)
        started = time.process_time()
        for size in range(20):
            softmax.lower(jax.ShapeDtypeStruct((8, 16 + size), "float32")).compile()
        return {"seconds": time.process_time() - started}

    def _model(self, name: str):
        if name not in self.models:
            self.models[name] = _named(MODELS[self.name])(self.library, name)
        return self.models[name]

    def count_compilations(self, steps: int) -> dict:
        """Return the number of programs that each of the first steps compiled and traced."""
        counter = Compilations()
        self._make_step()
        compiled, traced = [], []
        for _ in range(steps):
            before = counter.compiled, counter.traced
            self.step()
            self.weight()
            compiled.append(counter.compiled - before[0])
            traced.append(counter.traced - before[1])
        return {"compiled": compiled, "traced": traced}

    def _make_step(self):
        if self.step is None:
            self.step, self.weight = _named(LENETS[self.name])(self.library)


def _named(where: str):
    """Return a function of one of the parts."""
    module, name = where.split(".")
    return getattr(importlib.import_module(f"parts.{module}"), name)


def _seconds_a_call(call, calls: int) -> float:
    started = time.perf_counter()
    for _ in range(calls):
        result = call()
    _wait_for(result[-1] if isinstance(result, (list, tuple)) else result)
    return (time.perf_counter() - started) / calls


def _use_gpu(torch) -> None:
    """Make PyTorch create its tensors on the GPU, and round factors to TF32 as JAX does."""
    torch.set_default_device("cuda")
    torch.set_float32_matmul_precision("high")


def _wait_for(result) -> None:
    """Wait until a tensor is computed: on a CPU, Paddle and PyTorch compute it immediately."""
    if hasattr(result, "__jax_array__"):
        result = result.__jax_array__()
    if hasattr(result, "block_until_ready"):
        result.block_until_ready()
    if getattr(result, "is_cuda", False):
        sys.modules["torch"].cuda.synchronize()


def _reading(step):
    """Return a step that reads its loss."""
    return lambda: float(step())


def _seconds_of_steps(step, steps: int, clock) -> float:
    started = clock()
    for _ in range(steps):
        loss = step()
    float(loss)
    return (clock() - started) / steps


def main():
    """Answer requests until stdin closes."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # A library's own output goes to stderr, never between the answers.
    sys.path.pop(0)
    with contextlib.suppress(BrokenPipeError):
        runner = Runner(sys.argv[1])
        for line in sys.stdin:
            request = json.loads(line)
            answer = getattr(runner, request.pop("do"))(**request)
            answers.write(json.dumps(answer) + "\n")
            answers.flush()


if __name__ == "__main__":
    main()
