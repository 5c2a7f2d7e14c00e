"""paddle.distributed.fleet.layers: layers whose weights processes could share."""

from jaxeager.distributed.fleet.layers import mpu

__all__ = ["mpu"]
