"""Grad modes of coroutines: each asyncio task has its own, and decorated bodies keep theirs."""

import asyncio
import inspect

import pytest

import jaxeager as paddle
from jaxeager.graph.mode import grad_mode


async def turns(count=3):
    """Let the other tasks run."""
    for _ in range(count):
        await asyncio.sleep(0)


def test_a_with_block_that_waits_leaves_other_tasks_alone():
    async def quiet(seen):
        with paddle.no_grad():
            for _ in range(5):
                await turns()
                seen.append(paddle.is_grad_enabled())
        seen.append(paddle.is_grad_enabled())

    async def recording(seen):
        for _ in range(3):
            await turns()
            seen.append(paddle.is_grad_enabled())
            with paddle.enable_grad():
                await turns()
                seen.append(paddle.is_grad_enabled())

    async def main():
        inside, outside = [], []
        await asyncio.gather(quiet(inside), recording(outside), quiet(inside), recording(outside))
        return inside, outside

    inside, outside = asyncio.run(main())
    assert sorted(inside) == [False] * 10 + [True] * 2
    assert outside == [True] * 12
    assert paddle.is_grad_enabled()


def test_ops_of_two_tasks_are_recorded_as_each_task_says():
    x = paddle.to_tensor([2.0], stop_gradient=False)

    async def run(mode):
        with mode():
            await turns()
            y = x * 3.0
            await turns(5)
            return (y * x).stop_gradient

    async def main():
        return await asyncio.gather(run(paddle.no_grad), run(paddle.enable_grad))

    assert asyncio.run(main()) == [True, False]


def test_a_task_starts_with_the_mode_it_was_made_under_and_keeps_it():
    async def look():
        await turns(5)
        return paddle.is_grad_enabled(), paddle.is_inference_mode_enabled()

    async def main():
        with paddle.no_grad():
            quiet = asyncio.create_task(look())
        with paddle.inference_mode():
            inference = asyncio.create_task(look())
        return await quiet, await inference, await look()

    assert asyncio.run(main()) == ((False, False), (False, True), (True, False))


def test_to_thread_carries_the_mode_and_a_plain_executor_does_not():
    async def main():
        loop = asyncio.get_running_loop()
        with paddle.no_grad():
            carried = await asyncio.to_thread(paddle.is_grad_enabled)
            fresh = await loop.run_in_executor(None, paddle.is_grad_enabled)
        return carried, fresh

    assert asyncio.run(main()) == (False, True)


def test_every_switch_of_the_mode_belongs_to_the_task():
    async def hold(name, value):
        before = getattr(grad_mode, name)
        setattr(grad_mode, name, value)
        await turns(4)
        assert getattr(grad_mode, name) == value
        setattr(grad_mode, name, before)

    async def look(names):
        await turns(2)
        return [getattr(grad_mode, name) for name in names]

    async def main():
        held = {"silent": True, "amp": "O1", "saved_hooks": ("pack", "unpack"), "inference": True}
        results = await asyncio.gather(*(hold(*item) for item in held.items()), look(list(held)))
        return results[-1]

    assert asyncio.run(main()) == [False, None, None, False]


def test_a_decorated_coroutine_runs_in_the_mode():
    @paddle.no_grad()
    async def quiet(x):
        first = (x * 2).stop_gradient
        await turns()
        with paddle.enable_grad():
            second = (x * 2).stop_gradient
            await turns()
        await turns()
        return first, second, (x * 2).stop_gradient

    assert inspect.iscoroutinefunction(quiet)
    x = paddle.to_tensor([1.0], stop_gradient=False)

    async def main():
        made = quiet(x)
        assert paddle.is_grad_enabled()
        return await made, paddle.is_grad_enabled()

    assert asyncio.run(main()) == ((True, False, True), True)


def test_two_coroutines_stepped_by_hand_do_not_share_the_mode():
    class Pause:
        def __await__(self):
            return (yield "paused")

    @paddle.no_grad()
    async def quiet():
        seen = []
        for _ in range(2):
            await Pause()
            seen.append(paddle.is_grad_enabled())
        return seen

    @paddle.enable_grad
    async def recording():
        await Pause()
        return paddle.is_grad_enabled()

    first, second = quiet(), recording()
    assert first.send(None) == "paused"
    assert paddle.is_grad_enabled()
    assert second.send(None) == "paused"
    assert first.send(None) == "paused"
    with pytest.raises(StopIteration) as end:
        second.send(None)
    assert end.value.value is True
    with pytest.raises(StopIteration) as end:
        first.send(None)
    assert end.value.value == [False, False]


def test_errors_and_cancelling_reach_a_decorated_coroutine_in_its_mode():
    seen = []

    @paddle.no_grad()
    async def waits(error):
        try:
            await asyncio.sleep(10)
        except error:
            seen.append(paddle.is_grad_enabled())
            raise

    async def main():
        task = asyncio.create_task(waits(asyncio.CancelledError))
        await turns()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(waits(asyncio.CancelledError), 0.001)
        return paddle.is_grad_enabled()

    assert asyncio.run(main())
    assert seen == [False, False]


def test_a_decorated_async_generator_sets_the_mode_only_in_its_body():
    closed = []

    @paddle.no_grad()
    async def numbers():
        got = None
        try:
            while got != "stop":
                await turns()
                try:
                    got = yield got, paddle.is_grad_enabled()
                except KeyError as error:
                    got = repr(error)
        finally:
            await turns()
            closed.append(paddle.is_grad_enabled())

    async def main():
        generator = numbers()
        assert inspect.isasyncgen(generator)
        seen = [await anext(generator), paddle.is_grad_enabled()]
        seen += [await generator.asend("sent"), await generator.athrow(KeyError("thrown"))]
        with pytest.raises(StopAsyncIteration):
            await generator.asend("stop")
        async for item in (other := numbers()):
            seen.append(item)
            break
        await other.aclose()
        return [*seen, paddle.is_grad_enabled()]

    sent, thrown = ("sent", False), ("KeyError('thrown')", False)
    assert asyncio.run(main()) == [(None, False), True, sent, thrown, (None, False), True]
    assert closed == [False, False]
