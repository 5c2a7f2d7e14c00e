"""paddle.metric: what is measured of a model's predictions, batch after batch."""

from jaxeager.metric.metrics import Accuracy, Auc, Metric, Precision, Recall, accuracy

__all__ = ["Accuracy", "Auc", "Metric", "Precision", "Recall", "accuracy"]
