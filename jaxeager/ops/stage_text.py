"""The source of the code that one row runs: the five stages of dispatch.py, and its VJP.

See Note [Bound functions] of binding.py, which compiles it: every line here is written once for
every row that is used, and none runs in a call.
"""

from jaxeager.graph.memory import PURGE_MASK

_UNCOMMON = (
    "(AttributeError, TypeError, ValueError, IndexError, KeyError, ArithmeticError, MemoryError, "
    "_DeviceError)"
)


# ---- a call


def write_body(row, wanted: tuple) -> str:
    """Writes the five stages for one row, with what else is wanted of it: see binding._in_force."""
    slow = f"return _call({arguments(row)})"
    is_staged = "stages" in wanted
    lines = ["if _is_silent():", f"    {slow}"] if is_staged else []
    lines += _watched(row, slow, is_staged) if "watch" in wanted else []
    lines += ["try:"]
    for operand in row.operands:
        lines += [f"    {line}" for line in _read(operand)]
    lines += [f"    {line}" for line in _promote(row, slow)]
    lines += [f"    {line}" for line in [*_prepare(row), *([] if is_staged else _run(row))]]
    lines += [f"except {_UNCOMMON}:", "    pass", "else:"]
    finish = _in_stages(row, wanted) if is_staged else _finish(row, wanted)
    lines += [f"    {line}" for line in finish]
    lines += [slow]  # behind the handler: what _call raises is no consequence of what was caught
    return "".join(f"    {line}\n" for line in lines)


def _in_stages(row, wanted: tuple) -> list[str]:
    """The rest of a call whose operands are as they should be, while tools are told of stages."""
    operands = _tuple([operand.name for operand in row.operands])
    arrays = ", ".join(f"{operand.name}_array" for operand in row.operands)
    numbers = _tuple([f"{name}_scalar" for name in row.scalars])
    recording = "recording" if row.is_differentiable else "False"
    run = f"_run_stages(call, [{arrays}], {numbers}, {recording})"
    return [
        f"call = _Call(_row, {operands}, {_attrs_local(row)}, {_tuple([*row.scalars])}, False)",
        *_tell("call_began"),
        "try:",
        *[f"    {line}" for line in _take(row, run, run)],
        *[f"    {line}" for line in _finish(row, wanted)],
        "except BaseException as error:",
        *[f"    {line}" for line in _tell("call_failed", "call, error")],
        "    raise",
    ]


def _finish(row, wanted: tuple) -> list[str]:
    """Stages 4 and 5, once there are arrays: the tensors, their place in the graph, the return."""
    lines = []
    is_staged = "stages" in wanted
    if "kernel_ran" in wanted:
        lines += _emit("kernel_ran", row, [f"{name}_array_out" for name in row.outputs])
    outputs = [f"{name}_out" for name in row.outputs]
    for name, tensor in zip(row.outputs, outputs, strict=True):
        lines += _wrap(f"{name}_array_out", tensor, row)
    if row.is_differentiable:
        lines += ["if recording:"]
        lines += [f"    {line}" for line in _record(row, outputs)]
        if "take_stack" in wanted:
            lines += ["    take = _events.take_stack", "    if take is not None:"]
            lines += ["        node.stack = take()"]
        if is_staged:
            lines += ["    call.node = node", *[f"    {line}" for line in _tell("node_made")]]
    if "op_ran" in wanted:
        lines += _emit("op_ran", row, outputs)
    if is_staged:
        lines += [f"call.outputs = {_tuple(outputs)}", *_tell("call_ended")]
    return [*lines, f"return {', '.join(outputs)}"]


def _watched(row, slow: str, is_staged: bool) -> list[str]:
    """What the watched code of a row begins with; casts are stages of their own."""
    if is_staged:
        return ["if _mode.watching or _read_amp() is not None:", f"    {slow}"]
    operands = "".join(f"{operand.name}, " for operand in row.operands)
    lines = ["if _mode.watching:", f"    {slow}"]
    if operands:
        lines += ["amp_policy = _read_amp()", "if amp_policy is not None:"]
        lines += [f"    {operands} = amp_policy.cast_operands(_row, ({operands}))"]
    return lines


def _tell(event: str, what: str = "call") -> list[str]:
    """Tells of a stage: events.tell, without a call of it."""
    return [f"tell = _events.{event}", "if tell is not None:", f"    tell({what})"]


def _emit(event: str, row, outputs: list[str]) -> list[str]:
    """Tells of an event that is cheap: see graph/events.py."""
    operands = _tuple([operand.name for operand in row.operands])
    node = ["node if recording else None"] if row.is_differentiable else ["None"]
    more = [operands, _attrs_local(row), _tuple(outputs), *(node if event == "op_ran" else [])]
    return [
        f"tell = _events.{event}",
        "if tell is not None and not _is_silent():",
        f"    tell(_row, {', '.join(more)}, False)",
    ]


def _read(operand) -> list[str]:
    """Stage 1: the operand's array, and whether its gradient is wanted."""
    n = operand.name
    lines = [f"{n}_array = {n}._array"]
    if operand.is_differentiable:
        lines += [f"{n}_meta = {n}._meta"]
        lines += [f"{n}_wants = {n}_meta is not None and not {n}_meta.stop_gradient"]
    else:  # an index or a random key may be a bare array
        lines = [
            f"if type({n}) is _Array:",
            f"    {n}_array = {n}",
            "else:",
            *[f"    {line}" for line in lines],
        ]
    if operand.is_optional:
        nothing = f"    {n}_array = {n}_meta = None"
        lines = [f"if {n} is None:", nothing, f"    {n}_wants = None", "else:"] + [
            f"    {line}" for line in lines
        ]
    return lines


def _promote(row, slow: str) -> list[str]:
    """Stage 2: anything but one dtype is for dispatch.call, and integers that are looked at."""
    if row.promote == "float":
        return [f"if {row.operands[0].name}_array.aval.dtype not in _floats:", f"    {slow}"]
    if row.promote is not None:
        lines = ["if x_array.aval.dtype is not y_array.aval.dtype:", f"    {slow}"]
        if row.check is not None:
            lines += ["if x_array.aval.dtype not in _floats:", f"    {slow}"]
        return lines
    return []


def _prepare(row) -> list[str]:
    """Stage 3, as far as it can fail: scalars, attributes, and whether the call is recorded."""
    lines = [
        f"{name}_scalar = _scalar({name}, {row.operands[0].name}_array.dtype)"
        for name in row.scalars
    ]
    lines += [f"attrs = {_attrs(row)}"] if row.attrs else []
    if row.is_differentiable:
        wants = " or ".join(f"{operand.name}_wants" for operand in row.differentiable)
        lines += [f"recording = ({wants}) and _is_enabled()"]
    return lines


def _run(row) -> list[str]:
    """Stages 3 and 4: find the kernel by its attributes (a KeyError builds it), and run it."""
    arrays = [f"{operand.name}_array" for operand in row.operands]
    arguments = ", ".join(arrays + [f"{name}_scalar" for name in row.scalars])
    plain, recorded = (f"{_kernel(row, k)}({arguments})" for k in ("_kernels", "_record_kernels"))
    return _take(row, plain, recorded)


def _take(row, plain: str, recorded: str) -> list[str]:
    """Gives names to what a kernel returns; one that is recorded may return hidden outputs too."""
    visible = ", ".join(f"{name}_array_out" for name in row.outputs)
    if not (row.hidden and row.is_differentiable):
        return [f"{visible} = {plain}"]
    hidden = ", ".join(f"{name}_hidden" for name in row.hidden)
    record = f"{visible}, {hidden} = {recorded}"
    return ["if recording:", f"    {record}", "else:", f"    {visible} = {plain}"]


def _kernel(row, kernels: str) -> str:
    """The look-up of a kernel; a row without attributes has one, which is in scope."""
    return f"{kernels}[{_attrs_local(row)}]" if row.attrs else f"{kernels}_only"


def _wrap(array: str, tensor: str, row) -> list[str]:
    """Makes a tensor of an output array."""
    lines = [f"{tensor} = _new(_Tensor)", f"{tensor}._array = {array}"]
    if row.view is not None:
        return [*lines, f"{tensor}._meta = None", *_share(row, tensor)]
    return [
        *lines,
        f"{tensor}._storage = {tensor}_storage = _new(_Storage)",
        f"{tensor}_storage.version = 0",
        f"{tensor}_storage.sharers = None",
        f"{tensor}._meta = None",
    ]


def _share(row, tensor: str) -> list[str]:
    """Makes the output of a view row share its operand's memory: graph.views.add_view."""
    base, *others = [operand.name for operand in row.operands]
    extras = f"({''.join(f'{name}_array, ' for name in others)})"
    above = f"{base}._view"
    if row.is_differentiable:
        above = f"(_cut({above}) if {base}_wants and not recording else {above})"
    return [
        f"{tensor}._storage = storage = {base}._storage",
        "sharers = storage.sharers",
        "if sharers is None:",
        f"    sharers = _share({base})",
        f"{tensor}._view = ({above}, _row, {_attrs_local(row)}, {extras}, False)",
        f"sharers.append(_ref({tensor}))",
        f"if not len(sharers) & {PURGE_MASK}:",
        "    _purge(storage)",
    ]


def _attrs_local(row) -> str:
    """The attributes, as _run has put them into a variable."""
    return "attrs" if row.attrs else "()"


def _record(row, outputs: list[str]) -> list[str]:
    """Stage 5: the node, what it saves, and the outputs' place in the graph."""
    wanted = [f"{o.name}_wants" for o in row.differentiable]
    edges = [
        f"({n}_meta if {n}_meta.node else _edge_of({n})) if {n}_wants else None, "
        for n in (operand.name for operand in row.differentiable)
    ]
    lines = [
        "node = _new(_GradNode)",
        "node.op = _row",
        f"node.attrs = {_attrs_local(row)}",
        f"node.scalars = ({''.join(f'{name}_scalar, ' for name in row.scalars)})",
        f"node.edges = ({''.join(edges)})",
        f"node.mask = ({', '.join(wanted)}, )",
        "node.ranks = None",
        "node.released = False",
        f"node.width = {len(outputs)}",
        f"node.out_avals = ({''.join(f'{name}_array_out.aval, ' for name in row.outputs)})",
    ]
    shapes = [_aval(row.operands[row.slots[name]]) for name in row.shapes]
    lines.append(f"node.shapes = ({''.join(f'{text}, ' for text in shapes)})")
    for name in row.saves:
        lines += _save(row, name)
    lines.append(f"node.saved = ({''.join(f'{name}_saved, ' for name in row.saves)})")
    for slot, tensor in enumerate(outputs):
        lines += _attach(tensor, slot)
    return lines


def _aval(operand) -> str:
    aval = f"{operand.name}_array.aval"
    return f"(None if {operand.name} is None else {aval})" if operand.is_optional else aval


def _save(row, name: str) -> list[str]:
    """The TensorWrapper of a saved operand or output: see Note [Version snapshots]."""
    wrapper = f"{name}_saved"
    if name in row.slots:
        operand = row.operands[row.slots[name]]
        if operand.is_optional or not operand.is_differentiable:
            made = f"_save({name}_array, getattr({name}, '_storage', None))"
            return [f"{wrapper} = None if {name}_array is None else {made}"]
        storage = f"{name}_storage"
        take = f"{storage} = {name}._storage"
        return [take, f"{wrapper} = ({name}_array, {storage}, {storage}.version)"]
    if name in row.hidden:
        return [f"{wrapper} = ({name}_hidden, None, 0)"]
    return [f"{wrapper} = ({name}_array_out, {name}_out_storage, 0)"]


def _attach(tensor: str, slot: int) -> list[str]:
    """Makes a tensor output number ``slot`` of the node."""
    return [
        f"{tensor}._meta = meta = _new(_AutogradMeta)",
        "meta.stop_gradient = meta.grad_is_zeroed = False",
        "meta.grad = None",
        "meta.node = node",
        f"meta.slot = {slot}",
        "meta.rank = 0",
    ]


# ---- a gradient


def write_vjp_body(row) -> str:
    """Writes kernels.run_vjp for one row."""
    general = "return _general(_row, node, grads)"
    grads = [f"d{name}" for name in row.outputs]
    lines = [f"{_tuple(grads)} = grads"]
    if len(grads) > 1:
        lines += [f"if {' or '.join(f'{grad} is None' for grad in grads)}:", f"    {general}"]
    saved = [f"({n}_array, {n}_storage, {n}_version)" for n in row.saves]
    lines += [f"{_tuple(saved)} = node.saved"] if saved else []
    for n in row.saves:
        lines += [f"if {n}_storage is not None and {n}_storage.version != {n}_version:"]
        lines += [f"    _raise_modified(({n}_array, {n}_storage, {n}_version), node, {n!r})"]
    scalars = [f"{name}_scalar" for name in row.scalars]
    lines += [f"{_tuple(scalars)} = node.scalars"] if scalars else []
    key = "node.mask"
    if row.has_variants:
        avals = [f"{name}_aval" for name in row.shapes]
        lines += [f"{_tuple(avals)} = node.shapes"] if avals else []
        shapes = _tuple([f"({aval}.shape, {aval}.dtype)" for aval in avals])
        key = f"(node.mask, node.attrs, {shapes}, None)"
    lines += [f"kernel = _kernels.get({key})", "if kernel is None:", f"    {general}"]
    arrays = [f"{name}_array" for name in row.saves]
    lines += [f"return kernel({', '.join([*arrays, *scalars, *grads])})"]
    lines[-1:] = ["try:", f"    {lines[-1]}", "except _OwnError:", "    raise"]
    lines += ["except _FAILURES as error:"]
    lines += [f"    raise _failure({row.name + '_grad'!r}, error) from error"]
    return "".join(f"    {line}\n" for line in lines)


# ---- pieces of text


def arguments(row) -> str:
    """The arguments of dispatch.call: row, operands, attributes, scalars."""
    operands = "".join(f"{operand.name}, " for operand in row.operands)
    scalars = "".join(f"{name}, " for name in row.scalars)
    return f"_row, ({operands}), {_attrs(row)}, ({scalars})"


def _attrs(row) -> str:
    return f"({''.join(f'_kind_{name}({name}), ' for name in row.attrs)})"


def _tuple(names: list[str]) -> str:
    return f"({''.join(f'{name}, ' for name in names)})"
