"""Optimizers and learning rate schedulers, with Paddle's names and numbers."""

from jaxeager.optimizer import lr
from jaxeager.optimizer.adadelta import Adadelta
from jaxeager.optimizer.adagrad import Adagrad
from jaxeager.optimizer.adam import Adam
from jaxeager.optimizer.adamax import Adamax
from jaxeager.optimizer.adamw import AdamW
from jaxeager.optimizer.asgd import ASGD
from jaxeager.optimizer.lamb import Lamb
from jaxeager.optimizer.lbfgs import LBFGS
from jaxeager.optimizer.momentum import Momentum
from jaxeager.optimizer.nadam import NAdam
from jaxeager.optimizer.optimizer import Optimizer
from jaxeager.optimizer.radam import RAdam
from jaxeager.optimizer.rmsprop import RMSProp
from jaxeager.optimizer.rprop import Rprop
from jaxeager.optimizer.sgd import SGD

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Lamb",
    "Momentum",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSProp",
    "Rprop",
    "lr",
]
