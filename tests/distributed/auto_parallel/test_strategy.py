import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import distributed as dist


def test_defaults_and_given_values():
    strategy = dist.Strategy()
    assert strategy.to_dict()["pipeline"]["program_runtimes"] == [61, 72, 71, 34, 3]
    assert (strategy.full_graph, strategy.seed, strategy.amp.level) == (True, None, "o1")
    assert strategy.get("seed", 3) is None
    assert (strategy.get("other", 3), strategy.sharding.get("stage")) == (3, 1)
    strategy.amp.custom_white_list.append("matmul")
    assert dist.Strategy().amp.custom_white_list == []
    config = {"sharding": {"enable": True, "other": 1}, "other": 3, "full_graph": False, "seed": 5}
    strategy = dist.Strategy(config)
    assert (strategy.sharding.enable, strategy.full_graph, strategy.seed) == (True, False, 5)
    assert not hasattr(strategy, "other")
    assert not hasattr(strategy.sharding, "other")
    assert "'enable': True, 'stage': 1" in repr(strategy.sharding)
    assert dist.fleet.auto.Strategy is dist.Strategy


@pytest.mark.parametrize("config", [[], "a", 3, {"sharding": 3}, {"fused_passes": {"z": 1}}])
def test_wrong_settings(config):
    with pytest.raises(ValueError, match="received"):
        dist.Strategy(config)


def test_to_static_refuses_passes_that_change_results():
    net = paddle.nn.Linear(2, 1)
    for name in ("amp", "gradient_merge", "qat"):
        strategy = dist.Strategy({name: {"enable": True}})
        with pytest.raises(NotImplementedError, match=f"strategy.{name} is not supported"):
            dist.to_static(net, strategy=strategy)
    model = dist.to_static(net, strategy=dist.Strategy({"sharding": {"enable": True}}))
    x = paddle.ones([1, 2])
    np.testing.assert_allclose(model(x).numpy(), net(x).numpy(), rtol=1e-6)
