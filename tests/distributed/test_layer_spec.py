"""LayerSpec and the layers built from it."""

import pytest

import jaxeager as paddle
from jaxeager.distributed.fleet import meta_parallel as mp


def test_a_spec_is_built_with_its_arguments():
    spec = mp.LayerSpec(("jaxeager.nn", "Linear"), {"in_features": 2, "out_features": 3})
    assert mp.get_spec_layer(spec) is paddle.nn.Linear
    layer = mp.build_spec_layer(spec, out_features=9, bias_attr=False)
    assert (layer.weight.shape, layer.bias) == ([2, 3], None)
    assert repr(spec) == "'jaxeager.nn','Linear',"
    assert mp.build_spec_layer(mp.LayerSpec(test_a_spec_is_built_with_its_arguments)) is (
        test_a_spec_is_built_with_its_arguments
    )
    with pytest.raises(ImportError, match="no_such"):
        mp.import_spec_layer(("jaxeager.no_such", "Linear"))

    class Block(paddle.nn.Layer):
        def __init__(self, size, sublayers_spec=None):
            super().__init__()
            self.inner = mp.build_spec_layer(sublayers_spec, size, size)

    block = mp.build_spec_layer(mp.LayerSpec(Block, {"size": 4}, paddle.nn.Linear))
    assert block.inner.weight.shape == [4, 4]


def test_a_pipeline_is_made_of_specs():
    spec = mp.LayerSpec(paddle.nn.Linear, {"in_features": 2})
    described = mp.LayerDesc(spec, out_features=3)
    assert described.build_layer().weight.shape == [2, 3]
    shared = [mp.LocalSharedLayerDesc("a", paddle.nn.Linear, None, "weight", 2, 2)] * 2
    net = mp.PipelineLayer([*shared, described], num_stages=1)
    assert net(paddle.ones([1, 2])).shape == [1, 3]
    assert len(net.parameters()) == 4
    with pytest.raises(TypeError, match="should be a derived class of Layer"):
        mp.LayerDesc(3)  # type: ignore[arg-type]


def test_data_are_requested_when_a_batch_is_trained():
    strategy = paddle.distributed.fleet.DistributedStrategy()
    strategy.pipeline_configs = {"accumulate_steps": 2, "micro_batch_size": 1}
    net = mp.PipelineLayer([paddle.nn.Linear(2, 1)], 1, loss_fn=paddle.nn.MSELoss())
    model = mp.NoPipelineParallel(net, strategy)
    sgd = paddle.optimizer.SGD(0.1, parameters=model.parameters())
    batch = [paddle.ones([2, 2]), paddle.ones([2, 1])]
    asked = mp.PipelineDatasetPreprocessor(lambda: batch)
    assert model.train_batch(asked, sgd).shape == []
