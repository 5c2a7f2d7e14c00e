"""Learning rate schedulers, with Paddle's names and numbers."""

from jaxeager.optimizer.lr.annealing import (
    CosineAnnealingDecay,
    CosineAnnealingWarmRestarts,
    LinearLR,
    LinearWarmup,
)
from jaxeager.optimizer.lr.base import LRScheduler
from jaxeager.optimizer.lr.cyclic import CyclicLR, OneCycleLR
from jaxeager.optimizer.lr.decay import (
    ExponentialDecay,
    InverseTimeDecay,
    LambdaDecay,
    MultiplicativeDecay,
    MultiStepDecay,
    NaturalExpDecay,
    NoamDecay,
    PiecewiseDecay,
    PolynomialDecay,
    StepDecay,
)
from jaxeager.optimizer.lr.plateau import ReduceOnPlateau

__all__ = [
    "CosineAnnealingDecay",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialDecay",
    "InverseTimeDecay",
    "LRScheduler",
    "LambdaDecay",
    "LinearLR",
    "LinearWarmup",
    "MultiStepDecay",
    "MultiplicativeDecay",
    "NaturalExpDecay",
    "NoamDecay",
    "OneCycleLR",
    "PiecewiseDecay",
    "PolynomialDecay",
    "ReduceOnPlateau",
    "StepDecay",
]
