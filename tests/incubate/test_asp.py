"""incubate.asp besides parity: decorated optimizers among the rest of the library.

Real Paddle's masks and steps are compared in tests/parity/programs/automatic_sparsity.py and in
tests/programs/sparsity.py.
"""

import copy
import gc
import itertools

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.incubate import asp
from jaxeager.incubate.asp import pruning


def pruned(make=lambda p: paddle.optimizer.SGD(0.1, parameters=p)):
    """Return a pruned layer and its decorated optimizer."""
    net = paddle.nn.Linear(8, 8)
    optimizer = asp.decorate(make(net.parameters()))
    asp.prune_model(net)
    return net, optimizer


def zeros(net):
    return int((net.weight.numpy() == 0).sum())


def test_masked_parameters_go_on_training():
    """Paddle's do not: its second step leaves them as they are."""
    net, optimizer = pruned()
    for _ in range(3):
        before = net.weight.numpy()
        (net(paddle.ones([2, 8])) ** 2).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
        assert not np.array_equal(before, net.weight.numpy())
        assert zeros(net) == 32
        assert not net.weight.stop_gradient
        assert net.weight.is_leaf


def test_groups_of_parameters_a_schedule_and_clipping():
    def make(parameters):
        groups = [{"params": parameters[:1], "learning_rate": 0.5}, {"params": parameters[1:]}]
        rate = paddle.optimizer.lr.StepDecay(0.1, 1)
        return paddle.optimizer.AdamW(
            rate, parameters=groups, grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0)
        )

    net, optimizer = pruned(make)
    net(paddle.ones([2, 8])).sum().backward()
    optimizer.step()
    optimizer._learning_rate.step()
    assert zeros(net) == 32
    assert optimizer.get_lr() == pytest.approx(0.01)


def test_a_scaler_steps_it():
    net, optimizer = pruned()
    scaler = paddle.amp.GradScaler(init_loss_scaling=8.0, use_dynamic_loss_scaling=False)
    scaler.scale(net(paddle.ones([2, 8])).sum()).backward()
    before = net.weight.numpy()
    scaler.step(optimizer)
    scaler.update()
    assert zeros(net) == 32
    np.testing.assert_allclose(before - net.weight.numpy(), (before != 0) * 0.2, rtol=1e-5)


@pytest.mark.parametrize("full_graph", [False, True])
def test_a_captured_step_masks(full_graph):
    net, optimizer = pruned()

    @paddle.jit.to_static(full_graph=full_graph)
    def step(x):
        loss = (net(x) ** 2).sum()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    before = [net.weight.numpy()]
    for _ in range(3):
        step(paddle.ones([2, 8]))
        before.append(net.weight.numpy())
    assert zeros(net) == 32
    assert all(not np.array_equal(*pair) for pair in itertools.pairwise(before))


def test_half_precision():
    net = paddle.nn.Linear(8, 8).bfloat16()
    optimizer = asp.decorate(
        paddle.optimizer.Adam(0.1, parameters=net.parameters(), multi_precision=True)
    )
    mask = asp.prune_model(net)[net.weight.name]
    for _ in range(2):
        net(paddle.ones([2, 8], "bfloat16")).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    assert net.weight.dtype == paddle.bfloat16
    assert np.array_equal(net.weight.astype("float32").numpy() != 0, mask.astype("float32") != 0)


def test_masks_are_freed_with_their_parameters():
    gc.collect()
    before = len(pruning._masks), len(pruning._pruned)
    net, optimizer = pruned()
    assert (len(pruning._masks), len(pruning._pruned)) == (before[0] + 1, before[1] + 1)
    names = set(optimizer.state_dict())
    assert f"{net.weight.name}.asp_mask" in names
    del net, optimizer
    gc.collect()
    assert (len(pruning._masks), len(pruning._pruned)) == before


def test_an_optimizer_has_the_masks_of_its_own_parameters():
    (one, first), (other, second) = pruned(), pruned()
    assert set(first.state_dict()) == {f"{one.weight.name}.asp_mask"}
    first.set_state_dict(first.state_dict())
    with pytest.raises(AssertionError, match=f"The {other.weight.name}.asp_mask is not found"):
        second.set_state_dict(first.state_dict())


def test_a_copy_is_a_wrapper_too():
    _, optimizer = pruned()
    assert type(copy.copy(optimizer)) is asp.OptimizerWithSparsityGuarantee
    assert copy.copy(optimizer).get_lr() == 0.1


def test_a_program_is_refused():
    with pytest.raises(ValueError, match="no programs of static graphs"):
        asp.set_excluded_layers(["linear"], main_program="main")
    with pytest.raises(ValueError, match="no programs of static graphs"):
        asp.reset_excluded_layers("main")


def test_a_block_with_too_many_patterns_is_refused():
    with pytest.raises(ValueError, match="too many patterns with 4"):
        asp.get_mask_2d_best(np.ones((8, 8)), 4, 8)


def test_a_kind_of_layer_is_a_layer_or_a_name():
    with pytest.raises(TypeError, match="a name, a Layer or a class of layers, but is 3"):
        asp.add_supported_layer(3)


def test_a_network_that_is_refused_is_not_pruned():
    decorated, other = paddle.nn.Linear(8, 8), paddle.nn.Linear(8, 8)
    asp.decorate(paddle.optimizer.SGD(0.1, parameters=decorated.parameters()))
    with pytest.raises(AssertionError, match=r"Cannot find .*_mask variable"):
        asp.prune_model(paddle.nn.Sequential(decorated, other))
    assert asp.calculate_density(decorated.weight.numpy()) == 1.0
