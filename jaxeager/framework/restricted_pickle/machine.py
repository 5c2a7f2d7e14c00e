"""The machine that executes pickles; one method per opcode."""

import codecs
import pickle
import re
import struct
from collections.abc import Callable
from typing import Any

from jaxeager.framework.restricted_pickle.arrays import Array, Dtype
from jaxeager.framework.restricted_pickle.containers import Members, Pairs, Settings
from jaxeager.framework.restricted_pickle.damage import Damage
from jaxeager.framework.restricted_pickle.described_records import PartRecord
from jaxeager.framework.restricted_pickle.draw_states import DrawState
from jaxeager.framework.restricted_pickle.escapes import unescaped
from jaxeager.framework.restricted_pickle.makers import call, global_named, new_object

_WORK = 64  # steps beyond the opcodes, per byte of the file
_COPIES = 4  # bytes copied, per byte of the file
_LONG_BYTES = 1024  # from this length on, bytes stay a view of the file
_DIGITS = 4300  # the most that Python's int() accepts
_DECIMAL = re.compile(rb"[+-]?[0-9]+")
_FLOAT = re.compile(rb"[+-]?(?:[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|inf|nan)")
_OPCODES: list[Callable[["Machine"], None] | None] = [None] * 256
_STOP = pickle.STOP[0]


def _opcode(*codes: bytes) -> Callable:
    """Add a method to the table of opcodes."""

    def decorator(method: Callable) -> Callable:
        for code in codes:
            _OPCODES[code[0]] = method
        return method

    return decorator


class Machine:
    """A machine that runs one pickle.

    Args:
        data: the file, from the pickle's first byte.

    Attributes:
        at: the position of the next byte.
        start: the position of the running opcode.
        stack: the values since the last mark.
        work: the steps beyond one per opcode; never above ``limit``.
        limit: the bound of ``work``, proportional to the length of the file.
        copied: the number of bytes copied; never above four times the length of the file.
    """

    def __init__(self, data: bytes):
        self.at = 0
        self.start = 0
        self.stack: list[Any] = []
        self.work = 0
        self.limit = _WORK * (len(data) + 1)
        self.copied = 0
        self._data = data
        self._view = memoryview(data)
        self._marked: list[list[Any]] = []
        self._memo: list[Any] = []
        self._kept = 0

    def run(self) -> Any:
        """Run the pickle; return its result, made of values and descriptions.

        Raises:
            Damage: for any action that a pickle of values does not need.
        """
        data = self._data
        while True:
            start = self.start = self.at
            if start >= len(data):
                raise Damage("it ends too early")
            self.at = start + 1
            if data[start] == _STOP:
                break
            method = _OPCODES[data[start]]
            if method is None:
                raise Damage(
                    f"it has the byte {data[start : start + 1]!r} where an opcode should be"
                )
            method(self)
        if self._marked or len(self.stack) != 1:
            raise Damage("it stops with more or less than one value")
        return self.stack.pop()

    # ---- bounds

    def spend(self, steps: int) -> None:
        """Count steps; raise Damage when a file needs more than its length allows."""
        self.work += steps
        if self.work > self.limit:
            self.work = self.limit
            raise Damage("it requires more work than a file of its length can need")

    def copy(self, count: int) -> None:
        """Count copied bytes; raise Damage when a file needs more than its length allows."""
        self.copied += count
        if self.copied > _COPIES * len(self._data):
            self.copied = _COPIES * len(self._data)
            raise Damage("it requires more memory than a file of its length can need")

    # ---- reading

    def _take(self, count: int) -> bytes:
        return self._data[self._pass(count) : self.at]

    def _pass(self, count: int) -> int:
        """Skip ``count`` bytes, and return where they begin."""
        begin, left = self.at, len(self._data) - self.at
        if count > left:
            raise Damage(f"it ends too early: {count} bytes should follow, but {left} do")
        self.at = begin + count
        return begin

    def _number(self, size: int) -> int:
        """Return a little-endian unsigned number of ``size`` bytes."""
        return int.from_bytes(self._take(size), "little")

    def _byte(self) -> int:
        return self._data[self._pass(1)]

    def _line(self) -> bytes:
        """Return the rest of a line of text."""
        end = self._data.find(b"\n", self.at)
        if end < 0:
            raise Damage("it ends in the middle of a line")
        line = self._data[self.at : end]
        self.at = end + 1
        return line

    def _decimal(self, line: bytes) -> int:
        if len(line) > _DIGITS or _DECIMAL.fullmatch(line) is None:
            raise Damage(f"it has {line[:20]!r} for a number")
        return int(line)

    def _bytes(self, count: int) -> bytes | memoryview:
        if count < _LONG_BYTES:
            return self._take(count)
        return self._view[self._pass(count) : self.at]

    def _text(self, count: int) -> str:
        try:
            return str(self._view[self._pass(count) : self.at], "utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise Damage(f"it has text that is not UTF-8: {error.reason}") from None

    # ---- the stack

    def _pop(self) -> Any:
        if not self.stack:
            raise Damage("it takes a value from an empty stack")
        return self.stack.pop()

    def _top(self, kind: type, what: str) -> Any:
        if not self.stack or type(self.stack[-1]) is not kind:
            raise Damage(f"it adds to a {what}, but there is none on the stack")
        return self.stack[-1]

    def _since_mark(self) -> list[Any]:
        """Return the values since the last mark, and remove the mark."""
        if not self._marked:
            raise Damage("it takes values since a mark, but there is none")
        items, self.stack = self.stack, self._marked.pop()
        return items

    def _pairs_since_mark(self) -> list[Any]:
        items = self._since_mark()
        if len(items) % 2:
            raise Damage("it has a key without a value")
        return items

    @_opcode(pickle.MARK)
    def _mark(self) -> None:
        self._marked.append(self.stack)
        self.stack = []

    @_opcode(pickle.POP)
    def _forget(self) -> None:
        if self.stack:
            self.stack.pop()
        else:
            self._since_mark()

    @_opcode(pickle.POP_MARK)
    def _forget_since_mark(self) -> None:
        self._since_mark()

    @_opcode(pickle.DUP)
    def _twice(self) -> None:
        self.stack.append(self._pop())
        self.stack.append(self.stack[-1])

    # ---- numbers

    @_opcode(pickle.INT)
    def _int_line(self) -> None:
        line = self._line()
        truths = {b"00": False, b"01": True}
        self.stack.append(truths[line] if line in truths else self._decimal(line))

    @_opcode(pickle.LONG)
    def _long_line(self) -> None:
        self.stack.append(self._decimal(self._line().removesuffix(b"L")))

    @_opcode(pickle.BININT)
    def _binint(self) -> None:
        self.stack.append(int.from_bytes(self._take(4), "little", signed=True))

    @_opcode(pickle.BININT1)
    def _binint1(self) -> None:
        self.stack.append(self._byte())

    @_opcode(pickle.BININT2)
    def _binint2(self) -> None:
        self.stack.append(self._number(2))

    @_opcode(pickle.LONG1)
    def _long1(self) -> None:
        self._long_of(self._byte())

    @_opcode(pickle.LONG4)
    def _long4(self) -> None:
        self._long_of(self._number(4))

    def _long_of(self, count: int) -> None:
        self.stack.append(int.from_bytes(self._take(count), "little", signed=True))

    @_opcode(pickle.FLOAT)
    def _float_line(self) -> None:
        line = self._line()
        if len(line) > _DIGITS or _FLOAT.fullmatch(line) is None:
            raise Damage(f"it has {line[:20]!r} for a number")
        self.stack.append(float(line))

    @_opcode(pickle.BINFLOAT)
    def _binfloat(self) -> None:
        self.stack.append(struct.unpack_from(">d", self._data, self._pass(8))[0])

    @_opcode(pickle.NONE)
    def _none(self) -> None:
        self.stack.append(None)

    @_opcode(pickle.NEWTRUE)
    def _true(self) -> None:
        self.stack.append(True)

    @_opcode(pickle.NEWFALSE)
    def _false(self) -> None:
        self.stack.append(False)

    # ---- text and bytes

    @_opcode(pickle.STRING)
    def _string_line(self) -> None:
        line = self._line()
        if len(line) < 2 or line[:1] != line[-1:] or line[0] not in b"'\"":
            raise Damage("it has text without quotation marks")
        self.stack.append(unescaped(line[1:-1]).decode("latin1"))

    @_opcode(pickle.BINSTRING)
    def _binstring(self) -> None:
        self.stack.append(str(self._bytes(self._number(4)), "latin1"))

    @_opcode(pickle.SHORT_BINSTRING)
    def _short_binstring(self) -> None:
        self.stack.append(self._take(self._byte()).decode("latin1"))

    @_opcode(pickle.UNICODE)
    def _unicode_line(self) -> None:
        try:
            self.stack.append(codecs.raw_unicode_escape_decode(self._line())[0])
        except UnicodeDecodeError as error:
            raise Damage(f"it has damaged text: {error.reason}") from None

    @_opcode(pickle.BINUNICODE)
    def _binunicode(self) -> None:
        self.stack.append(self._text(self._number(4)))

    @_opcode(pickle.SHORT_BINUNICODE)
    def _short_binunicode(self) -> None:
        self.stack.append(self._text(self._byte()))

    @_opcode(pickle.BINUNICODE8)
    def _binunicode8(self) -> None:
        self.stack.append(self._text(self._number(8)))

    @_opcode(pickle.BINBYTES)
    def _binbytes(self) -> None:
        self.stack.append(self._bytes(self._number(4)))

    @_opcode(pickle.SHORT_BINBYTES)
    def _short_binbytes(self) -> None:
        self.stack.append(self._bytes(self._byte()))

    @_opcode(pickle.BINBYTES8)
    def _binbytes8(self) -> None:
        self.stack.append(self._bytes(self._number(8)))

    @_opcode(pickle.BYTEARRAY8)
    def _bytearray8(self) -> None:
        self.stack.append(bytearray(self._bytes(self._number(8))))

    # ---- containers

    @_opcode(pickle.EMPTY_LIST)
    def _empty_list(self) -> None:
        self.stack.append([])

    @_opcode(pickle.LIST)
    def _list(self) -> None:
        items = self._since_mark()  # which restores the stack
        self.stack.append(items)

    @_opcode(pickle.APPEND)
    def _append(self) -> None:
        item = self._pop()
        self._top(list, "list").append(item)

    @_opcode(pickle.APPENDS)
    def _appends(self) -> None:
        items = self._since_mark()
        self._top(list, "list").extend(items)

    @_opcode(pickle.EMPTY_TUPLE)
    def _empty_tuple(self) -> None:
        self.stack.append(())

    @_opcode(pickle.TUPLE)
    def _tuple(self) -> None:
        items = self._since_mark()
        self.stack.append(tuple(items))

    @_opcode(pickle.TUPLE1)
    def _tuple1(self) -> None:
        self.stack.append((self._pop(),))

    @_opcode(pickle.TUPLE2)
    def _tuple2(self) -> None:
        last = self._pop()
        self.stack.append((self._pop(), last))

    @_opcode(pickle.TUPLE3)
    def _tuple3(self) -> None:
        last, middle = self._pop(), self._pop()
        self.stack.append((self._pop(), middle, last))

    @_opcode(pickle.EMPTY_DICT)
    def _empty_dict(self) -> None:
        self.stack.append(Pairs(self.start, []))

    @_opcode(pickle.DICT)
    def _dict(self) -> None:
        items = self._pairs_since_mark()
        self.stack.append(Pairs(self.start, items))

    @_opcode(pickle.SETITEM)
    def _setitem(self) -> None:
        value, key = self._pop(), self._pop()
        self._top(Pairs, "dict").items += (key, value)

    @_opcode(pickle.SETITEMS)
    def _setitems(self) -> None:
        items = self._pairs_since_mark()
        self._top(Pairs, "dict").items += items

    @_opcode(pickle.EMPTY_SET)
    def _empty_set(self) -> None:
        self.stack.append(Members(self.start, []))

    @_opcode(pickle.ADDITEMS)
    def _additems(self) -> None:
        items = self._since_mark()
        members = self._top(Members, "set")
        if members.is_frozen:
            raise Damage("it adds to a frozenset")
        members.items += items

    @_opcode(pickle.FROZENSET)
    def _frozenset(self) -> None:
        items = self._since_mark()
        self.stack.append(Members(self.start, items, is_frozen=True))

    # ---- the memo

    @_opcode(pickle.GET)
    def _get_line(self) -> None:
        self._get(self._decimal(self._line()))

    @_opcode(pickle.BINGET)
    def _binget(self) -> None:
        self._get(self._byte())

    @_opcode(pickle.LONG_BINGET)
    def _long_binget(self) -> None:
        self._get(self._number(4))

    def _get(self, place: int) -> None:
        if not 0 <= place < len(self._memo) or self._memo[place] is _NOTHING:
            raise Damage(f"it reads the value with number {place}, which it never stored")
        self.stack.append(self._memo[place])

    @_opcode(pickle.PUT)
    def _put_line(self) -> None:
        self._put(self._decimal(self._line()))

    @_opcode(pickle.BINPUT)
    def _binput(self) -> None:
        self._put(self._byte())

    @_opcode(pickle.LONG_BINPUT)
    def _long_binput(self) -> None:
        self._put(self._number(4))

    @_opcode(pickle.MEMOIZE)
    def _memoize(self) -> None:
        self._put(self._kept)

    def _put(self, place: int) -> None:
        if not self.stack:
            raise Damage("it stores a value, but there is none on the stack")
        if not 0 <= place <= self.start:  # each kept value has at least one byte of the file
            raise Damage(f"it stores a value as number {place}, which is more than it can have")
        if place >= len(self._memo):
            self._memo += [_NOTHING] * (place + 1 - len(self._memo))
        self._kept += self._memo[place] is _NOTHING
        self._memo[place] = self.stack[-1]

    # ---- names, and the objects created with them

    @_opcode(pickle.GLOBAL)
    def _global(self) -> None:
        module, name = (line.decode("latin1") for line in (self._line(), self._line()))
        self.stack.append(global_named(self.start, module, name))

    @_opcode(pickle.STACK_GLOBAL)
    def _stack_global(self) -> None:
        name, module = self._pop(), self._pop()
        self.stack.append(global_named(self.start, module, name))

    @_opcode(pickle.REDUCE)
    def _reduce(self) -> None:
        args, function = self._pop(), self._pop()
        self.stack.append(call(self, function, args))

    @_opcode(pickle.NEWOBJ)
    def _new_object(self) -> None:
        args, function = self._pop(), self._pop()
        self.stack.append(new_object(self, function, args))

    @_opcode(pickle.BUILD)
    def _build(self) -> None:
        state = self._pop()
        described: Any = self.stack[-1] if self.stack else None
        if type(described) is Array:
            described.set_state(self, state)
        elif type(described) in (Dtype, DrawState, PartRecord, Settings):
            described.set_state(state)
        elif type(described) is not Pairs or not described.is_ordered:
            raise Damage("it sets the state of an object that is not an array")
        # The attributes of an OrderedDict (torch's state dicts have them) are not kept.

    @_opcode(
        *(pickle.INST, pickle.OBJ, pickle.NEWOBJ_EX),
        *(pickle.EXT1, pickle.EXT2, pickle.EXT4),
        *(pickle.PERSID, pickle.BINPERSID, pickle.NEXT_BUFFER, pickle.READONLY_BUFFER),
    )
    def _refuse(self) -> None:
        raise Damage(f"it requests {_REFUSED[self._data[self.start]]}")

    # ---- the frame

    @_opcode(pickle.PROTO)
    def _proto(self) -> None:
        protocol = self._byte()
        if protocol > 5:
            raise Damage(f"it is written in protocol {protocol}, but the last one is 5")

    @_opcode(pickle.FRAME)
    def _frame(self) -> None:
        size, left = self._number(8), len(self._data) - self.at
        if size > left:
            raise Damage(f"it ends too early: {size} bytes should follow, but {left} do")


_NOTHING = object()
_REFUSED = {
    **dict.fromkeys(b"io\x92", "an object of a class"),
    **dict.fromkeys(b"\x82\x83\x84", "a name of copyreg's registry"),
    **dict.fromkeys(b"PQ", "an object that is not in the file"),
    **dict.fromkeys(b"\x97\x98", "bytes outside the file"),
}
