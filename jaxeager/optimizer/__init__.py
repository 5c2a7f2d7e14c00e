"""Optimizers and learning rate schedulers, with Paddle's names and numbers."""

from jaxeager.optimizer import lr
from jaxeager.optimizer.adam import Adam
from jaxeager.optimizer.adamw import AdamW
from jaxeager.optimizer.momentum import Momentum
from jaxeager.optimizer.optimizer import Optimizer
from jaxeager.optimizer.sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Momentum", "Optimizer", "lr"]
