"""paddle.callbacks: what a Model does as it goes on, beside training."""

from jaxeager.hapi.callbacks import (
    Callback,
    EarlyStopping,
    LRScheduler,
    ModelCheckpoint,
    ProgBarLogger,
    ReduceLROnPlateau,
)
from jaxeager.hapi.visualdl import VisualDL

__all__ = [
    "Callback",
    "EarlyStopping",
    "LRScheduler",
    "ModelCheckpoint",
    "ProgBarLogger",
    "ReduceLROnPlateau",
    "VisualDL",
]
