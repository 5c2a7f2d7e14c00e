"""Models placed by parallelize on 8 devices, against one device; run by test_parallelize.py."""

import warnings

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import distributed as dist
from jaxeager import nn
from jaxeager.distributed.auto_parallel.intermediate import parallelize as module
from jaxeager.distributed.auto_parallel.intermediate.tensor_parallel import PlanBase
from tests.distributed.auto_parallel.intermediate import small_llama
from tests.support.on_devices import deep

S0, S1, S2, R = dist.Shard(0), dist.Shard(1), dist.Shard(2), dist.Replicate()


def grid():
    return dist.ProcessMesh(np.arange(8).reshape(2, 4), dim_names=["dp", "mp"])


def mlp():
    return nn.Sequential(
        ("up", nn.Linear(8, 16)), ("act", nn.GELU()), ("down", nn.Linear(16, 8)),
    )  # fmt: skip


def rows(*shape):
    return paddle.to_tensor(np.random.default_rng(0).normal(size=shape).astype("float32"))


def pairs():
    return rows(8, 8), rows(8, 8) * 0.5


def tokens():
    drawn = np.random.default_rng(1).integers(
        0, small_llama.VOCAB, [2, small_llama.BATCH, small_llama.SEQUENCE]
    )
    return paddle.to_tensor(drawn[0]), paddle.to_tensor(drawn[1])


class Run:
    """Two steps of training, on one device or as a configuration says."""

    def __init__(self, make, batch, loss, config=None, steps=2, prepare=None):
        paddle.seed(3)
        self.net = make()
        clip = nn.ClipGradByGlobalNorm(0.5)
        self.opt = paddle.optimizer.AdamW(0.01, parameters=self.net.parameters(), grad_clip=clip)
        batch = batch()
        if config is not None:
            before = [id(param) for param in self.net.parameters()]
            self.net, self.opt = dist.parallelize(self.net, self.opt, grid(), config)
            assert [id(param) for param in self.net.parameters()] == before
            batch = [dist.shard_tensor(each, grid(), [S0]) for each in batch]
        call = self.net if prepare is None else prepare(self.net)
        self.losses = []
        for _ in range(steps):
            out = loss(call(batch[0]), batch[1])
            out.backward()
            self.grads = [param.grad for param in self.net.parameters()]
            self.opt.step()
            self.opt.clear_grad()
            self.losses.append(out.item())

    def moments(self, param):
        return [each for each in self.opt._state.slots(param) if list(each.shape) == param.shape]


def assert_same(run, plain):
    np.testing.assert_allclose(run.losses, plain.losses, rtol=2e-5)
    assert plain.losses[0] > plain.losses[-1]
    names = [name for name, _ in plain.net.named_parameters()]
    for name, a, b in zip(names, run.grads, plain.grads, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-3, atol=2e-6, err_msg=name)
    for a, b in zip(run.net.parameters(), plain.net.parameters(), strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-3, atol=2e-5, err_msg=b.name)


def assert_placed(tensor, placements, count=8):
    """Check placements, and that the array really has parts of that shape on all devices."""
    assert tensor.placements == placements, (tensor.name, tensor.placements)
    array = tensor._array
    assert len(array.sharding.device_set) == count
    shape = list(tensor.shape)
    for each, size in zip(placements, grid().shape, strict=True):
        if each.is_shard():
            shape[each.get_dim()] //= size
    assert {each.data.shape for each in array.addressable_shards} == {tuple(shape)}
    assert len(array.addressable_shards) == count


def squares(out, wanted):
    return ((out - wanted) ** 2).mean()


def mp(plan):
    return {"mp_config": {"parallelize_plan": plan}}


def seen(layer, sink, inputs=False):
    """Keep what a layer returns, or takes, at each call, as the layers after the plan's hooks."""
    if inputs:
        layer.register_forward_pre_hook(lambda _, given: sink.append(given[0]))
    else:
        layer.register_forward_post_hook(lambda _, __, output: sink.append(output))


def check_columns_then_rows():
    plain = Run(mlp, pairs, squares)
    plan = {"up": dist.ColWiseParallel(), "down": dist.RowWiseParallel()}
    found = []

    def watched(net):
        seen(net.up, found)
        seen(net.down, found)
        return net

    run = Run(mlp, pairs, squares, mp(plan), prepare=watched)
    assert_same(run, plain)
    up, down = run.net.up, run.net.down
    wanted = [[R, S1], [R, S0], [R, S0], [R, R]]
    for param, grad, placements in zip(
        (up.weight, up.bias, down.weight, down.bias), run.grads, wanted, strict=True
    ):
        assert_placed(param, placements)
        assert_placed(grad, placements)
        assert len(run.moments(param)) == 2
        for moment in run.moments(param):
            assert_placed(moment, placements)
    assert_placed(found[0], [S0, S1])
    assert found[1].placements[0] == S0


def check_whole_inputs_and_outputs():
    plain = Run(mlp, pairs, squares)
    plan = {
        "up": dist.ColWiseParallel(gather_output=True),
        "down": dist.RowWiseParallel(is_input_parallel=False),
    }
    found = []

    def watched(net):
        seen(net.act, found, inputs=True)
        seen(net.down, found, inputs=True)
        return net

    run = Run(mlp, pairs, squares, mp(plan), prepare=watched)
    assert_same(run, plain)
    assert_placed(found[0], [S0, R])
    assert_placed(found[1], [S0, S1])


def check_levels_of_sharding():
    plain = Run(mlp, pairs, squares)
    plan = {"up": dist.ColWiseParallel(), "down": dist.RowWiseParallel()}
    for level, text in ((0, "0"), (1, "1"), (2, "2"), (3, "3")):
        config = {"dp_config": {"sharding_level": text if level % 2 else level}, **mp(plan)}
        run = Run(mlp, pairs, squares, config)
        assert_same(run, plain)
        whole, divided = [R, S1], [S0, S1]
        weight = run.net.up.weight
        assert_placed(weight, divided if level > 2 else whole)
        assert_placed(run.grads[0], divided if level > 1 else whole)
        for moment in run.moments(weight):
            assert_placed(moment, divided if level > 0 else whole)
        rows_first = [S1, S0]
        down = run.net.down.weight
        assert_placed(down, rows_first if level > 2 else [R, S0])
        for moment in run.moments(down):
            assert_placed(moment, rows_first if level > 0 else [R, S0])


def check_data_parallel_alone_along_another_axis():
    plain = Run(mlp, pairs, squares)
    config = {"dp_config": {"sharding_level": 3, "sharding_mesh_dim": "mp"}}
    run = Run(mlp, pairs, squares, config)
    assert_same(run, plain)
    assert_placed(run.net.up.weight, [R, S0])
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        run = Run(mlp, pairs, squares, {"dp_config": {}})
    assert any("no sharding_level" in str(each.message) for each in found)
    assert_same(run, plain)
    assert_placed(run.net.up.weight, [R, R])
    assert_placed(run.grads[0], [R, R])


@deep
def check_a_llama_with_the_plan_of_paddleformers():
    plain = Run(small_llama.Llama, tokens, small_llama.loss_of)
    config = {"dp_config": {"sharding_level": 1}, **mp(small_llama.plan(False))}
    run = Run(small_llama.Llama, tokens, small_llama.loss_of, config)
    assert_same(run, plain)
    assert_llama_placed(run)


def assert_llama_placed(run):
    block = run.net.llama.layers[1]
    for layer in (block.self_attn.q_proj, block.mlp.gate_proj, run.net.lm_head):
        assert_placed(layer.weight, [R, S1])
        for moment in run.moments(layer.weight):
            assert_placed(moment, [S0, S1])
    for layer in (block.self_attn.o_proj, block.mlp.down_proj):
        assert_placed(layer.weight, [R, S0])
        for moment in run.moments(layer.weight):
            assert_placed(moment, [S1, S0])
    assert_placed(run.net.llama.embed_tokens.weight, [R, S1])
    assert_placed(block.input_layernorm.weight, [R, R])


def check_a_llama_with_parts_of_the_sequence():
    plain = Run(small_llama.Llama, tokens, small_llama.loss_of)
    parts, whole, logits = [], [], []

    def watched(net):
        block = net.llama.layers[0]
        seen(block.input_layernorm, parts, inputs=True)
        seen(block.self_attn, parts)
        seen(block.mlp, parts)
        seen(block.self_attn.q_proj, whole, inputs=True)
        seen(block.mlp.gate_proj, whole, inputs=True)
        seen(net.lm_head, logits)
        return net

    config = {"dp_config": {"sharding_level": 2}, **mp(small_llama.plan(True))}
    run = Run(small_llama.Llama, tokens, small_llama.loss_of, config, prepare=watched)
    assert_same(run, plain)
    b, s, h = small_llama.BATCH, small_llama.SEQUENCE, small_llama.HIDDEN
    for each in parts[:3]:
        assert list(each.shape) == [s, b, h]
        assert_placed(each, [S1, S0])
    assert list(whole[0].shape) == [b, s, h]
    assert_placed(whole[0], [S0, R])
    assert list(whole[1].shape) == [s, b, h]
    assert_placed(whole[1], [S1, R])
    assert list(logits[0].shape) == [b, s, small_llama.VOCAB]
    assert_placed(run.grads[0], [S0, S1])


def _compiled(**options):
    return lambda net: paddle.jit.to_static(net, **options)


@deep
def check_a_llama_under_to_static():
    plain = Run(small_llama.Llama, tokens, small_llama.loss_of)
    for options in ({}, {"full_graph": True}):
        config = {"dp_config": {"sharding_level": 1}, **mp(small_llama.plan(True))}
        run = Run(
            small_llama.Llama, tokens, small_llama.loss_of, config, prepare=_compiled(**options)
        )
        assert_same(run, plain)
        assert_llama_placed(run)


@deep
def check_a_llama_in_lazy_mode():
    plain = Run(small_llama.Llama, tokens, small_llama.loss_of)
    paddle.set_flags({"FLAGS_lazy": True})
    try:
        config = {"dp_config": {"sharding_level": 3}, **mp(small_llama.plan(True))}
        run = Run(small_llama.Llama, tokens, small_llama.loss_of, config)
        assert_same(run, plain)
    finally:
        paddle.set_flags({"FLAGS_lazy": False})
    assert_placed(run.net.lm_head.weight, [S0, S1])


@deep
def check_a_llama_whose_steps_are_one_program():
    plain = Run(small_llama.Llama, tokens, small_llama.loss_of)
    config = {"dp_config": {"sharding_level": 2}, **mp(small_llama.plan(True))}
    run = Run(small_llama.Llama, tokens, small_llama.loss_of, config, steps=0)
    batch = [dist.shard_tensor(each, grid(), [S0]) for each in tokens()]
    model = dist.to_static(run.net, None, small_llama.loss_of, run.opt)
    losses = [model(*batch).item() for _ in range(2)]
    np.testing.assert_allclose(losses, plain.losses, rtol=2e-5)
    assert_placed(run.net.llama.layers[0].mlp.up_proj.weight, [R, S1])


def check_names_of_plans():
    def placed(plan):
        net = nn.Sequential(("a", mlp()), ("b", mlp()), ("head", small_llama.Head()))
        net, none = dist.parallelize(net, None, grid(), mp(plan))
        assert none is None
        return {name for name, each in net.named_parameters() if each.placements != [R, R]}

    column, row = dist.ColWiseParallel, dist.RowWiseParallel
    assert placed({"a.up": column()}) == {"a.up.weight", "a.up.bias"}
    assert placed({"*.up".replace("*", ".*"): column()}) == {
        "a.up.weight", "a.up.bias", "b.up.weight", "b.up.bias",
    }  # fmt: skip
    assert placed({"a.up.weight": column()}) == {"a.up.weight"}
    assert placed({"[ab].down.bias": column()}) == {"a.down.bias", "b.down.bias"}
    assert placed({"b.down": [row(), dist.PrepareLayerInput(lambda process_mesh: print)]}) == {
        "b.down.weight"
    }
    assert placed({"head": column()}) == {"head.weight"}
    assert placed({"a": row(), "a.dow": row(), "b.down": row()}) == {"b.down.weight"}
    # the first plan of a parameter holds
    net, _ = dist.parallelize(mlp(), None, grid(), mp({"up": [row(), column()]}))
    assert net.up.weight.placements == [R, S0]
    assert net.up.bias.placements == [R, S0]
    with pytest.warns(UserWarning, match=r"No layer of Sequential .*\['ap', 'upp'\]"):
        dist.parallelize(mlp(), None, grid(), mp({"upp": column(), "ap": row()}))


def check_hooks_of_users_and_their_own_plans():
    given = []

    def doubled(process_mesh):
        given.append(process_mesh)
        return lambda layer, inputs: (inputs[0] * 2.0,)

    def halved(process_mesh):
        return lambda layer, inputs, output: output / 2.0

    class Rows(PlanBase):
        def apply(self, layer, process_mesh, shard_param_list):
            assert shard_param_list == []
            return {"weight": [dist.Shard(0), dist.Replicate()]}

    plan = {
        "up": [dist.PrepareLayerInput(doubled), Rows(), dist.PrepareLayerOutput(halved)],
        "down": dist.RowWiseParallel(),
    }
    paddle.seed(3)
    plain = mlp()
    paddle.seed(3)
    net, _ = dist.parallelize(mlp(), None, grid(), mp(plan))
    assert given == [grid()]
    assert_placed(net.up.weight, [S0, R])
    x = rows(8, 8)
    wanted = plain.down(plain.act(plain.up(x * 2.0) / 2.0))
    np.testing.assert_allclose(net(x).numpy(), wanted.numpy(), rtol=1e-4, atol=1e-6)


def check_one_layer_on_parts_of_the_sequence():
    found = []

    def make():
        return nn.Sequential(("norm", nn.LayerNorm(8)), ("down", nn.Linear(8, 8)))

    def batch():
        return rows(4, 8, 8), rows(4, 8, 8) * 0.5

    def watched(net):
        seen(net.norm, found, inputs=True)
        seen(net.down, found, inputs=True)
        return net

    plain = Run(make, batch, squares)
    config = mp({"norm": dist.SequenceParallelEnable()})
    run = Run(make, batch, squares, config, prepare=watched)
    assert_same(run, plain)
    assert_placed(found[0], [S1, S0])
    assert_placed(found[1], [S0, R])


def check_a_convolution_over_its_width():
    for layout, axis in (("NCHW", 3), ("NHWC", 2)):
        paddle.seed(3)
        plain = nn.Conv2D(3, 4, 3, padding=1, data_format=layout)
        net = nn.Sequential(("conv", plain.__class__(3, 4, 3, padding=1, data_format=layout)))
        net.set_state_dict({f"conv.{name}": each for name, each in plain.state_dict().items()})
        net, _ = dist.parallelize(net, None, grid(), mp({"conv": dist.ConvParallel()}))
        found = []
        seen(net.conv, found, inputs=True)
        x = rows(2, 3, 8, 8) if layout == "NCHW" else rows(2, 8, 8, 3)
        np.testing.assert_allclose(net(x).numpy(), plain(x).numpy(), rtol=1e-4, atol=1e-5)
        assert found[0].placements[1] == dist.Shard(axis)
        odd = x[:, :, :, :7] if layout == "NCHW" else x[:, :, :7]
        np.testing.assert_allclose(net(odd).numpy(), plain(odd).numpy(), rtol=1e-4, atol=1e-5)
        assert found[1].placements is None or found[1].placements[1] == R


class Tied(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(16, 8)
        self.head = nn.Linear(8, 16, bias_attr=False)
        self.head.weight = self.embed.weight
        self.head.forward = lambda x: x @ self.embed.weight.T

    def forward(self, ids):
        return self.head(self.embed(ids))


def check_layers_that_share_a_parameter():
    def batch():
        ids = np.random.default_rng(2).integers(0, 16, [2, 8])
        return paddle.to_tensor(ids[0]), paddle.to_tensor(ids[1])

    def loss(logits, labels):
        return nn.functional.cross_entropy(logits, labels)

    plain = Run(Tied, batch, loss)
    plan = {"embed": dist.ColWiseParallel(), "head": dist.ColWiseParallel()}
    run = Run(Tied, batch, loss, {"dp_config": {"sharding_level": 1}, **mp(plan)})
    assert_same(run, plain)
    assert run.net.head.weight is run.net.embed.weight
    assert_placed(run.net.embed.weight, [R, S1])


def check_model_first_then_optimizer():
    plain = Run(mlp, pairs, squares)
    config = {"dp_config": {"sharding_level": 2}, **mp({"up": dist.ColWiseParallel()})}
    paddle.seed(3)
    net = module.parallelize_model(mlp(), grid(), config)
    adam = paddle.optimizer.AdamW(
        0.01, parameters=net.parameters(), grad_clip=nn.ClipGradByGlobalNorm(0.5)
    )
    adam = module.parallelize_optimizer(adam, None, config)
    x, y = (dist.shard_tensor(each, grid(), [S0]) for each in pairs())
    for wanted in plain.losses:
        loss = squares(net(x), y)
        loss.backward()
        assert_placed(net.up.weight.grad, [S0, S1])
        adam.step()
        adam.clear_grad()
        assert abs(loss.item() - wanted) < 1e-5


def check_pipelines():
    mesh = dist.ProcessMesh(np.arange(8).reshape(2, 2, 2), dim_names=["pp", "dp", "mp"])
    config = {"pp_config": {"split_spec": "layers"}}
    net = nn.Sequential(("layers", nn.LayerList([nn.Linear(4, 4) for _ in range(4)])))
    with pytest.raises(NotImplementedError, match="pp_config over 2 stages is not supported"):
        dist.parallelize(net, None, mesh, config)
    assert not any(each.is_dist() for each in net.parameters())
    one = dist.ProcessMesh(np.arange(8).reshape(1, 2, 4), dim_names=["pp", "dp", "mp"])
    config |= mp({"layers.*": dist.ColWiseParallel()})
    dist.set_mesh(one)
    net, _ = dist.parallelize(net, None, None, config)
    assert_placed(net.layers[0].weight, [R, S1])


def check_parts_that_are_not_equal():
    with pytest.raises(ValueError, match="cannot be divided over 4 devices"):
        dist.parallelize(
            nn.Sequential(nn.Linear(4, 6)), None, grid(), mp({"0": dist.ColWiseParallel()})
        )
    net = nn.Sequential(nn.Identity())
    net, _ = dist.parallelize(net, None, grid(), mp({"0": dist.SequenceParallelBegin()}))
    with pytest.raises(AssertionError, match="three axes"):
        net(rows(4, 4))
    with pytest.raises(ValueError, match="cannot be divided over 4 devices"):
        net(rows(4, 6, 4))
