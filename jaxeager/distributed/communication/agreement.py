"""The check that the ranks of a group make the same calls.

Note [Same calls]
    Ranks whose calls differ in the operation, dtype, shape, reduction or source misinterpret each
    other's bytes, mostly without an error. So each rank compares its call with that of the previous
    rank of the group, through the store of keys, before the call runs: if all neighbours agree, all
    ranks agree. A comparison takes as long as two small calls, and a training repeats the same few
    calls. So a call is compared when these ranks have made no call of its kind before, and every
    128th call is compared too. The line of code is not part of the kind: ranks may make one call on
    different lines. As long as the calls of all ranks agree, all ranks know which call is new.

    When they do not agree, a rank may wait for a message that is never sent. After two seconds it
    requests the last calls of the other rank, whose thread of rank_status.py answers; they show
    what the other rank did instead of this call.

    Calls may differ although both kinds were made before. Each comparison includes a running hash
    of all calls, so that the next comparison detects the difference, or the last one, when the
    program ends.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import jax

from jaxeager.core import flags
from jaxeager.distributed.communication import rank_status, world
from jaxeager.errors import InvalidArgumentError, UnavailableError

if TYPE_CHECKING:
    from jaxeager.distributed.communication.pending_calls import Call

EVERY = 128  # calls that are remembered, and the longest interval between comparisons
_PATIENCE_SECONDS = 2.0  # after which a rank that waits for a message sends a request
_ANSWER_SECONDS = 4.0
_STORE_ERRORS = (jax.errors.JaxRuntimeError, AttributeError)  # no such key; no store any more

_sequences: dict[tuple, _Calls] = {}
_lock = threading.Lock()


class Made(NamedTuple):
    """One call that a rank has made.

    Attributes:
        count: the number of calls among the same ranks in the same lane up to this one.
        call: the name of the call, and its operands.
        details: the other properties that must agree: group, kernel, settings, dtypes and shapes.
        number: the number of the call within the group, as errors show it.
        group: the number of the group.
        site: the user's line of code.
        history: a hash of this call and all earlier ones.
    """

    count: int
    call: str
    details: str
    number: int
    group: int
    site: str
    history: int

    def is_like(self, other: Made) -> bool:
        """Return whether two ranks can make these two calls together."""
        return self.call == other.call and self.details == other.details


class _Calls:
    """The calls of this rank among the same ranks in one lane."""

    def __init__(self, ranks: tuple[int, ...], lane: tuple):
        place = ranks.index(world.rank())
        self.before, self.after = ranks[place - 1], ranks[(place + 1) % len(ranks)]
        self.id = hashlib.blake2b(repr((ranks, lane)).encode(), digest_size=8).hexdigest()
        self.kinds: dict[str, int] = {}
        self.last: deque[Made] = deque(maxlen=EVERY)
        self.count = self.history = 0
        self.raised = 0  # the count of the last call for which a difference was raised

    def add(self, call: Call) -> bool:
        """Add a call, and return whether it is the first of its kind."""
        name = "send or recv" if call.lane[0] == "p2p" else call.name
        shown = f"{name}({call.operands})"
        kind = f"{shown} {call.details}"
        is_new = kind not in self.kinds
        if is_new:
            digest = hashlib.blake2b(kind.encode(), digest_size=8).digest()
            self.kinds[kind] = int.from_bytes(digest)
        self.count += 1
        self.history = (self.history * 0x5851F42D4C957F2D + self.kinds[kind]) % 2**64
        self.last.append(
            Made(self.count, shown, call.details, call.number, call.group, call.site, self.history)
        )
        return is_new

    def compare(self, limit: float) -> None:
        """Compare the last call with that of the previous rank.

        Raises:
            InvalidArgumentError: when they differ, or earlier calls differed.
            UnavailableError: when that rank does not respond in time.
        """
        own = self.last[-1]
        world.store().key_value_set(self._key(world.rank(), own), json.dumps(own))
        try:
            other = self._word(own, limit)
            if not own.is_like(other):
                raise self._differ(own, other)
            if own.history != other.history:
                raise self._differed_before(own)
        except InvalidArgumentError:
            self.history, self.raised = 0, own.count  # a program may catch it, and continue
            raise

    def _key(self, rank: int, made: Made) -> str:
        return f"jaxeager/check/{self.id}/{made.count}/{rank}"

    def _word(self, own: Made, limit: float) -> Made:
        """Return the call of the previous rank, whose message only this rank reads."""
        key, store = self._key(self.before, own), world.store()
        until, was_like = time.monotonic() + limit, False
        while (left := until - time.monotonic()) > 0:
            try:
                text = store.blocking_key_value_get(key, int(1000 * min(left, _PATIENCE_SECONDS)))
            except jax.errors.JaxRuntimeError as error:
                if "DEADLINE_EXCEEDED" not in str(error):
                    raise
            else:
                store.key_value_delete(key)
                return Made(*json.loads(text))
            was_like = self._check_previous(own, was_like)
        raise UnavailableError(
            f"{own.call}, number {own.number} of group {own.group}, has not ended on rank "
            f"{world.rank()} within {limit:g} s, at {own.site}: rank {self.before} has not joined."
            f"{rank_status.shown(rank_status.of_others((self.before,)))}"
        )

    def _check_previous(self, own: Made, was_like: bool) -> bool:
        """Check what the previous rank did instead of a call.

        Args:
            own: the call.
            was_like: the result of the last check.

        Returns:
            Whether that rank makes the same call, and has not compared it yet.

        Raises:
            InvalidArgumentError: when it made another call, now or earlier, or does not compare
                this one.
            UnavailableError: when it has ended without it.
        """
        theirs, has_ended = self._asked(self.before)
        found = next((each for each in theirs if each.count == own.count), None)
        if found is None:
            pair = self._first_difference(theirs)  # it may be stuck in an earlier call
            if pair is not None:
                raise self._differ(*pair)
            if has_ended:
                raise UnavailableError(
                    f"{own.call}, number {own.number} of group {own.group}, cannot end: rank "
                    f"{self.before} has ended without it. Rank {world.rank()} is at {own.site}."
                )
            return False
        if not own.is_like(found):
            raise self._differ(own, found)
        if was_like:
            raise self._differed_before(own, theirs)
        return True

    def _asked(self, rank: int) -> tuple[list[Made], bool]:
        """Return the last calls of a rank (none without an answer), and whether it has ended."""
        store = world.store()
        ended, answer = (f"jaxeager/{kind}/{rank}/{self.id}" for kind in ("ended", "answers"))
        with contextlib.suppress(*_STORE_ERRORS):
            store.key_value_delete(answer)
            store.key_value_set(f"jaxeager/asks/{rank}/{self.id}", "", allow_overwrite=True)
        until = time.monotonic() + _ANSWER_SECONDS
        while time.monotonic() < until:
            for key in (ended, answer):
                with contextlib.suppress(*_STORE_ERRORS):
                    text = store.key_value_try_get(key)
                    return [Made(*each) for each in json.loads(text)], key == ended
            time.sleep(0.2)
        return [], False

    def _first_difference(self, theirs: Sequence[Made]) -> tuple[Made, Made] | None:
        """Return the first two differing calls after those for which a difference was raised."""
        own = [each for each in self.last if each.count > self.raised]
        return first_difference(own, theirs)

    def _differ(self, own: Made, other: Made) -> InvalidArgumentError:
        """Return the error that names two calls."""
        rows = {world.rank(): own, self.before: other}
        hidden = own.call == other.call
        lines = "".join(
            f"\n  rank {rank}: {each.call}{f' with {each.details}' if hidden else ''}, "
            f"at {each.site}"
            for rank, each in sorted(rows.items())
        )
        return InvalidArgumentError(
            f"The ranks of group {own.group} do not make the same call, number {own.number}:{lines}"
            "\nAll ranks of a group make the same calls in the same order, with equal dtypes, "
            "shapes and settings."
        )

    def _differed_before(self, own: Made, theirs: Sequence[Made] = ()) -> InvalidArgumentError:
        """Return the error for calls that differed before the compared one."""
        theirs = theirs or self._asked(self.before)[0]
        pair = self._first_difference(theirs)
        if pair is not None:
            return self._differ(*pair)
        return InvalidArgumentError(
            f"The ranks of group {own.group} do not make the same calls. At number {own.number}, "
            f"{own.call}, at {own.site}, rank {self.before} has made other calls before it than "
            f"rank {world.rank()}, or has another value of FLAGS_check_collectives."
        )


def first_difference(own: Sequence[Made], others: Sequence[Made]) -> tuple[Made, Made] | None:
    """Return the first two calls with the same count that differ, None if there are none."""
    theirs = {each.count: each for each in others}
    pairs = ((each, theirs[each.count]) for each in own if each.count in theirs)
    return next((pair for pair in pairs if not pair[0].is_like(pair[1])), None)


@functools.lru_cache(1024)
def text_of(kinds: tuple[tuple[tuple[int, ...], object], ...]) -> str:
    """Return shapes and dtypes as text, or its hash when it is long."""
    text = " ".join(f"{dtype}{list(shape)}" for shape, dtype in kinds)
    if len(text) <= 100:
        return text
    return (
        f"{len(kinds)} tensors of hash {hashlib.blake2b(text.encode(), digest_size=8).hexdigest()}"
    )


def compare(call: Call) -> None:
    """Compare a call with those of other ranks if that is due; see Note [Same calls].

    Raises:
        InvalidArgumentError: when they differ.
        UnavailableError: when another rank does not respond in time.
    """
    calls = _sequences.get((call.ranks, call.lane)) or _begun(call)
    is_new = calls.add(call)
    how = flags.flag("FLAGS_check_collectives")
    if how is True or (how and (is_new or calls.count % EVERY == 0)):
        calls.compare(call.limit)


def _begun(call: Call) -> _Calls:
    """Return new records for calls among ranks that have made none yet."""
    with _lock:
        if not _sequences:
            rank_status.each_second.append(answer)
        return _sequences.setdefault((call.ranks, call.lane), _Calls(call.ranks, call.lane))


def answer() -> None:
    """Write the last calls of this rank for ranks that have requested them."""
    prefix, store = f"jaxeager/asks/{world.rank()}/", world.store()
    with contextlib.suppress(*_STORE_ERRORS):
        for key, _ in store.key_value_dir_get(prefix):
            store.key_value_delete(key)
            _write("answers", key.removeprefix(prefix))


def _write(kind: str, which: str) -> None:
    made = next((list(each.last) for each in list(_sequences.values()) if each.id == which), [])
    world.store().key_value_set(
        f"jaxeager/{kind}/{world.rank()}/{which}", json.dumps(made), allow_overwrite=True
    )


def compare_at_the_end() -> None:
    """Compare the last calls of this rank with those of neighbours that have ended.

    Both write before they read, so at least the later one detects a difference.

    Raises:
        InvalidArgumentError: when they differ.
    """
    if not flags.flag("FLAGS_check_collectives"):
        return
    with contextlib.suppress(*_STORE_ERRORS):  # rank 0, which keeps the store, may have ended
        for each in _sequences.values():
            _write("ended", each.id)
        for each in _sequences.values():
            _compare_ended(each)


def _compare_ended(calls: _Calls) -> None:
    """Raise InvalidArgumentError when a neighbour has ended after other calls."""
    for rank in {calls.before, calls.after}:
        with contextlib.suppress(jax.errors.JaxRuntimeError):  # it has not ended yet
            text = world.store().key_value_try_get(f"jaxeager/ended/{rank}/{calls.id}")
            theirs = [Made(*each) for each in json.loads(text)]
            calls.before = rank
            pair = calls._first_difference(theirs)
            if pair is not None:
                raise calls._differ(*pair)
