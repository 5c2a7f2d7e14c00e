"""Modes, backward and recording in several threads and asyncio tasks."""

import asyncio
import threading

from ..probe import grads, leaf
from ..registry import differs, program


def in_threads(*functions):
    """Runs functions in a thread each, all at once; returns what they return, errors as text."""
    results = [None] * len(functions)
    gate = threading.Barrier(len(functions))

    def run(place, function):
        gate.wait()
        try:
            results[place] = function()
        except Exception as error:
            results[place] = type(error).__name__

    threads = [threading.Thread(target=run, args=item) for item in enumerate(functions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@program
def a_graph_in_each_thread(paddle, np):
    """Four threads, each with leaves and a backward of its own."""

    def work(number):
        x = leaf(paddle, np.float64([1.0, number]))
        for _ in range(5):
            (x * x * number).sum().backward()
        return x.grad.numpy()

    return in_threads(*(lambda n=n: work(n) for n in (1.0, 2.0, 3.0, 4.0)))


@program
def the_mode_is_of_the_thread(paddle, np):
    """no_grad here is not no_grad there; what is recorded under it there is not recorded."""
    x = leaf(paddle, [2.0])
    seen = []
    with paddle.no_grad():
        seen += in_threads(paddle.is_grad_enabled, lambda: (x * 2).stop_gradient)

    def quiet():
        paddle.set_grad_enabled(False)
        return [paddle.is_grad_enabled(), (x * 2).stop_gradient]

    return [seen, in_threads(quiet, paddle.is_grad_enabled), paddle.is_grad_enabled()]


@program
def a_graph_made_here_runs_there(paddle, np):
    """backward in another thread than the forward, also one whose recording is off."""
    x = leaf(paddle, np.float64([1.0, 2.0]))
    losses = [(x * x).sum(), (x * x * x).sum()]

    def quietly():
        with paddle.no_grad():
            losses[1].backward()

    in_threads(losses[0].backward)
    in_threads(quietly)
    return grads(x)


@program
def a_retained_graph_in_turns(paddle, np):
    """One graph, run by one thread after the other with retain_graph."""
    x = leaf(paddle, np.float64([1.0, 2.0]))
    loss = (x * x).exp().sum()
    for _ in range(4):
        in_threads(lambda: loss.backward(retain_graph=True))
    return grads(x)


@program
def partial_gradients_in_each_thread(paddle, np):
    """paddle.grad with create_graph in four threads, in turn: at once, Paddle's process can die."""

    def work(number):
        x = leaf(paddle, np.float64([0.5, number]))
        (first,) = paddle.grad((x * x * x).sum(), [x], create_graph=True)
        (second,) = paddle.grad(first.sum(), [x])
        return [first.numpy(), second.numpy(), x.grad is None]

    return [in_threads(lambda n=n: work(n)) for n in (1.0, 2.0, 3.0, 4.0)]


@program
def hooks_run_in_the_thread_of_the_backward(paddle, np):
    """A hook registered here runs where backward is called."""
    x = leaf(paddle, np.float64([1.0, 2.0]))
    names = []
    y = x * 3
    y.register_hook(lambda grad: names.append(threading.current_thread().name))
    y.register_hook(lambda grad: grad * 2)
    thread = threading.Thread(target=y.sum().backward, name="elsewhere")
    thread.start()
    thread.join()
    return [names, *grads(x)]


@differs(
    "The mode of a task that waits inside `with no_grad()` is that of every task of its thread.",
    right=[["recording", True], ["quiet", False], ["recording", True], ["quiet", False]],
    paddle_gives=[["recording", False], ["quiet", True], ["recording", False], ["quiet", False]],
)
def modes_of_two_tasks(paddle, np):
    """Two asyncio tasks take turns, one of them under no_grad."""
    log = []
    turns = [asyncio.Event() for _ in range(6)]

    async def step(number):
        turns[number].set()
        await turns[number + 1].wait()

    async def quiet():
        with paddle.no_grad():
            await step(0)
            log.append(["quiet", paddle.is_grad_enabled()])
            await step(2)
            log.append(["quiet", paddle.is_grad_enabled()])
            turns[5].set()

    async def recording():
        await turns[0].wait()
        log.append(["recording", paddle.is_grad_enabled()])
        with paddle.enable_grad():
            await step(1)
        log.append(["recording", paddle.is_grad_enabled()])
        turns[3].set()

    async def main():
        await asyncio.gather(quiet(), recording())

    asyncio.run(main())
    return log


@differs(
    "A decorated coroutine runs its body with recording on.",
    right=[[False, False], [False], [False]],
    paddle_gives=[[True, True], [True], [False]],
)
def decorated_coroutines(paddle, np):
    """@no_grad() on async def, on an async generator, and on a generator."""

    @paddle.no_grad()
    async def coroutine():
        before = paddle.is_grad_enabled()
        await asyncio.sleep(0)
        return [before, paddle.is_grad_enabled()]

    @paddle.no_grad()
    async def async_generator():
        yield paddle.is_grad_enabled()

    @paddle.no_grad()
    def generator():
        yield paddle.is_grad_enabled()

    async def main():
        return [await coroutine(), [item async for item in async_generator()], list(generator())]

    return asyncio.run(main())


@differs(
    "The parentheses may not be left out.",
    right=[False, True],
    paddle_gives=["TypeError", "TypeError"],
)
def bare_decorators(paddle, np):
    """@paddle.no_grad and @paddle.enable_grad on a function."""

    def run(decorate):
        try:
            return decorate(paddle.is_grad_enabled)()
        except TypeError:
            return "TypeError"

    return [run(paddle.no_grad), run(paddle.enable_grad)]
