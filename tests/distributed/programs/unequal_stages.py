"""A pipeline of two stages, of which the second computes more and the first holds more."""

import paddle
from paddle.distributed import fleet
from paddle.distributed.fleet.meta_parallel import LayerDesc, PipelineLayer

PARTS, ROWS = 4, 32


class Slow(paddle.nn.Layer):
    """Multiplies large matrices many times: the heavier stage."""

    def __init__(self):
        super().__init__()
        self.inner = paddle.nn.Linear(64, 64)

    def forward(self, x):
        y = x.sum() * paddle.ones([600, 600])
        for _ in range(6):
            y = paddle.matmul(y, y) / 6e2
            y = y / y.abs().max()
        return self.inner(x) + y.mean()


def main():
    strategy = fleet.DistributedStrategy()
    strategy.hybrid_configs = {"dp_degree": 1, "mp_degree": 1, "pp_degree": 2}
    strategy.pipeline_configs = {"accumulate_steps": PARTS, "micro_batch_size": ROWS}
    fleet.init(is_collective=True, strategy=strategy)
    paddle.seed(1)
    descs = [
        LayerDesc(paddle.nn.Embedding, 200_000, 64),
        LayerDesc(paddle.nn.Linear, 64, 64),
        LayerDesc(Slow),
        LayerDesc(paddle.nn.Linear, 64, 4),
    ]
    model = PipelineLayer(descs, num_stages=2, loss_fn=paddle.nn.CrossEntropyLoss())
    model = fleet.distributed_model(model)
    sgd = fleet.distributed_optimizer(paddle.optimizer.SGD(0.01, parameters=model.parameters()))
    words = paddle.randint(0, 200_000, [PARTS * ROWS])
    labels = paddle.randint(0, 4, [PARTS * ROWS, 1])
    for _ in range(6):
        model.train_batch([words, labels], sgd)
    print("done")


main()
