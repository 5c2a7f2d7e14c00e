"""distributed: meshes of processes and placements, which only say how tensors lie."""

from ..probe import attempt
from ..registry import program


@program
def meshes_of_processes(paddle, np):
    """Shapes, names, parts and comparisons of meshes; what they refuse."""
    d = paddle.distributed
    mesh = d.ProcessMesh([[0, 1, 2], [3, 4, 5]], dim_names=["x", "y"])
    other = d.ProcessMesh(shape=[2, 3], process_ids=range(6))
    parts = [
        mesh, other, mesh.get_mesh_with_dim("y"), mesh.get_mesh_with_dim("y", 1), mesh[0],
        mesh[:, 1], d.ProcessMesh(np.array([4, 5])),
    ]  # fmt: skip
    errors = []
    for call in (
        lambda: d.ProcessMesh([[0, 0]]), lambda: d.ProcessMesh("a"), lambda: d.ProcessMesh(),
        lambda: d.ProcessMesh([[0, 1]], dim_names=["x"]), lambda: mesh.get_dim_size("z"),
    ):  # fmt: skip
        try:
            errors.append(str(call()))
        except (AssertionError, ValueError) as error:
            errors.append("assert" if isinstance(error, AssertionError) else "value")
    d.set_mesh(mesh)
    same = [mesh == other, mesh != other, mesh == mesh[0], d.get_mesh() is mesh]
    facts = [mesh.shape, mesh.ndim, mesh.size, mesh.process_ids, mesh.get_dim_size("y")]
    return [[str(each) for each in parts], same, facts, mesh.mesh, errors]


@program
def placements_on_axes(paddle, np):
    """What placements say, how they print and compare."""
    d = paddle.distributed
    found = [d.Replicate(), d.Shard(1), d.Partial(), d.Partial(d.ReduceType.kRedMax)]
    facts = [
        [str(p), p.is_replicated(), p.is_shard(1), p.is_shard(0), p.is_partial()] for p in found
    ]
    same = [[a == b for a in found] for b in [*found, d.Shard(1), d.Shard(0)]]
    kinds = {name: member.value for name, member in d.ReduceType.__members__.items()}
    hashes = hash(d.Shard(1)) == hash(d.Shard(1))
    return [facts, same, kinds, d.Shard(2).get_dim(), hashes, isinstance(found[0], d.Placement)]


@program
def placements_dist_attr(paddle, np):
    """DistAttr: the axes of a mesh for the axes of a tensor."""
    dist = paddle.distributed
    mesh = dist.ProcessMesh([[2, 4, 5], [0, 1, 3]], dim_names=["x", "y"])
    found = {}
    for specs in (["x", None, "y"], ["y"], [], [None]):
        attr = dist.DistAttr(mesh=mesh, sharding_specs=specs)
        same = dist.DistAttr(mesh, list(specs))
        found[str(specs)] = [
            str(attr), attr.sharding_specs, attr.dims_mapping, attr.process_mesh == mesh,
            attr == same, attr == dist.DistAttr(mesh, ["x", "y"]),
        ]  # fmt: skip
    for text, arguments in {
        "mesh": (3, ["x"]), "list": (mesh, ("x",)), "unknown": (mesh, ["z"]), "int": (mesh, [1])
    }.items():  # fmt: skip
        found[text] = attempt(lambda given=arguments: dist.DistAttr(*given))["error"]
    return found
