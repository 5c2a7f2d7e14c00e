"""paddle.metric: Accuracy, Precision, Recall, Auc, accuracy."""

from ..probe import attempt, facts, refuses
from ..registry import program


def _scores(np, *shape, seed=61):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


@program
def metric_accuracy(paddle, np):
    """compute, update, accumulate, reset; labels of every shape; several k."""
    r, found = np.random.default_rng(62), {}
    x = paddle.to_tensor(_scores(np, 8, 5))
    labels = {
        "column": r.integers(0, 5, (8, 1)),
        "flat": r.integers(0, 5, 8),
        "one hot": np.eye(5, dtype="float32")[r.integers(0, 5, 8)],
        "int32": r.integers(0, 5, (8, 1)).astype("int32"),
    }
    for k in ((1,), (2,), (1, 3), (5, 2, 1)):
        metric = paddle.metric.Accuracy(topk=k)
        for text, label in labels.items():
            correct = metric.compute(x, paddle.to_tensor(label))
            update = metric.update(correct)
            found[f"{k} {text}"] = [
                correct.numpy(), str(correct.dtype), correct.stop_gradient,
                np.array(update, "float64"), np.array(metric.accumulate(), "float64"),
                np.array(metric.total, "float64"), np.array(metric.count, "int64"),
            ]  # fmt: skip
        found[f"{k} name"] = metric.name()
        found[f"{k} again"] = np.array(metric.update(correct.numpy()), "float64")
        metric.reset()
        found[f"{k} reset"] = [metric.accumulate(), metric.total, metric.count]
    named = paddle.metric.Accuracy((1, 2), "mine")
    words = named.compute(
        paddle.to_tensor(_scores(np, 2, 3, 4)), paddle.to_tensor(r.integers(0, 4, (2, 3, 1)))
    )
    return [found, named.name(), words.numpy(), np.array(named.update(words), "float64")]


@program
def metric_precision_and_recall(paddle, np):
    """Counts, halves, arrays and tensors, columns and vectors."""
    found = {}
    for text, make in (("p", paddle.metric.Precision), ("r", paddle.metric.Recall)):
        metric = make()
        found[f"{text} empty"] = [float(metric.accumulate()), metric.name()]
        for preds, labels in (
            ([0.1, 0.5, 0.6, 0.7, 1.4], [0, 1, 1, 0, 1]),
            ([[0.5], [0.49], [0.9]], [[1], [1], [0]]),
        ):
            preds, labels = np.array(preds, "float32"), np.array(labels)
            found[f"{text} none"] = metric.update(preds, labels) is None
            found[f"{text} {preds.shape}"] = float(metric.accumulate())
            metric.update(paddle.to_tensor(preds), paddle.to_tensor(labels))
        found[f"{text} all"] = [float(metric.accumulate()), int(metric.tp)]
        metric.reset()
        found[f"{text} reset"] = [float(metric.accumulate()), metric.tp]
        found[f"{text} name"] = make("mine").name()
        found[f"{text} list"] = attempt(lambda m=metric: m.update([1.0], np.array([1])))
        found[f"{text} labels"] = attempt(lambda m=metric: m.update(np.array([1.0]), [1]))
    return found


@program
def metric_auc(paddle, np):
    """Areas in few and many buckets, one class alone, both kinds of input."""
    r, found = np.random.default_rng(63), {}
    p = r.uniform(size=(50, 1))
    preds, labels = (
        np.concatenate([1 - p, p], 1),
        (p + r.normal(size=(50, 1)) > 0.5).astype("int64"),
    )
    for thresholds in (4095, 10, 1):
        metric = paddle.metric.Auc(num_thresholds=thresholds)
        metric.update(preds, labels)
        found[f"{thresholds} once"] = float(metric.accumulate())
        metric.update(paddle.to_tensor(preds[:9]), paddle.to_tensor(labels[:9, 0]))
        found[f"{thresholds} twice"] = float(metric.accumulate())
        metric.reset()
        found[f"{thresholds} reset"] = float(metric.accumulate())
    metric.update(preds, np.ones((50, 1), "int64"))
    found["one class"] = [float(metric.accumulate()), metric.name()]
    found["list"] = attempt(lambda: metric.update([[0.5, 0.5]], np.array([1])))
    found["large"] = attempt(lambda: metric.update(np.array([[0.0, 1.5]]), np.array([1])))
    return found


@program
def metric_of_one_batch(paddle, np):
    """paddle.metric.accuracy: k, dtypes, the tensors it fills, refusals."""
    r = np.random.default_rng(64)
    x = paddle.to_tensor(_scores(np, 6, 4), stop_gradient=False)
    label = paddle.to_tensor(r.integers(0, 4, (6, 1)))
    correct, total = paddle.zeros([1], "int32"), paddle.zeros([1], "int32")
    found = [paddle.metric.accuracy(x, label, k=k).numpy() for k in (1, 2, 4)]
    one = paddle.metric.accuracy(x, label, 2, correct, total)
    found += [facts(one), correct.numpy(), total.numpy()]
    found += [paddle.metric.accuracy(x.astype("float64"), label.astype("int32")).numpy()]
    found += [attempt(lambda: paddle.metric.accuracy(x, label[:, 0]))]
    found += [refuses(lambda: paddle.metric.accuracy(x, label, k=5))["error"]]
    found += [refuses(lambda: paddle.metric.accuracy(x, label[:3]))["error"]]
    return found


@program
def metric_of_a_user(paddle, np):
    """A Metric of one's own; the base cannot be made."""

    class Mean(paddle.metric.Metric):
        def __init__(self):
            super().__init__()
            self.reset()

        def reset(self):
            self.seen = []

        def update(self, pred, label):
            self.seen.append(float(pred.mean()) + float(label.mean()))
            return self.seen[-1]

        def accumulate(self):
            return sum(self.seen) / len(self.seen)

        def name(self):
            return "mean"

    metric, x = Mean(), paddle.to_tensor(_scores(np, 3))
    first = metric.update(*metric.compute(x, x))
    return [first, metric.accumulate(), metric.name(), attempt(paddle.metric.Metric)["error"]]


@program
def metric_types_of_results(paddle, np):
    """Programs call ``item()`` of results, and write them to JSON: some are NumPy scalars."""

    def types(values):
        if isinstance(values, list):
            return [types(each) for each in values]
        return type(values).__name__

    found = {"none yet": types([paddle.metric.Accuracy().accumulate()])}
    x, label = paddle.to_tensor(_scores(np, 6, 3)), paddle.to_tensor(np.arange(6)[:, None] % 3)
    for k in ((1,), (1, 2)):
        metric = paddle.metric.Accuracy(topk=k)
        found[str(k)] = types([metric.update(metric.compute(x, label)), metric.accumulate()])
    for make in (paddle.metric.Precision, paddle.metric.Recall, paddle.metric.Auc):
        metric = make()
        found[f"{make.__name__} none yet"] = types(metric.accumulate())
        scores = np.array([[0.1, 0.9], [0.7, 0.3], [0.4, 0.6]])
        scores = scores if make is paddle.metric.Auc else scores[:, 1]
        metric.update(scores, np.array([[1], [0], [0]]))
        found[make.__name__] = [types(metric.accumulate()), float(metric.accumulate())]
    return found
