"""The contexts of auto_cast: nesting, decorators, threads, tasks, and no cost outside."""

import asyncio
import threading

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.graph.mode import grad_mode
from jaxeager.ops import binding

auto_cast = paddle.amp.auto_cast


@pytest.fixture(autouse=True)
def nothing_is_left_behind():
    """Mixed precision is off before and after each test."""
    assert not paddle.is_autocast_enabled()
    assert grad_mode.watching == 0
    yield
    assert not paddle.is_autocast_enabled()
    assert grad_mode.watching == 0


def leaf(dtype="float32", shape=(2, 2), seed=0):
    """A leaf of small numbers that wants a gradient."""
    numbers = np.random.RandomState(seed).rand(*shape) + 0.5
    return paddle.to_tensor(numbers, dtype=dtype, stop_gradient=False)


def name(tensor):
    return tensor.dtype.name


def test_nesting_puts_back_what_was_there():
    x = leaf()
    with auto_cast(dtype="bfloat16"):
        with auto_cast(dtype="float16", level="O2"):
            assert name(x @ x) == "float16"
        assert name(x @ x) == "bfloat16"
        assert paddle.get_autocast_dtype() == "bfloat16"
    assert paddle.get_autocast_dtype() == "float16"
    assert name(x @ x) == "float32"


def test_an_exception_puts_back_what_was_there():
    with pytest.raises(ZeroDivisionError), auto_cast(dtype="bfloat16"):
        raise ZeroDivisionError
    assert not paddle.is_autocast_enabled()
    assert name(leaf() @ leaf()) == "float32"


def test_a_context_can_be_entered_again_and_inside_itself():
    context, x = auto_cast(dtype="bfloat16"), leaf()
    for _ in range(2):
        with context, context:
            assert name(x @ x) == "bfloat16"
        assert name(x @ x) == "float32"


def test_decorators():
    @auto_cast(dtype="bfloat16")
    def twice(x, depth=1):
        return twice(x, depth - 1) if depth else x @ x

    assert name(twice(leaf())) == "bfloat16"
    assert twice.__name__ == "twice"
    assert not paddle.is_autocast_enabled()


def test_a_decorated_generator_is_in_the_context_only_while_it_runs():
    @auto_cast(dtype="bfloat16")
    def products(x):
        yield x @ x
        yield x @ x

    x = leaf()
    for out in products(x):
        assert name(out) == "bfloat16"
        assert name(x @ x) == "float32"


def test_a_decorated_coroutine():
    @auto_cast(dtype="bfloat16")
    async def product(x):
        await asyncio.sleep(0)
        return x @ x

    async def both():
        x = leaf()
        first = asyncio.create_task(product(x))
        plain = name(x @ x)
        return name(await first), plain

    assert asyncio.run(both()) == ("bfloat16", "float32")


def test_threads_have_their_own():
    inside, leave, found = threading.Event(), threading.Event(), {}

    def other():
        x = leaf()
        with auto_cast(dtype="float16"):
            inside.set()
            leave.wait()
            found["theirs"] = name(x @ x)

    thread = threading.Thread(target=other)
    thread.start()
    inside.wait()
    x = leaf()
    found["ours"], found["enabled"] = name(x @ x), paddle.is_autocast_enabled()
    with auto_cast(dtype="bfloat16"):
        found["ours inside"] = name(x @ x)
    leave.set()
    thread.join()
    assert found == {
        "ours": "float32", "enabled": False, "ours inside": "bfloat16", "theirs": "float16"
    }  # fmt: skip


def test_outside_nothing_is_asked():
    """The code of a bound function mentions mixed precision only while somebody is inside."""
    leaf() @ leaf()
    codes = {each.function: each.codes[binding.PLAIN][0] for each in binding._specialised}
    assert len(codes) > 0
    assert not any("_read_amp" in code.co_names for code in codes.values())
    with auto_cast():
        changed = [f for f, code in codes.items() if f.__code__ is not code]
        assert len(changed) == len(codes)
        assert all("_read_amp" in f.__code__.co_names for f in changed)
    assert all(function.__code__ is code for function, code in codes.items())


def test_an_op_first_called_inside_is_plain_outside():
    """Whether its code is written inside of the context or not."""
    x = leaf()
    with auto_cast(dtype="bfloat16"):
        first, second = paddle.tan(x), paddle.tan(x)
    assert first.grad_fn.name() == second.grad_fn.name() == "TanGradNode"
    assert "_read_amp" not in paddle.tan.__code__.co_names
