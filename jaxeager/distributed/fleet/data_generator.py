"""Programs that turn lines of text into the lines that a data feed reads."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

from jaxeager.errors import InvalidArgumentError, UnimplementedError

__all__ = ["DataGenerator", "MultiSlotDataGenerator", "MultiSlotStringDataGenerator"]


class DataGenerator:
    """The base of programs that write lines for a data feed to the standard output.

    A subclass overrides ``generate_sample``, and, to see whole batches, ``generate_batch``.
    """

    def __init__(self) -> None:
        self._proto_info: list[tuple[str, str]] | None = None
        self.batch_size_ = 32

    def set_batch(self, batch_size: int) -> None:
        """Set the number of samples that ``generate_batch`` gets."""
        self.batch_size_ = batch_size

    def generate_sample(self, line: str | None) -> Callable[[], Iterable]:
        """Return a function that yields the samples of a line: (name, values) of each slot.

        Args:
            line: a line; None for ``run_from_memory``.
        """
        raise UnimplementedError(
            "Please rewrite this function to return a list or tuple: "
            "[(name, [feasign, ...]), ...] or ((name, [feasign, ...]), ...)"
        )

    def generate_batch(self, samples: list) -> Callable[[], Iterable]:
        """Return a function that yields the samples of a batch; by default as they are."""
        return lambda: samples

    def run_from_memory(self) -> None:
        """Write the samples of ``generate_sample(None)``."""
        self._write(self.generate_sample(None)())

    def run_from_stdin(self) -> None:
        """Write the samples of every line of the standard input."""
        self._write(sample for line in sys.stdin for sample in self.generate_sample(line)())

    def _write(self, samples: Iterable) -> None:
        for batch in self._batches(samples):
            for sample in self.generate_batch(batch)():
                sys.stdout.write(self._gen_str(sample))

    def _batches(self, samples: Iterable) -> Iterator[list]:
        batch = []
        for sample in samples:
            if sample is not None:
                batch.append(sample)
                if len(batch) == self.batch_size_:
                    yield batch
                    batch = []
        if batch:
            yield batch

    def _gen_str(self, line: object) -> str:
        """Return the line of a sample."""
        raise UnimplementedError("pls use MultiSlotDataGenerator or PairWiseDataGenerator")


def _slots(line: object, example: str) -> Sequence:
    """Return the slots of a sample."""
    line = list(line) if isinstance(line, zip) else line
    if not isinstance(line, (list, tuple)):
        raise InvalidArgumentError(
            f"the output of process() must be in list or tuple type, such as {example}, but "
            f"received {line!r}."
        )
    return line


class MultiSlotStringDataGenerator(DataGenerator):
    """Writes slots whose values are texts: the number of values, then the values.

    Example:
        >>> from jaxeager.distributed import fleet
        >>> class Words(fleet.MultiSlotStringDataGenerator):
        ...     def generate_sample(self, line):
        ...         return lambda: [[("words", ["19", "8"]), ("label", ["1"])]]
        >>> Words().run_from_memory()
        2 19 8 1 1
    """

    def _gen_str(self, line: object) -> str:
        slots = _slots(line, "[('words', ['19', '8'])]")
        return " ".join(" ".join([str(len(v)), *v]) for _, v in slots) + "\n"


class MultiSlotDataGenerator(DataGenerator):
    """Writes slots whose values are numbers: the number of values, then the values.

    The first sample decides the names; a slot is of float once it had a float.

    Example:
        >>> from jaxeager.distributed import fleet
        >>> class Words(fleet.MultiSlotDataGenerator):
        ...     def generate_sample(self, line):
        ...         return lambda: [[("words", [19, 8]), ("label", [0.5])]]
        >>> words = Words()
        >>> words.run_from_memory(); words._proto_info
        2 19 8 1 0.5
        [('words', 'uint64'), ('label', 'float')]
    """

    def _gen_str(self, line: object) -> str:
        slots = _slots(line, "[('words', [19, 8])]")
        kinds = self._proto_info
        if kinds is not None and len(slots) != len(kinds):
            raise InvalidArgumentError(
                f"the complete field set of two given line are inconsistent: {len(kinds)} fields, "
                f"then {len(slots)}."
            )
        found = []
        for number, (name, values) in enumerate(slots):
            before = None if kinds is None else kinds[number]
            found.append((name, _kind(name, values, before)))
        self._proto_info = found
        return " ".join(" ".join(map(str, [len(v), *v])) for _, v in slots) + "\n"


def _kind(name: object, values: object, before: tuple[str, str] | None) -> str:
    """Return the kind of a slot from its values; a slot stays of float once it had a float."""
    if not isinstance(name, str):
        raise InvalidArgumentError(f"name{type(name)} must be in str type")
    if not isinstance(values, list):
        raise InvalidArgumentError(f"elements{type(values)} must be in list type")
    if not values:
        raise InvalidArgumentError(
            "the elements of each field can not be empty, you need padding it in process()."
        )
    if before is not None and name != before[0]:
        raise InvalidArgumentError(
            f"the field name of two given line are not match: require<{before[0]}>, get<{name}>."
        )
    wrong = [value for value in values if not isinstance(value, (int, float))]
    if wrong and (before is None or before[1] != "float"):
        raise InvalidArgumentError(f"the type of element{type(wrong[0])} must be in int or float")
    is_float = any(isinstance(value, float) for value in values)
    return "float" if is_float or (before is not None and before[1] == "float") else "uint64"
