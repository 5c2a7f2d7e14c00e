"""paddle.distributed.fleet.layers: layers whose weights processes can share."""

from jaxeager.distributed.fleet.layers import mpu

__all__ = ["mpu"]
