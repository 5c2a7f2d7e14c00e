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
    Mixed precision and hooks on saved tensors must see every call of their thread. Nothing in the
    written code asks whether there are any: while somebody holds ``watch()``, every bound function
    has another code, which begins by asking the thread (``grad_mode.watching``) and then goes to
    ``dispatch.call``. Mixed precision needs no more than its casts in front, so where nothing else
    watches the code goes on with them. When the last watcher lets go, the first code comes back.

    While a tool listens to ops (graph/events.py) there are further codes, one for every set of what
    is wanted: it emits just those of the cheap events, and those of the stages around a kernel that
    ``watched.run_stages`` runs. Only what is not common goes to ``dispatch.call``.

The further names of parameters (``input=``, ``out=``) are in keywords.py, Note [Keyword aliases].
"""

import inspect
import linecache
import threading
import weakref
from functools import partial
from types import FunctionType

import jax

from jaxeager import dtypes
from jaxeager.arrays import on_device
from jaxeager.errors import JaxEagerError
from jaxeager.graph import events
from jaxeager.graph.memory import cut_below, purge, share
from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.mode import grad_mode, read_amp, read_enabled, read_silent
from jaxeager.graph.node import GradNode
from jaxeager.graph.saved import raise_modified, save
from jaxeager.graph.storage import Storage
from jaxeager.ops import dispatch
from jaxeager.ops.kernels import forward_kernel, run_vjp
from jaxeager.ops.keywords import REQUIRED, call_by_keyword, keywords_of, signature_with_out
from jaxeager.ops.promotion import SCALES
from jaxeager.ops.stage_text import arguments, write_body, write_vjp_body
from jaxeager.ops.watched import run_stages
from jaxeager.tracing import FAILURES, failure

_SCOPE = {
    "_events": events, "_is_silent": read_silent, "_new": object.__new__,
    "_Storage": Storage, "_AutogradMeta": AutogradMeta,
    "_GradNode": GradNode, "_save": save, "_mode": grad_mode,
    "_is_enabled": read_enabled,
    "_call_inplace": dispatch.call_inplace, "_edge_of": dispatch.edge_of,
    "_share": share, "_cut": cut_below, "_purge": purge, "_ref": weakref.ref,
    "_scalar": dispatch.scalar_array, "_numbers": SCALES, "_floats": dtypes.FLOATS | dtypes.COMPLEX,
    "_read_amp": read_amp, "_Call": events.Call, "_run_stages": run_stages,
    "_DeviceError": jax.errors.JaxRuntimeError,
}  # fmt: skip


def bind(row):
    """Returns the public function of a row."""
    return _bound(row, keywords_of(row.public_names[0], row.public))


def bind_operator(row, on_number=None):
    """Returns the function of a row that an operator calls: it takes NumPy arrays as well.

    Args:
        row: the op.
        on_number: what is called instead with (x, y) when y is a Python or NumPy number.
    """
    return _bound(row, None, on_number, call=dispatch.call_operator)


def bind_inplace(row):
    """Returns the in-place twin of a row's public function."""
    return _bound(row, keywords_of(f"{row.public_names[0]}_", row.public), suffix="_")


def _bound(row, keywords, on_number=None, suffix: str = "", call=dispatch.call):
    """Makes a function whose code is written by ``_write`` when it is first called."""
    scope = {**_SCOPE, "_row": row, "_kernels": row.forward_kernels, "_on_number": on_number}
    scope["_call"] = call
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
    if suffix:
        body = f"    return _call_inplace({arguments(row)})\n"
    elif row.has_lists or row.returns_list:
        body = f"    return _call({arguments(row)})\n"
    else:
        _specialise(row, function.__globals__)
        body = None
    with _lock:
        if function.__code__ is _unwritten.__code__:  # no other thread was faster
            written = _Written(row, function, compiled, body)
            if body is None:
                _specialised.append(written)
            written.switch(_in_force() if body is None else PLAIN)
    return function


class _Written:
    """The codes of one bound function, each written and compiled when it is first in force.

    Attributes:
        body: what it has whatever is wanted; None when that is for ``write_body``.
        codes: by what is wanted, code and defaults.
    """

    __slots__ = ("body", "codes", "compiled", "function", "row")

    def __init__(self, row, function, compiled, body: str | None):
        self.row = row
        self.function = function
        self.compiled = compiled
        self.body = body
        self.codes: dict[tuple, tuple] = {}

    def switch(self, wanted: tuple) -> None:
        """Gives the function the code for what is wanted."""
        if wanted not in self.codes:
            made = self.compiled(self.body or write_body(self.row, wanted))
            self.codes[wanted] = made.__code__, made.__defaults__
        self.function.__code__, self.function.__defaults__ = self.codes[wanted]


PLAIN: tuple = ()
_CHEAP = ("kernel_ran", "op_ran", "take_stack")


def _in_force() -> tuple:
    """Returns what a specialised function has to do beside its work: see Note [Watched functions].

    "watch", "stages", and the cheap events that tools want.
    """
    wanted = [event for event in _CHEAP if getattr(events, event) is not None]
    kinds = {"watch": _watchers, "stages": events.has_stages}
    return (*(kind for kind, is_wanted in kinds.items() if is_wanted), *wanted)


def _specialise(row, scope: dict) -> None:
    """Puts into the scope of a function what the written code of its row needs."""
    scope["_Tensor"], scope["_Array"] = dispatch.Tensor, type(on_device(0))
    if not row.attrs:
        scope["_kernels_only"] = forward_kernel(row, ())
        scope["_record_kernels_only"] = forward_kernel(row, (), with_hidden=True)


def bind_vjp(row):
    """Returns what runs the VJP kernel of a node of this row: kernels.run_vjp, written out for it.

    Whatever is not common (a kernel that was not built yet, an output nothing arrived at) goes to
    run_vjp itself, and so do rows with lists or optional operands.
    """
    if row.has_lists or row.returns_list or row.has_optional:
        return partial(run_vjp, row)
    scope = {"_row": row, "_general": run_vjp, "_kernels": row.vjp_kernels}
    scope["_raise_modified"] = raise_modified
    scope |= {"_FAILURES": FAILURES, "_failure": failure, "_OwnError": JaxEagerError}
    return _compiled(f"run_{row.name}_vjp", "node, grads", write_vjp_body(row), scope)


_specialised: list[_Written] = []
_watchers = 0
_switched = PLAIN  # what all that was written has
_lock = threading.RLock()


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


def _count_watchers(change: int) -> None:
    global _watchers
    with _lock:
        before, _watchers = _watchers, _watchers + change
        if (before == 0) != (_watchers == 0):
            _switch_codes()


def _switch_codes() -> None:
    """Gives every function that was written the code that is in force."""
    global _switched
    with _lock:
        wanted = _in_force()
        if wanted != _switched:
            for each in _specialised:
                each.switch(wanted)
            _switched = wanted


events.on_change(_switch_codes)


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
