"""parallelize: checks on 8 devices in a separate process, and wrong input in this one."""

import re
import warnings

import pytest

import jaxeager as paddle
from jaxeager import distributed as dist
from jaxeager import nn
from jaxeager.distributed.auto_parallel.intermediate.parallelize import (
    parallelize_model,
    parallelize_optimizer,
)
from jaxeager.distributed.mesh import placements
from tests.support.on_devices import names_of, outcome

MODULE = "tests.distributed.auto_parallel.intermediate.checks_of_parallelize"


@pytest.mark.parametrize("name", names_of(MODULE))
def test_on_eight_devices(name):
    error = outcome(MODULE, name)
    assert not error, error


@pytest.fixture(autouse=True)
def no_mesh(monkeypatch):
    monkeypatch.setattr(placements, "_mesh", [])


def mesh(*names):
    return dist.ProcessMesh(None, list(names), [1] * len(names), [0])


def net():
    return nn.Sequential(nn.Linear(4, 4), nn.Conv2D(1, 1, 1))


def adam(layer):
    return paddle.optimizer.AdamW(parameters=layer.parameters())


def mp(plan):
    return {"mp_config": {"parallelize_plan": plan}}


def dp(**config):
    return {"dp_config": config}


def pp(**config):
    return {"pp_config": config}


COLUMN, DM, PDM = dist.ColWiseParallel(), ("dp", "mp"), ("pp", "dp", "mp")

# As in real Paddle 3.3.1: every AssertionError and ValueError, and re.error.
WRONG = [
    ((), mp({"0": COLUMN}), AssertionError, "There is no mesh"),
    ((), dp(sharding_level=0), AssertionError, "There is no mesh"),
    (DM, [], AssertionError, "config of parallelize is a dict, but received list"),
    (DM, mp({0: COLUMN}), AssertionError, "is a str, but received 0"),
    (DM, mp({"0": "col"}), AssertionError, r"parallelize_plan\['0'\] .* received 'col'"),
    (DM, mp({"0": [COLUMN, 1]}), AssertionError, "received 1"),
    (DM, mp({"0": (COLUMN,)}), AssertionError, "or a list of them"),
    (DM, mp([COLUMN]), AssertionError, "parallelize_plan is a dict .* received list"),
    (DM, {"mp_config": []}, AssertionError, "mp_config is a dict, but received list"),
    (DM, mp({"1": COLUMN}), ValueError, r"weight of Conv2D has the shape \[1, 1, 1, 1\]"),
    (DM, mp({"*0": COLUMN}), re.error, "nothing to repeat"),
    (("dp",), mp({"0": COLUMN}), AssertionError, r"an axis 'mp', but it has \['dp'\]"),
    (("mp",), dp(sharding_level=0), AssertionError, r"an axis 'dp', but it has \['mp'\]"),
    (DM, dp(sharding_level=1, sharding_mesh_dim="z"), AssertionError, "received 'z'"),
    (DM, dp(offload=True), NotImplementedError, "offload of dp_config is not supported"),
    (DM, dp(exclude_layer=["a"]), NotImplementedError, "exclude_layer of dp_config"),
    (DM, {"cp_config": {}}, NotImplementedError, "cp_config is not supported"),
    (DM, pp(split_spec="0"), AssertionError, "an axis 'pp'"),
    (PDM, pp(split_spec="z"), AssertionError, "is for 0 layers"),
    (PDM, pp(split_spec={"z": dist.SplitPoint.END}), AssertionError, "names the layer 'z'"),
    (PDM, pp(split_spec={"0": dist.SplitPoint.BEGINNING}), AssertionError, "SplitPoint.END"),
    (PDM, pp(split_spec={"0": dist.SplitPoint.END}), AssertionError, "1 stages need 0"),
    (PDM, pp(split_spec=["0", "1"], global_spec=3), AssertionError, "global_spec is the name"),
    *[
        (DM, dp(sharding_level=level), AssertionError, f"but received {level!r}")
        for level in (4, "4", -1, 1.0, True, "x")
    ],
]  # fmt: skip


@pytest.mark.parametrize(("names", "config", "error", "words"), WRONG)
def test_wrong_configurations(names, config, error, words):
    layer = net()
    with pytest.raises(error, match=words):
        dist.parallelize(layer, adam(layer), mesh(*names) if names else None, config)
    assert not layer[0].weight.is_dist()


def test_wrong_objects():
    config = mp({"0": COLUMN})
    with pytest.raises(AssertionError, match="takes a Layer, but received int"):
        dist.parallelize(3, None, mesh(*DM), config)
    with pytest.raises(AssertionError, match="takes an optimizer, but received int"):
        dist.parallelize(net(), 3, mesh(*DM), config)
    with pytest.raises(AssertionError, match="is a ProcessMesh, but received list"):
        dist.parallelize(net(), None, [0], config)
    for plan in (dist.PrepareLayerInput, dist.PrepareLayerOutput):
        for fn in (None, 3):
            with pytest.raises(AssertionError, match=f"{plan.__name__} takes a function"):
                plan(fn)
    with pytest.raises(AssertionError, match="are not on a mesh"):
        parallelize_optimizer(adam(net()), mesh(*DM), dp(sharding_level=1))
    layer = parallelize_model(net(), mesh(*DM), config)
    with pytest.raises(AssertionError, match="takes an optimizer, but received int"):
        parallelize_optimizer(3, None, dp(sharding_level=1))
    assert isinstance(
        parallelize_optimizer(adam(layer), None, dp(sharding_level=3)), paddle.optimizer.AdamW
    )


def test_a_call_without_a_plan_warns_that_it_does_nothing(caplog):
    layer = net()
    optimizer = adam(layer)
    for function, given in (
        (dist.parallelize, (layer, optimizer)),
        (parallelize_model, (layer,)),
        (parallelize_optimizer, (optimizer,)),
    ):
        with pytest.warns(UserWarning, match=f"{function.__name__} does nothing"):
            function(*given)
    for config in ({}, {"mp_config": {}}, {"pp_config": {}}):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert dist.parallelize(layer, optimizer, mesh(*DM), config) == (layer, optimizer)
        assert "no part that does anything" in caplog.text
        caplog.clear()
    assert not layer[0].weight.is_dist()
    with pytest.warns(UserWarning, match=r"replaces that of set_mesh"):
        dist.parallelize(layer, None, mesh(*PDM), {})
    assert dist.get_mesh().dim_names == [*PDM]


def test_layers_that_no_plan_is_made_for_are_logged(caplog):
    layer = nn.Sequential(nn.LayerNorm(4))
    dist.parallelize(layer, None, mesh(*DM), mp({"0": dist.ColWiseParallel()}))
    assert "made for Linear and Embedding, but is applied to LayerNorm" in caplog.text
    assert layer[0].weight.placements == [dist.Replicate(), dist.Shard(0)]
