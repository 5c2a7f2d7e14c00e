"""Worker processes of whole scripts: without a main guard, interrupted, left, ended."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

START = """
import os, sys, time
import numpy as np
import jaxeager as paddle
"""


def start(code, *arguments, **options):
    """Start a script, which is read from standard input."""
    half_written = "ignore:Error reading persistent compilation cache"  # see tests/conftest.py
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(["", *filter(None, sys.path)])}
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-W", half_written, "-", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        **options,
    )
    process.stdin.write(START + textwrap.dedent(code))
    process.stdin.close()
    process.stdin = None
    return process


def run(code):
    """Return what a script printed, line by line; it must end well."""
    process = start(code)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return output.splitlines()


def gone(pids, within_s=60.0):
    """Wait until processes have ended; return whether they did."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        try:
            for pid in pids:
                os.kill(pid, 0)
                break
            else:
                return True
        except ProcessLookupError:
            pids = pids[1:]
        time.sleep(0.01)
    return False


def test_no_main_guard():
    """The names that the script defines reach the workers, which do not import jax."""
    assert run(
        """
        import enum, functools, collections
        from dataclasses import dataclass, fields

        SCALE = 10
        Pair = collections.namedtuple("Pair", "image label")

        class Kind(enum.Enum):
            EVEN = 0
            ODD = 1

        @dataclass
        class Options:
            shift: int = 1

        def scaled(value):
            return value * SCALE + OPTIONS.shift

        OPTIONS = Options(3)

        class Base(paddle.io.Dataset):
            def __init__(self, count):
                self.count = count
                self.transform = lambda value: scaled(value)

            def __len__(self):
                return self.count

        class Numbers(Base):
            __slots__ = ("extra",)

            def __init__(self, count):
                super().__init__(count)
                self.extra = np.arange(count)

            @functools.cached_property
            def table(self):
                return {Kind.EVEN: 0, Kind.ODD: 100}

            @staticmethod
            def kind(index):
                return Kind(index % 2)

            @classmethod
            def name(cls):
                return cls.__name__

            @property
            def is_light(self):
                return "jax" not in sys.modules

            def __getitem__(self, index):
                assert self.is_light and self.name() == "Numbers" and __name__ == "__main__"
                assert [field.name for field in fields(OPTIONS)] == ["shift"]
                assert self.extra[index] == index
                return self.transform(index) + self.table[self.kind(index)], index

        def collate(samples):
            values, indices = zip(*samples)
            return Pair(np.array(values), list(indices))

        how = {"batch_size": 2, "num_workers": 2, "collate_fn": collate}
        for batch in paddle.io.DataLoader(Numbers(4), **how):
            print(batch[0].tolist(), batch[1])
        """
    ) == ["[3, 113] [0, 1]", "[23, 133] [2, 3]"]


@pytest.mark.deep
def test_classes_of_every_kind_without_a_main_guard():
    """Enumerations with methods and aliases, generics, slots, nested and abstract classes."""
    assert run(
        """
        import abc, enum, pickle, typing

        class Label(enum.Enum):
            CAT = 1
            KITTEN = 1
            DOG = 2

            @property
            def size(self):
                return self.value * 10

        class Side(enum.Flag):
            LEFT = 1
            RIGHT = 2
            BOTH = 3

        Sample = typing.TypeVar("Sample")

        class Box(typing.Generic[Sample]):
            __slots__ = ("__hidden", "open")

            def __init__(self, hidden):
                self.__hidden = hidden

            def look(self):
                return self.__hidden

        class Reader(abc.ABC):
            @abc.abstractmethod
            def read(self): ...

        class Files(paddle.io.Dataset):
            class Row(Reader):
                def read(self):
                    return "row"

            def __len__(self):
                return 1

            def __getitem__(self, index) -> "paddle.Tensor":
                assert Label["KITTEN"] is Label.CAT and Label.DOG.size == 20
                assert Side["BOTH"] == Side.LEFT | Side.RIGHT
                assert BOX.look() == [7] and not hasattr(BOX, "open")
                assert pickle.loads(pickle.dumps(Files.Row)) is Files.Row
                assert "jax" not in sys.modules
                return Files.Row().read()

        BOX = Box[list]([7])
        how = {"num_workers": 1, "batch_size": None, "collate_fn": lambda sample: sample}
        print(list(paddle.io.DataLoader(Files(), **how)))
        """
    ) == ["['row']"]


def test_an_open_file_cannot_be_sent_to_a_worker():
    """An open text file is an error, though cloudpickle would send the unread rest."""
    assert run(
        """
        from jaxeager.errors import InvalidTypeError

        class Lines(paddle.io.Dataset):
            def __init__(self):
                self.file = open(os.devnull)

            def __len__(self):
                return 1

        data = Lines()
        try:
            iter(paddle.io.DataLoader(data, num_workers=1))
        except InvalidTypeError as error:
            print("dataset.file, of type TextIOWrapper" in str(error))
        data.file.close()
        """
    ) == ["True"]


def test_errors_of_the_script_keep_their_type():
    """An exception class of the script is caught by its name."""
    assert run(
        """
        class Unreadable(Exception):
            pass

        class Data(paddle.io.Dataset):
            def __len__(self):
                return 2

            def __getitem__(self, index):
                raise Unreadable(f"sample {index}")

        try:
            list(paddle.io.DataLoader(Data(), num_workers=1))
        except Unreadable as error:
            print(str(error).splitlines()[0])
        """
    ) == ["sample 0"]


# A run of the tests in the background of a shell ignores Ctrl-C, and its children would too.
HEARS_CTRL_C = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
"""
LOADER = """
class Data(paddle.io.Dataset):
    def __len__(self):
        return 1000

    def __getitem__(self, index):
        time.sleep(0.01 if index < 2 else 0.2)
        return os.getpid()

reading = iter(paddle.io.DataLoader(Data(), num_workers=2))
pids = [next(reading).item() for _ in range(2)]
print(*pids, os.getpid(), flush=True)
"""


def test_the_end_of_a_script_ends_the_workers():
    """They end although an iteration is running, and without output on stderr."""
    process = start(LOADER)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0
    assert errors == ""
    assert gone([int(pid) for pid in output.split()])


@pytest.mark.parametrize(
    "how",
    [*(pytest.param(each, marks=pytest.mark.deep) for each in ("abandons", "fails")), "is killed"],
)
def test_other_ends(how):
    """An error, os._exit and a kill of the script leave no worker."""
    last = {
        "abandons": "os._exit(0)",
        "fails": "raise ValueError('end')",
        "is killed": "time.sleep(60)",
    }[how]
    process = start(f"{LOADER}\n{last}\n")
    pids = [int(pid) for pid in process.stdout.readline().split()]
    if how == "is killed":
        process.kill()
    _, errors = process.communicate(timeout=120)
    assert ("ValueError: end" in errors) == (how == "fails")
    assert gone(pids)


def test_ctrl_c():
    """A KeyboardInterrupt where the script is, a quick end, one traceback, no workers."""
    process = start(
        HEARS_CTRL_C
        + LOADER
        + """
try:
    print("inside", flush=True)
    for batch in reading:
        pass
except KeyboardInterrupt:
    print("interrupted", flush=True)
    raise
""",
        start_new_session=True,
    )
    pids = [int(pid) for pid in process.stdout.readline().split()]
    assert process.stdout.readline() == "inside\n"  # however long the machine takes to get there
    time.sleep(0.3)  # so that it waits for a batch, as it nearly always does
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=60)  # all batches would take longer
    assert output == "interrupted\n"
    assert errors.count("Traceback") == 1
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert gone(pids)


def test_samples_are_padded_in_workers_without_jax():
    assert run(
        """
        class Texts(paddle.io.Dataset):
            def __len__(self):
                return 4

            def __getitem__(self, index):
                return np.full([index + 1], index), "jax" in sys.modules

        class Pad(paddle.io.PadCollate):
            def __call__(self, samples):
                return [*super().__call__(samples), "jax" in sys.modules]

        how = {"batch_size": 2, "num_workers": 2, "collate_fn": Pad(lengths=[2, 4])}
        for numbers, has_jax, had_jax in paddle.io.DataLoader(Texts(), **how):
            print(numbers.tolist(), has_jax.tolist(), had_jax)
        """
    ) == [
        "[[0, 0], [1, 1]] [False, False] False",
        "[[2, 2, 2, 0], [3, 3, 3, 3]] [False, False] False",
    ]
