"""paddle.metric: measures of a model's predictions, accumulated over batches."""

from jaxeager.metric.metrics import Accuracy, Auc, Metric, Precision, Recall, accuracy

__all__ = ["Accuracy", "Auc", "Metric", "Precision", "Recall", "accuracy"]
