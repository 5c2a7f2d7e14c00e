"""no_grad, enable_grad, set_grad_enabled: contexts, decorators, generators, threads."""

import threading

import pytest

import jaxeager as paddle


def test_contexts_nest_and_restore_after_errors():
    assert paddle.is_grad_enabled()
    with paddle.no_grad():
        with paddle.enable_grad():
            assert paddle.is_grad_enabled()
        assert not paddle.is_grad_enabled()
    with pytest.raises(KeyError), paddle.no_grad():
        raise KeyError
    assert paddle.is_grad_enabled()


def test_decorator_on_a_function_that_calls_itself():
    @paddle.no_grad()
    def depth(n):
        assert not paddle.is_grad_enabled()
        return 0 if n == 0 else 1 + depth(n - 1)

    assert depth(3) == 3
    assert paddle.is_grad_enabled()


def test_decorated_generator_sets_the_mode_only_inside():
    @paddle.no_grad()
    def numbers():
        for number in range(2):
            got = yield number, paddle.is_grad_enabled()
            assert got is None or got == "sent"
        return "end"

    generator = numbers()
    assert next(generator) == (0, False)
    assert paddle.is_grad_enabled()
    assert generator.send("sent") == (1, False)
    with pytest.raises(StopIteration) as stop:
        next(generator)
    assert stop.value.value == "end"


def test_set_grad_enabled_as_statement_and_context():
    paddle.set_grad_enabled(False)
    assert not paddle.is_grad_enabled()
    paddle.set_grad_enabled(True)
    with paddle.set_grad_enabled(False):
        assert not paddle.is_grad_enabled()
    assert paddle.is_grad_enabled()


def test_a_new_thread_starts_with_recording_on():
    seen = []
    with paddle.no_grad():
        thread = threading.Thread(target=lambda: seen.append(paddle.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


def test_nothing_is_recorded_under_no_grad():
    x = paddle.to_tensor([1.0], stop_gradient=False)
    with paddle.no_grad():
        y = x * 2
        z = paddle.to_tensor([1.0], stop_gradient=False)
    assert y.stop_gradient
    assert y.is_leaf
    assert y.grad_fn is None
    assert not z.stop_gradient
