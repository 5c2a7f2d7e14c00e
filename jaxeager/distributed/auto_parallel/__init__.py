"""paddle.distributed.auto_parallel: one program over many devices."""

import importlib

from jaxeager.distributed.auto_parallel.strategy import Strategy
from jaxeager.distributed.mesh.placements import ProcessMesh, create_mesh, get_mesh, set_mesh

api = importlib.import_module("jaxeager.distributed.auto_parallel.api")

__all__ = ["ProcessMesh", "Strategy", "api", "create_mesh", "get_mesh", "set_mesh"]
