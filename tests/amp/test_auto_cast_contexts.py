"""The contexts of auto_cast: nesting, decorators, threads, tasks, and no cost outside."""

import asyncio
import threading

import pytest

import jaxeager as paddle
from jaxeager.ops.call.observers import lookers
from tests.support.leaves import small_leaf

pytestmark = pytest.mark.usefixtures("nothing_is_left_behind")

auto_cast = paddle.amp.auto_cast


def name(tensor):
    return tensor.dtype.name


def test_nesting_puts_back_what_was_there():
    x = small_leaf()
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
    assert name(small_leaf() @ small_leaf()) == "float32"


def test_a_context_can_be_entered_again_and_inside_itself():
    context, x = auto_cast(dtype="bfloat16"), small_leaf()
    for _ in range(2):
        with context, context:
            assert name(x @ x) == "bfloat16"
        assert name(x @ x) == "float32"


def test_decorators():
    @auto_cast(dtype="bfloat16")
    def twice(x, depth=1):
        return twice(x, depth - 1) if depth else x @ x

    assert name(twice(small_leaf())) == "bfloat16"
    assert twice.__name__ == "twice"
    assert not paddle.is_autocast_enabled()


def test_a_decorated_generator_is_in_the_context_only_while_it_runs():
    @auto_cast(dtype="bfloat16")
    def products(x):
        yield x @ x
        yield x @ x

    x = small_leaf()
    for out in products(x):
        assert name(out) == "bfloat16"
        assert name(x @ x) == "float32"


def test_a_decorated_coroutine():
    @auto_cast(dtype="bfloat16")
    async def product(x):
        await asyncio.sleep(0)
        return x @ x

    async def both():
        x = small_leaf()
        first = asyncio.create_task(product(x))
        plain = name(x @ x)
        return name(await first), plain

    assert asyncio.run(both()) == ("bfloat16", "float32")


def test_threads_have_their_own():
    inside, leave, found = threading.Event(), threading.Event(), {}

    def other():
        x = small_leaf()
        with auto_cast(dtype="float16"):
            inside.set()
            leave.wait()
            found["theirs"] = name(x @ x)

    thread = threading.Thread(target=other)
    thread.start()
    inside.wait()
    x = small_leaf()
    found["ours"], found["enabled"] = name(x @ x), paddle.is_autocast_enabled()
    with auto_cast(dtype="bfloat16"):
        found["ours inside"] = name(x @ x)
    leave.set()
    thread.join()
    assert found == {
        "ours": "float32", "enabled": False, "ours inside": "bfloat16", "theirs": "float16"
    }  # fmt: skip


def test_there_is_no_observer_outside():
    """Calls read the mode of their thread only while some thread is inside a context."""
    with auto_cast():
        assert lookers.count("auto_cast") == 1
        with auto_cast(enable=False):
            small_leaf() @ small_leaf()
        assert lookers.count("auto_cast") == 1
    assert "auto_cast" not in lookers
