"""paddle.incubate.optimizer: optimizers that wrap optimizers, and averages of parameters."""

from jaxeager.incubate.optimizer import functional
from jaxeager.incubate.optimizer.lars_momentum import LarsMomentumOptimizer
from jaxeager.incubate.optimizer.lookahead import LookAhead
from jaxeager.incubate.optimizer.model_average import ModelAverage
from jaxeager.optimizer import LBFGS

__all__ = ["LBFGS", "LarsMomentumOptimizer", "LookAhead", "ModelAverage", "functional"]
