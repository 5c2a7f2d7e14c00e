"""What the public function of a row is: source written, from the row, when it is first called.

Note [Bound functions]
    ``bind`` gives a row a function with the row's signature whose code is ``_unwritten``. Its first
    call writes out the five stages of dispatch.py for just this row (its operands, its attributes,
    what it saves), compiles them, puts the code under the same function object and begins again.
    So importing a few hundred rows stays cheap, and a call pays for nothing its row does not have.
    The written code handles the common case: operands are tensors of one dtype. Anything else
    (numbers, NumPy arrays, promotion, an error) goes to ``dispatch.call``, which is the same stages
    as functions. Rows with list operands or a list output always go there. A debugger can step
    into the written code: ``inspect.getsource`` finds it.

Note [Watched functions]
    Mixed precision, hooks on saved tensors and forward stacks must see every call of their thread.
    Nothing in the written code asks whether there are any: while somebody holds ``watch()``, every
    bound function has another code, which begins by asking the thread (``grad_mode.watching``) and
    then goes to ``dispatch.call``. Mixed precision needs no more than its casts in front, so where
    nothing else watches the code goes on with them. When the last watcher lets go, the first code
    comes back.

The further names of parameters (``input=``, ``out=``) are in keywords.py, Note [Keyword aliases].
"""

import inspect
import linecache
import threading
import weakref
from collections.abc import Callable
from functools import partial
from types import FunctionType

import jax.numpy as jnp

from jaxeager import dtypes
from jaxeager.graph.memory import PURGE_MASK, cut_below, purge, share
from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.mode import grad_mode, read_amp, read_enabled
from jaxeager.graph.node import GradNode
from jaxeager.graph.saved import raise_modified, save
from jaxeager.graph.storage import Storage
from jaxeager.ops import dispatch
from jaxeager.ops.kernels import forward_kernel, run_vjp
from jaxeager.ops.keywords import REQUIRED, call_by_keyword, keywords_of, signature_with_out
from jaxeager.ops.promotion import SCALES

_SCOPE = {
    "_observers": dispatch.node_observers, "_new": object.__new__,
    "_Storage": Storage, "_AutogradMeta": AutogradMeta,
    "_GradNode": GradNode, "_save": save, "_mode": grad_mode,
    "_is_enabled": read_enabled,
    "_call": dispatch.call, "_call_inplace": dispatch.call_inplace, "_edge_of": dispatch.edge_of,
    "_share": share, "_cut": cut_below, "_purge": purge, "_ref": weakref.ref,
    "_scalar": dispatch.scalar_array, "_numbers": SCALES, "_floats": dtypes.FLOATS | dtypes.COMPLEX,
    "_read_amp": read_amp,
}  # fmt: skip

_UNCOMMON = "(AttributeError, TypeError, ValueError, IndexError, KeyError)"


def bind(row, on_number=None):
    """Returns the public function of a row.

    Args:
        row: the op.
        on_number: what is called instead with (x, y) when y is a Python or NumPy number; the
            operators need it.
    """
    keywords = keywords_of(row.public_names[0], row.public) if on_number is None else None
    return _bound(row, keywords, on_number)


def bind_inplace(row):
    """Returns the in-place twin of a row's public function."""
    return _bound(row, keywords_of(f"{row.public_names[0]}_", row.public), suffix="_")


def _bound(row, keywords, on_number=None, suffix: str = ""):
    """Makes a function whose code is written by ``_write`` when it is first called."""
    scope = {**_SCOPE, "_row": row, "_kernels": row.forward_kernels, "_on_number": on_number}
    scope["_record_kernels"] = row.record_kernels
    for name, parameter in (row.attrs | row.scalars).items():
        scope[f"_kind_{name}"] = parameter.annotation
        scope[f"_default_{name}"] = parameter.default
    function = scope["_function"] = FunctionType(_unwritten.__code__, scope)
    scope["_write"] = partial(_write, row, function, keywords, on_number, suffix)
    return _describe(row, function, keywords, suffix)


def _unwritten(*arguments, **named):
    """The code of a bound function until its first call: ``globals()`` are the function's own."""
    return globals()["_write"]()(*arguments, **named)


def _write(row, function, keywords, on_number, suffix: str):
    """Gives a bound function its code, and returns it: see Note [Bound functions]."""
    compiled = partial(_compile, row, function.__globals__, keywords, on_number)
    watched = None
    if suffix:
        plain = compiled(f"    return _call_inplace({_arguments(row)})\n")
    elif row.has_lists or row.returns_list:
        plain = compiled(f"    return _call({_arguments(row)})\n")
    else:
        watched, plain = _specialise(row, function.__globals__, compiled)
    with _lock:
        if function.__code__ is _unwritten.__code__:  # no other thread was faster
            if watched is not None:
                _specialised.append((function, plain.__code__, watched.__code__))
            function.__defaults__ = plain.__defaults__
            is_watched = watched is not None and _watchers > 0
            function.__code__ = (watched if is_watched else plain).__code__
    return function


def _specialise(row, scope: dict, compiled) -> tuple:
    """Writes out the five stages for one row: the watched function, and the plain one."""
    scope["_Tensor"], scope["_Array"] = dispatch.Tensor, type(jnp.zeros(()))
    if not row.attrs:
        scope["_kernels_only"] = forward_kernel(row, ())
        scope["_record_kernels_only"] = forward_kernel(row, (), with_hidden=True)
    body = _write_body(row)
    return compiled(_watched(row) + body), compiled(body)


def bind_vjp(row):
    """Returns what runs the VJP kernel of a node of this row: kernels.run_vjp, written out for it.

    Whatever is not common (a kernel that was not built yet, an output nothing arrived at) goes to
    run_vjp itself, and so do rows with lists or optional operands.
    """
    if row.has_lists or row.returns_list or row.has_optional:
        return partial(run_vjp, row)
    scope = {"_row": row, "_general": run_vjp, "_kernels": row.vjp_kernels}
    scope["_raise_modified"] = raise_modified
    return _compiled(f"run_{row.name}_vjp", "node, grads", _write_vjp_body(row), scope)


def _write_vjp_body(row) -> str:
    general = "return _general(_row, node, grads)"
    grads = [f"d{name}" for name in row.outputs]
    lines = [f"{_tuple(grads)} = grads"]
    if len(grads) > 1:
        lines += [f"if {' or '.join(f'{grad} is None' for grad in grads)}:", f"    {general}"]
    saved = [f"({n}_array, {n}_storage, {n}_version)" for n in row.saves]
    lines += [f"{_tuple(saved)} = node.saved"] if saved else []
    for n in row.saves:
        lines += [f"if {n}_storage is not None and {n}_storage.version != {n}_version:"]
        lines += [f"    _raise_modified({n}_storage.version, {n}_version)"]
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
    return "".join(f"    {line}\n" for line in lines)


def _tuple(names: list[str]) -> str:
    return f"({''.join(f'{name}, ' for name in names)})"


_specialised: list = []  # (function, its code, its watched code)
_watchers = 0
_lock = threading.Lock()


def _watched(row) -> str:
    """What the watched code of a row begins with."""
    operands = "".join(f"{operand.name}, " for operand in row.operands)
    lines = ["if _mode.watching or _observers:", f"    return _call({_arguments(row)})"]
    if operands:
        lines += ["amp_policy = _read_amp()", "if amp_policy is not None:"]
        lines += [f"    {operands} = amp_policy.cast_operands(_row, ({operands}))"]
    return "".join(f"    {line}\n" for line in lines)


def watch(every_call: bool = True) -> None:
    """Puts the watched code into force, until ``unwatch()`` with the same argument; they nest.

    Args:
        every_call: send every call of this thread to dispatch.call. Mixed precision alone does not
            need it: the watched code casts the operands and goes on.
    """
    grad_mode.watching += every_call
    _count_watchers(1)


def unwatch(every_call: bool = True) -> None:
    """Takes back one ``watch()`` of this thread."""
    grad_mode.watching -= every_call
    _count_watchers(-1)


def observe(observer: Callable) -> None:
    """Calls ``observer(node)`` for every GradNode that is made, in any thread."""
    dispatch.node_observers.append(observer)
    _count_watchers(1)


def unobserve(observer: Callable) -> None:
    """Takes back ``observe``."""
    dispatch.node_observers.remove(observer)
    _count_watchers(-1)


def _count_watchers(change: int) -> None:
    global _watchers
    with _lock:
        before, _watchers = _watchers, _watchers + change
        if (before == 0) != (_watchers == 0):
            for function, code, watched in _specialised:
                function.__code__ = watched if _watchers else code


def _compile(row, scope: dict, keywords, on_number, body: str):
    """Compiles a function of the row's signature with the given body."""
    if on_number is not None:
        body = f"    if type(y) in _numbers:\n        return _on_number(x, y)\n{body}"
    declared = _declared(row, keywords)
    if keywords is not None:
        body = _write_prelude(row, keywords, declared, scope) + body
    parameters = [_parameter(*each) for each in declared.items()]
    if keywords is not None:
        parameters += ["**aliases"]
    return _compiled(row.name, ", ".join(parameters), body, scope)


def _declared(row, keywords) -> dict:
    """The parameters of a row's function and their defaults, REQUIRED where there is none.

    One that has a further name need not be given: it gets None, and so does what follows it.
    """
    renamed = () if keywords is None else keywords.renames.values()
    declared, seen_default = {}, False
    for name, parameter in row.parameters.items():
        default = parameter.default
        if parameter.kind is not parameter.KEYWORD_ONLY:
            is_optional = row.operands[row.slots[name]].is_optional
            default = None if is_optional or name in renamed else REQUIRED
        seen_default = seen_default or default is not REQUIRED
        declared[name] = None if seen_default and default is REQUIRED else default
    more = {}
    if keywords is not None:
        more |= {"out": None} if keywords.out == "positional-out" else {}
        more |= {"inplace": False} if keywords.inplace else {}
    return {**declared, **more, "name": None}


def _parameter(name: str, default) -> str:
    """One parameter as the written code has it; defaults are in scope under their names."""
    if default is REQUIRED:
        return name
    plain = default is None or default is False
    return f"{name}={default}" if plain else f"{name}=_default_{name}"


def _write_prelude(row, keywords, declared: dict, scope: dict) -> str:
    """What the function begins with when there are further names: see Note [Keyword aliases]."""
    required = {name for name, default in _declared(row, None).items() if default is REQUIRED}
    defaults = {name: REQUIRED if name in required else declared[name] for name in declared}
    conditions = ["aliases", *(f"{name} is None" for name in row.attrs if name in required)]
    if keywords.swap is not None:
        first = keywords.swap[0]
        conditions += [f"({first} is not None and type({first}) is bool)"]
    lines = []
    for name, condition in (("out", "out is not None"), ("inplace", "inplace")):
        if name in defaults:
            del defaults[name]
            lines += [f"if {condition}:", f"    aliases['{name}'] = {name}"]
    scope["_by_keyword"] = partial(call_by_keyword, scope["_function"], keywords, defaults)
    lines += [f"if {' or '.join(conditions)}:"]
    lines += [f"    return _by_keyword(({', '.join(defaults)},), aliases)"]
    return "".join(f"    {line}\n" for line in lines)


def _compiled(name: str, parameters: str, body: str, scope: dict):
    """Compiles a function, and keeps its source where a debugger looks for it."""
    source = f"def {name}({parameters}):\n{body}"
    filename = f"<jaxeager op {name}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    exec(compile(source, filename, "exec"), scope)
    return scope[name]


def _arguments(row) -> str:
    """The arguments of dispatch.call: row, operands, attributes, scalars."""
    operands = "".join(f"{operand.name}, " for operand in row.operands)
    scalars = "".join(f"{name}, " for name in row.scalars)
    return f"_row, ({operands}), {_attrs(row)}, ({scalars})"


def _attrs(row) -> str:
    return f"({''.join(f'_kind_{name}({name}), ' for name in row.attrs)})"


def _write_body(row) -> str:
    """Writes the five stages for one row."""
    slow = f"return _call({_arguments(row)})"
    lines = ["try:"]
    for operand in row.operands:
        lines += [f"    {line}" for line in _read(operand)]
    lines += [f"    {line}" for line in _promote(row, slow)]
    lines += [f"    {line}" for line in _run(row)]
    lines += [f"except {_UNCOMMON}:", f"    {slow}"]
    outputs = [f"{name}_out" for name in row.outputs]
    for name, tensor in zip(row.outputs, outputs, strict=True):
        lines += _wrap(f"{name}_array_out", tensor, row)
    if row.is_differentiable:
        lines += ["if recording:"]
        lines += [f"    {line}" for line in _record(row, outputs)]
    lines += [f"return {', '.join(outputs)}"]
    return "".join(f"    {line}\n" for line in lines)


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
    """Stage 2: anything but one dtype is for dispatch.call."""
    if row.promote == "float":
        return [f"if {row.operands[0].name}_array.aval.dtype not in _floats:", f"    {slow}"]
    if row.promote is not None:
        return ["if x_array.aval.dtype is not y_array.aval.dtype:", f"    {slow}"]
    return []


def _run(row) -> list[str]:
    """Stages 3 and 4: find the kernel by its attributes (a KeyError builds it), and run it."""
    arrays = [f"{operand.name}_array" for operand in row.operands]
    lines = [f"{name}_scalar = _scalar({name}, {arrays[0]}.dtype)" for name in row.scalars]
    lines += [f"attrs = {_attrs(row)}"] if row.attrs else []
    arguments = ", ".join(arrays + [f"{name}_scalar" for name in row.scalars])
    visible = ", ".join(f"{name}_array_out" for name in row.outputs)
    run = f"{visible} = {_kernel(row, '_kernels')}({arguments})"
    if not row.is_differentiable:
        return [*lines, run]
    wants = " or ".join(f"{operand.name}_wants" for operand in row.differentiable)
    lines += [f"recording = ({wants}) and _is_enabled()"]
    if not row.hidden:
        return [*lines, run]
    hidden = ", ".join(f"{name}_hidden" for name in row.hidden)
    record = f"{visible}, {hidden} = {_kernel(row, '_record_kernels')}({arguments})"
    return [*lines, "if recording:", f"    {record}", "else:", f"    {run}"]


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


def _describe(row, function, keywords=None, suffix: str = ""):
    """Gives a bound function its name, documentation and a link to its row."""
    function.__signature__ = _signature(row, keywords)
    function.__name__ = function.__qualname__ = row.public_names[0] + suffix
    function.__module__ = "jaxeager"
    function.row = row
    in_place = " Writes into its first operand and returns it." if suffix else ""
    lines = [f"{row.doc}{in_place}"]
    if row.formula:
        lines.append(f"Derivative: {row.formula}.")
    if row.example and not suffix:
        lines.append(f"Example::\n\n    {row.example}")
    function.__doc__ = "\n\n".join(lines)
    return function


def _signature(row, keywords) -> inspect.Signature:
    """Returns the signature a user reads: what is required is, and ``out`` is there."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature(
        [inspect.Parameter(n, kind, default=default) for n, default in _declared(row, None).items()]
    )
    return signature if keywords is None else signature_with_out(signature, keywords)
