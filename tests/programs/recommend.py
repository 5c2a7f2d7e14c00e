"""Wide and deep: an IterableDataset of workers, embeddings of several fields, AUC, groups."""

import numpy as np
import paddle
from paddle import nn
from paddle.io import DataLoader, IterableDataset, get_worker_info

FIELDS = [10, 7, 5]


class Clicks(IterableDataset):
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        worker = get_worker_info()
        first, step = (worker.id, worker.num_workers) if worker is not None else (0, 1)
        for number in range(first, self.count, step):
            rng = np.random.RandomState(number)
            ids = np.array([rng.randint(0, each) for each in FIELDS], "int64")
            dense = rng.normal(size=3).astype("float32")
            clicked = float(ids[0] % 2 + dense[0] > 0.7)
            yield ids, dense, np.array([clicked], "float32")


class WideDeep(nn.Layer):
    def __init__(self, size=4):
        super().__init__()
        self.tables = nn.LayerList([nn.Embedding(each, size, sparse=False) for each in FIELDS])
        self.wide = nn.Linear(3, 1)
        self.deep = nn.Sequential(nn.Linear(3 * size + 3, 8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, ids, dense):
        found = [table(column) for table, column in zip(self.tables, paddle.unbind(ids, axis=1))]
        deep = self.deep(paddle.concat([*found, dense], axis=-1))
        return nn.functional.sigmoid(self.wide(dense) + deep)


def main():
    model = WideDeep()
    rng = np.random.RandomState(31)
    for parameter in model.parameters():
        parameter.set_value(rng.normal(0, 0.3, parameter.shape).astype("float32"))
    optimizer = paddle.optimizer.Adam(
        learning_rate=0.02,
        parameters=[
            {"params": model.tables.parameters(), "weight_decay": 1e-3},
            {"params": [*model.wide.parameters(), *model.deep.parameters()], "learning_rate": 0.5},
        ],
    )
    for epoch in range(2):
        auc = paddle.metric.Auc()
        for ids, dense, clicked in DataLoader(Clicks(80), batch_size=20, num_workers=2):
            predicted = model(ids, dense)
            loss = nn.functional.binary_cross_entropy(predicted, clicked)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            both = paddle.concat([1 - predicted, predicted], axis=1)
            auc.update(both, clicked.astype("int64"))
            print(f"loss {loss.numpy():.5f} auc {auc.accumulate():.4f}")


if __name__ == "__main__":
    main()
