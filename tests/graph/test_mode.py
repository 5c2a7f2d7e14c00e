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


@pytest.mark.parametrize(
    ("decorate", "inside"),
    [(paddle.no_grad, False), (paddle.enable_grad, True), (paddle.inference_mode, False)],
)
def test_decorators_work_with_and_without_parentheses(decorate, inside):
    @decorate
    def bare(number, *, power=1):
        """Says what it sees."""
        return number**power, paddle.is_grad_enabled()

    @decorate()
    def called(number):
        yield number, paddle.is_grad_enabled()

    assert bare(3, power=2) == (9, inside)
    assert (bare.__name__, bare.__doc__) == ("bare", "Says what it sees.")
    assert list(called(3)) == [(3, inside)]
    assert paddle.is_grad_enabled()


@pytest.mark.parametrize("context", [paddle.no_grad(), paddle.set_grad_enabled(True)])
def test_only_what_can_be_called_is_decorated(context):
    with pytest.raises(TypeError, match=r"decorates a function or a generator, but got 3\."):
        context(3)
    with pytest.raises(TypeError, match=r"decorates a function or a generator, but got 3\."):
        type(context)(3)(3)


def test_a_closed_generator_cleans_up_in_its_mode():
    seen = []

    @paddle.no_grad()
    def numbers():
        try:
            yield 1
        finally:
            seen.append(paddle.is_grad_enabled())

    generator = numbers()
    next(generator)
    generator.close()
    assert seen == [False]
    assert paddle.is_grad_enabled()


def test_inference_mode_is_not_turned_off_by_enable_grad():
    x = paddle.to_tensor([1.0], stop_gradient=False)
    with paddle.inference_mode():
        assert paddle.is_inference_mode_enabled()
        with paddle.enable_grad():
            assert not paddle.is_grad_enabled()
            assert (x * 2).stop_gradient
        paddle.set_grad_enabled(True)
        assert (x * 2).stop_gradient
        with paddle.set_grad_enabled(True):
            assert (x * 2).stop_gradient
        assert paddle.is_inference_mode_enabled()
    assert not paddle.is_inference_mode_enabled()
    assert not (x * 2).stop_gradient


def test_inference_mode_false_leaves_it_and_changes_nothing_outside():
    x = paddle.to_tensor([1.0], stop_gradient=False)
    with paddle.inference_mode(), paddle.inference_mode(mode=False):
        assert not paddle.is_inference_mode_enabled()
        assert not (x * 2).stop_gradient
    with paddle.no_grad(), paddle.inference_mode(False):
        assert (x * 2).stop_gradient
    with paddle.inference_mode(False):
        assert not (x * 2).stop_gradient
    assert paddle.is_grad_enabled()


def test_inference_mode_puts_back_what_was_there_after_an_error():
    with paddle.no_grad():
        with pytest.raises(KeyError), paddle.inference_mode():
            raise KeyError
        assert not paddle.is_grad_enabled()
        assert not paddle.is_inference_mode_enabled()


def test_tensors_of_inference_mode_are_ordinary_ones():
    weight = paddle.to_tensor([3.0], stop_gradient=False)
    with paddle.inference_mode():
        made = weight * 2
        assert made.stop_gradient
        made.add_(paddle.to_tensor([1.0]))
    assert made.inplace_version == 1
    made.add_(paddle.to_tensor([1.0]))
    (weight * made).sum().backward()  # multiply saves it
    assert weight.grad.tolist() == [8.0]
    made.stop_gradient = False
    (made * made).sum().backward()
    assert made.grad.tolist() == [16.0]


def test_backward_runs_in_inference_mode_on_what_was_recorded_before():
    x = paddle.to_tensor([3.0], stop_gradient=False)
    y = x * x
    with paddle.inference_mode():
        y.backward()
    assert x.grad.tolist() == [6.0]


def test_inference_mode_says_what_it_takes():
    with pytest.raises(TypeError, match="takes True, False or the function to decorate, but got i"):
        paddle.inference_mode(1)
    assert paddle.autograd.inference_mode is paddle.inference_mode


def test_inference_mode_belongs_to_the_thread():
    seen = []
    with paddle.inference_mode():
        look = lambda: seen.append((paddle.is_inference_mode_enabled(), paddle.is_grad_enabled()))  # noqa: E731
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    assert seen == [(False, True)]
