"""nn.Layer: forward pre-hooks and post-hooks."""

import pytest

from jaxeager import nn


class Echo(nn.Layer):
    def forward(self, *args, **kwargs):
        return args, kwargs


class Failing(nn.Layer):
    def forward(self, x):
        raise ValueError("forward failed")


@pytest.mark.parametrize(
    ("result", "seen"),
    [(None, (3,)), ((1, 2), (1, 2)), ([1, 2], ([1, 2],)), (5, (5,)), (False, (False,))],
)
def test_a_pre_hook_replaces_the_inputs(result, seen):
    layer = Echo()
    layer.register_forward_pre_hook(lambda layer, inputs: result)
    assert layer(3, key=4) == (seen, {"key": 4})


def test_a_pre_hook_with_kwargs():
    layer, calls = Echo(), []
    layer.register_forward_pre_hook(
        lambda layer, args, kwargs: calls.append((args, kwargs)), with_kwargs=True
    )
    handle = layer.register_forward_pre_hook(
        lambda layer, args, kwargs: ((1,), {"z": 2}), with_kwargs=True
    )
    assert layer(3, key=4) == ((1,), {"z": 2})
    assert calls == [((3,), {"key": 4})]
    handle.remove()
    assert layer(3) == ((3,), {})


@pytest.mark.parametrize("result", [3, [(1,), {}], (1, 2, 3)])
def test_a_pre_hook_with_kwargs_must_return_a_pair(result):
    layer = Echo()
    layer.register_forward_pre_hook(lambda layer, args, kwargs: result, with_kwargs=True)
    with pytest.raises(RuntimeError, match="must return None or a tuple of"):
        layer(3)


def test_post_hooks_replace_the_output_in_order():
    layer, calls = nn.Identity(), []
    layer.register_forward_post_hook(lambda layer, inputs, output: calls.append((inputs, output)))
    layer.register_forward_hook(
        lambda layer, args, kwargs, output: output + len(kwargs), with_kwargs=True
    )
    layer.register_forward_post_hook(lambda layer, inputs, output: output * 10, prepend=True)
    assert layer(input=3) == 31
    assert calls == [((), 30)]


def test_prepended_pre_hooks_run_first():
    layer, order = Echo(), []
    layer.register_forward_pre_hook(lambda layer, inputs: order.append("a"))
    layer.register_forward_pre_hook(lambda layer, inputs: order.append("b"), prepend=True)
    layer()
    assert order == ["b", "a"]


def test_removing_twice_is_harmless_and_does_not_touch_others():
    layer, order = Echo(), []
    first = layer.register_forward_pre_hook(lambda layer, inputs: order.append("first"))
    layer.register_forward_pre_hook(lambda layer, inputs: order.append("second"))
    first.remove()
    first.remove()
    layer()
    assert order == ["second"]


def test_a_hook_may_remove_itself():
    layer, calls = Echo(), []

    def once(layer, inputs):
        calls.append(inputs)
        handle.remove()

    handle = layer.register_forward_pre_hook(once)
    layer(1)
    layer(2)
    assert calls == [(1,)]


def test_always_called_hooks_run_when_forward_raises():
    layer, calls = Failing(), []
    layer.register_forward_post_hook(lambda layer, inputs, output: calls.append("plain"))
    layer.register_forward_post_hook(
        lambda layer, inputs, output: calls.append((inputs, output)), always_call=True
    )
    with pytest.raises(ValueError, match="forward failed"):
        layer(3)
    assert calls == [((3,), None)]


def test_an_always_called_hook_runs_after_another_hook_raised():
    layer, calls = Echo(), []
    layer.register_forward_post_hook(lambda layer, inputs, output: 1 / 0, always_call=True)
    layer.register_forward_post_hook(
        lambda layer, inputs, output: calls.append("other"), always_call=True
    )
    with pytest.raises(ZeroDivisionError):
        layer(3)
    assert calls == ["other"]


def test_the_first_error_wins_and_carries_the_second():
    layer = Failing()
    layer.register_forward_post_hook(lambda layer, inputs, output: 1 / 0, always_call=True)
    with pytest.raises(ValueError, match="forward failed") as caught:
        layer(3)
    assert "ZeroDivisionError" in caught.value.__notes__[0]


def test_a_handle_outlives_its_layer():
    layer = Echo()
    handle = layer.register_forward_pre_hook(lambda layer, inputs: None)
    del layer
    handle.remove()
