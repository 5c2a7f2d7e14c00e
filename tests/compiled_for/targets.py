"""Devices that XLA compiles for on a machine that does not have them."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.experimental import topologies
from jax.sharding import Mesh, NamedSharding, PartitionSpec

_ALONE = {"JAX_PLATFORMS": "cpu", "JAXEAGER_COMPILATION_CACHE": "off"}
_WITHOUT_TPU = {
    "TPU_SKIP_MDS_QUERY": "1",
    "TPU_WORKER_HOSTNAMES": "localhost",
    "TPU_ACCELERATOR_TYPE": "v5litepod-4",
    "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",
}
_WITHOUT_GPU = {
    "JAX_SKIP_CUDA_CONSTRAINTS_CHECK": "1",
    "XLA_FLAGS": "--xla_gpu_autotune_level=0",  # it would run each candidate
}
# The properties of an H100 SXM, in the text form of XLA's GpuTargetConfigProto.
_H100 = """
gpu_device_info {
  cuda_compute_capability { major: 9 }
  core_count: 132
  fpus_per_core: 128
  clock_rate_ghz: 1.98
  threads_per_warp: 32
  threads_per_block_limit: 1024
  threads_per_core_limit: 2048
  registers_per_block_limit: 65536
  registers_per_core_limit: 65536
  shared_memory_per_block: 49152
  shared_memory_per_block_optin: 232448
  shared_memory_per_core: 233472
  block_dim_limit_x: 2147483647
  block_dim_limit_y: 65535
  block_dim_limit_z: 65535
  memory_bandwidth: 3352320000000
  l2_cache_size: 52428800
  device_memory_size: 84929347584
}
platform_name: "CUDA"
dnn_version_info { major: 9 minor: 8 }
runtime_version { major: 12 minor: 8 }
device_description_str: "NVIDIA H100 80GB HBM3"
"""


class Target(NamedTuple):
    """A kind of device.

    Attributes:
        platform: JAX's name of the compiler, "tpu" or "cuda".
        package: the importable package with that compiler.
        environment: the environment of a process that compiles for it.
        options: those of ``topologies.get_topology_desc``.
    """

    platform: str
    package: str
    environment: dict[str, str]
    options: dict[str, str]

    def devices(self) -> list[Any]:
        """Return the devices, which can be compiled for but not used."""
        return topologies.get_topology_desc(platform=self.platform, **self.options).devices

    def compiler(self) -> Callable[[Callable, tuple], Any]:
        """Return the function of a rule and its operands' structs that compiles it."""
        where = NamedSharding(Mesh(np.array(self.devices()[:1]), ("x",)), PartitionSpec())

        def on_device(struct):
            return jax.ShapeDtypeStruct(struct.shape, struct.dtype, sharding=where)

        def compile_one(rule: Callable, structs: tuple) -> Any:
            traced = jax.jit(rule, out_shardings=where).trace(*jax.tree.map(on_device, structs))
            return traced.lower(lowering_platforms=(self.platform,)).compile()

        return compile_one


def _tpu(name: str) -> Target:
    return Target("tpu", "libtpu", _ALONE | _WITHOUT_TPU, {"topology_name": name})


TARGETS = {
    "v5e": _tpu("v5e:2x2"),
    "v6e": _tpu("v6e:2x2"),
    "h100": Target(
        "cuda",
        "jax_cuda12_plugin",
        _ALONE | _WITHOUT_GPU,
        {"target_config": _H100, "topology": "1x1x4"},
    ),
}
