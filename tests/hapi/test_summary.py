"""summary and flops: the counts, and that the network is left unchanged."""

import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.errors import InvalidArgumentError


def test_the_network_is_left_as_it_was(capsys):
    net = nn.Sequential(nn.Linear(3, 2), nn.Dropout(0.5))
    paddle.summary(net, (1, 3))
    paddle.flops(net, [1, 3])
    assert net.training
    assert net[1].training
    assert not any(layer._forward_post_hooks for layer in [net, *net.sublayers()])
    assert list(net.state_dict()) == ["0.weight", "0.bias"]
    assert not hasattr(net[0], "total_ops")


def test_the_network_is_left_as_it_was_after_an_error():
    net = nn.Sequential(nn.Linear(3, 2))
    for call in (lambda: paddle.summary(net, (1, 4)), lambda: paddle.flops(net, [1, 4])):
        with pytest.raises(InvalidArgumentError):
            call()
    assert net.training
    assert not net[0]._forward_post_hooks
    assert not hasattr(net[0], "total_ops")


def test_frozen_parameters_are_not_trainable(capsys):
    net = nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 2))
    net[0].weight.stop_gradient = True
    assert paddle.summary(net, (1, 3)) == {"total_params": 14, "trainable_params": 8}
    out = capsys.readouterr().out
    assert "Non-trainable params: 6" in out
    assert "Trainable params: 8" in out


def test_a_fused_layer_has_a_line_and_a_projected_one_its_cells(capsys):
    assert paddle.summary(nn.LSTM(3, 4), (1, 5, 3))["total_params"] == 144
    assert "LSTM-" in capsys.readouterr().out
    paddle.summary(nn.LSTM(3, 4, proj_size=2), (1, 5, 3))
    out = capsys.readouterr().out
    assert "LSTMCell-" in out
    assert " LSTM-" not in out


def test_sizes_are_checked():
    net = nn.Linear(2, 2)
    for size, text in (
        ((None, None), "only the dim of batch_size"),
        ((0, 2), "greater than zero, but got 0"),
        (None, "cannot be None at the same time"),
    ):
        with pytest.raises(InvalidArgumentError, match=text):
            paddle.summary(net, size)
    with pytest.raises(AssertionError, match="expect item in input_size is a tuple"):
        paddle.summary(net, [3.5])


def test_flops_of_layers(capsys):
    net = nn.Sequential(
        nn.Conv2D(2, 4, 3, groups=2), nn.BatchNorm2D(4), nn.LeakyReLU(),
        nn.AdaptiveAvgPool2D(2), nn.AvgPool2D(2), nn.Flatten(), nn.Linear(4, 3),
    )  # fmt: skip
    counts = [144 * (9 + 1), 144 * 2, 144, 16 * (9 + 1), 4, 0, 3 * 4]
    assert paddle.flops(net, [1, 2, 8, 8], print_detail=True) == sum(counts)
    rows = [line.split("|") for line in capsys.readouterr().out.split("\n") if "|" in line]
    assert [int(row[5]) for row in rows[1:]] == counts
    assert rows[0][1].strip() == "Layer Name"


def test_flops_warns_of_a_network_that_is_no_layer():
    with pytest.warns(UserWarning, match="must be an instance of paddle.nn.Layer, but is a str"):
        assert paddle.flops("net", [1]) == -1


def test_a_single_layer_counts_as_nothing_below_it(capsys):
    assert paddle.flops(nn.Linear(3, 2), [1, 3]) == 0
