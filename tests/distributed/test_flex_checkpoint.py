"""flex_checkpoint: parts of tensors and their records, on one process."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.distributed import build_sharded_state_dict, flex_checkpoint
from jaxeager.distributed.fleet.base import topology
from jaxeager.distributed.fleet.meta_parallel.zero_bubble_utils import WeightGradStore
from jaxeager.distributed.fleet.utils import hybrid_parallel_util

dcp = flex_checkpoint.dcp
Part = dcp.sharded_weight.ShardedWeight


@pytest.fixture(autouse=True)
def _no_groups_are_left():
    yield
    if not paddle.distributed.is_initialized():
        paddle.distributed.init_parallel_env()
    paddle.distributed.destroy_process_group()


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.a, self.b = paddle.nn.Linear(2, 3), paddle.nn.BatchNorm1D(3)
        self.register_buffer("apart", paddle.zeros([1]), persistable=False)

    def forward(self, x):
        return self.b(self.a(x))


def test_every_tensor_of_the_state_has_its_place():
    net = Net()
    parts = net.sharded_state_dict("net.")
    assert [*parts] == ["net." + name for name in net.state_dict()]
    weight = parts["net.a.weight"]
    assert weight.local_tensor is net.a.weight
    assert (weight.key, weight.local_shape, weight.global_shape, weight.global_offset) == (
        "net.a.weight", (2, 3), (2, 3), (0, 0),
    )  # fmt: skip
    assert (weight.is_flattened, weight.flattened_range) == (False, None)


def test_accumulators_are_where_their_weights_are():
    layer = paddle.nn.Linear(2, 3)
    adamw = paddle.optimizer.AdamW(parameters=layer.parameters())
    layer(paddle.ones([2, 2])).sum().backward()
    adamw.step()
    parts = adamw.sharded_state_dict(layer.sharded_state_dict())
    kinds = ("beta1_pow_acc_0", "beta2_pow_acc_0", "moment1_0", "moment2_0")
    assert sorted(parts) == [f"{name}.{kind}" for name in ("bias", "weight") for kind in kinds]
    assert parts["weight.moment1_0"].global_shape == (2, 3)
    assert parts["weight.beta1_pow_acc_0"].global_shape == (1,)
    with pytest.raises(RuntimeError, match="no weight of that name is in the model's state dict"):
        adamw.sharded_state_dict({})


def test_masters_are_parts_too():
    layer = paddle.nn.Linear(2, 3, bias_attr=False).bfloat16()
    adamw = paddle.optimizer.AdamW(parameters=layer.parameters(), multi_precision=True, name="slow")
    layer(paddle.ones([2, 2], "bfloat16")).sum().backward()
    adamw.step()
    parts = adamw.sharded_state_dict(layer.sharded_state_dict())
    assert parts["weight.w_0"].local_tensor.dtype == paddle.float32
    assert parts["weight.moment2_0"].local_shape == (2, 3)


def test_an_axis_is_joined_over_a_group():
    group = paddle.distributed.new_group()
    part = dcp.sharded_weight.shard_weight("w", paddle.ones([2, 3]), 1, group)
    assert (part.global_shape, part.global_offset) == ((2, 3), (0, 0))
    for axis in (-1, 2):
        with pytest.raises(ValueError, match=f"axis {axis} is invalid for a tensor of shape"):
            dcp.sharded_weight.shard_weight("w", paddle.ones([2, 3]), axis, group)


def test_rules_need_the_processes_along_model(monkeypatch):
    monkeypatch.setattr(topology, "_HYBRID_PARALLEL_GROUP", None)
    with pytest.raises(RuntimeError, match=r"w: .*Call paddle.distributed.fleet.init\(\) first"):
        build_sharded_state_dict({"w": paddle.ones([2])}, {"w": 0})
    paddle.distributed.fleet.init(is_collective=True)
    try:
        part = build_sharded_state_dict({"w": paddle.ones([2])}, {"w": 0}, "x.")["x.w"]
    finally:
        paddle.distributed.destroy_process_group()
    assert (part.key, part.global_shape, part.global_offset) == ("x.w", (2,), (0,))


def test_other_values_at_a_place_have_its_shape():
    rows = Part("w", paddle.ones([2, 3]), (2, 3), (4, 3), (2, 0))
    made = dcp.sharded_weight.create_sharded_weight_with_new_local("m", paddle.zeros([2, 3]), rows)
    assert (made.key, made.global_shape, made.global_offset) == ("m", (4, 3), (2, 0))
    assert "global_offset=(2, 0)" in str(made)
    with pytest.raises(ValueError, match=r"shape \[3\].*part of w has shape \[2, 3\]"):
        dcp.sharded_weight.create_sharded_weight_with_new_local("m", paddle.zeros([3]), rows)


def test_nested_dicts_and_names_with_dots():
    part = build_sharded_state_dict({"w": paddle.ones([1])})["w"]
    nested = {"a": {"b": paddle.ones([1])}, "c": part}
    flat, keys = dcp.utils.flatten_state_dict(nested)
    assert keys == {"a.b": ("a", "b"), "c": ("c",)}
    assert dcp.utils.unflatten_state_dict(flat, keys) == nested
    with pytest.raises(ValueError, match="a: a state dict has tensors and dicts of them, not 1"):
        dcp.utils.flatten_state_dict({"a": 1})
    with pytest.raises(AssertionError, match="keys of a state dict are text, not 1"):
        dcp.utils.flatten_state_dict({1: part})


def test_records_of_processes_are_joined_once():
    place = dcp.metadata.LocalTensorMetadata((0,), (1,), "float32")
    same, other = (
        dcp.metadata.LocalTensorMetadata((0,), (1,), "float32"),
        place.__class__((1,), (1,), "float32"),
    )
    assert dcp.utils.merge_state_dict_metadata([{"w": [place]}, {"w": [same, other]}]) == {
        "w": [place, other]
    }
    with pytest.raises(AssertionError, match="should be a list with a dict for each process"):
        dcp.utils.merge_state_dict_metadata({})
    index = dcp.metadata.LocalTensorIndex("w", (0,))
    files = dcp.save_state_dict.dedup_key_in_dict([{index: "0_0.distcp"}, {index: "1_0.distcp"}])
    assert files == {dcp.metadata.LocalTensorIndex("w", (0,)): "0_0.distcp"}


def test_whole_tensors_are_copies_in_order_of_their_names():
    layer = paddle.nn.Linear(2, 3)
    found = dict(layer.full())
    assert [*found] == ["bias", "weight"]
    found["weight"].zero_()
    assert layer.weight.numpy().any()


def test_whole_tensors_need_every_part():
    rows = Part("w", paddle.ones([2, 3]), (2, 3), (4, 3), (2, 0))
    with pytest.raises(ValueError, match="have 6 of the 12 elements of 'w'"):
        list(dcp.full_param.full_param({"w": rows}))
    with pytest.raises(NotImplementedError, match="num_splits=2 is not supported"):
        dcp.full_param.full_param({"w": rows}, num_splits=2)
    rows.is_flattened = True
    with pytest.raises(NotImplementedError, match="flattened parts are not supported: 'w'"):
        dcp.full_param.full_param({"w": rows})


def test_parts_are_joined_at_their_offsets():
    upper, lower = np.ones([1, 2], "f4"), np.full([2, 2], 2, "f4")
    joined = dcp.full_param._joined("w", [((3, 2), (1, 0), lower), ((3, 2), (0, 0), upper)])
    assert joined.tolist() == [[1, 1], [2, 2], [2, 2]]


def test_gradients_are_summed_times_a_factor():
    w, fixed = paddle.nn.Parameter(paddle.ones([2])), paddle.nn.Parameter(paddle.ones([2]))
    (w * 4).sum().backward()
    fixed.trainable = False
    group = paddle.distributed.new_group()
    hybrid_parallel_util.fused_allreduce_gradients_with_group([w, fixed], group, scale=0.25)
    assert w.grad.tolist() == [1, 1]
    hybrid_parallel_util.fused_allreduce_gradients_with_group([w, fixed], group)
    assert w.grad.tolist() == [1, 1]


def test_gradients_of_weights_come_later_in_order():
    done = []
    for number in range(3):
        WeightGradStore.put(lambda number=number: done.append(number))
        if number:
            WeightGradStore.flush()
    WeightGradStore.pop()
    assert done == [0, 1]
    WeightGradStore.clear()
    with pytest.raises(AssertionError, match="it is empty"):
        WeightGradStore.pop()
