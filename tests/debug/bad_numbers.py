"""Small programs that make NaN and Inf, run on either library: ``python bad_numbers.py LIBRARY``.

Prints "===== program level" before what each program prints at each level, and the error's first
line when it raised.
"""

import importlib
import sys

import numpy as np

NAN, INF = float("nan"), float("inf")
PROGRAMS = {}


def program(function):
    """Registers a program under its name."""
    PROGRAMS[function.__name__] = function
    return function


def plus_zero(name, values, dtype="float32"):
    """Registers a program that adds 0 to some numbers."""
    PROGRAMS[name] = lambda paddle: paddle.to_tensor(np.array(values, dtype)) + 0.0


plus_zero("nan_first", [NAN, 1.0, 2.0])
plus_zero("nan_last", [1.0, 2.0, NAN])
plus_zero("only_nan", [NAN, NAN])
plus_zero("infinite", [1.0, INF])
plus_zero("minus_infinite_and_zeros", [0.0, -INF, 0.0])
plus_zero("beyond_float16", [1.0, 70000.0])
plus_zero("largest_float16", [1.0, 65504.0])
plus_zero("below_float16", [1.0, 1e-8])
plus_zero("float64_nan", [1.0, NAN], "float64")
plus_zero("float64_beyond_float16", [1.0, 70000.0], "float64")
plus_zero("float16_infinite", [1.0, INF], "float16")
plus_zero("zero_dimensional", NAN)
plus_zero("empty", np.zeros([0, 2]))
plus_zero("large", np.where(np.arange(5000) == 4321, NAN, 1.0))
plus_zero("large_that_overflows_a_dot_product", np.full([5000], 3e38))


@program
def complex_nan(paddle):
    paddle.to_tensor(np.array([complex(NAN, 1)], "complex64")) + paddle.to_tensor(
        np.array([1j], "complex64")
    )


@program
def integers_and_bools(paddle):
    x = paddle.to_tensor([1, 2]) + paddle.to_tensor([1, 2])
    return x > 0


@program
def only_to_tensor(paddle):
    paddle.to_tensor([NAN])


@program
def fill_with_nan(paddle):
    paddle.full([2], NAN)


@program
def fill_with_infinity(paddle):
    paddle.full([2], -INF)
    paddle.ones([2]).fill_(INF)


@program
def a_view(paddle):
    paddle.to_tensor([NAN, 1.0]).reshape([2, 1])


@program
def a_slice(paddle):
    paddle.to_tensor([NAN, 1.0])[0]


@program
def in_place(paddle):
    paddle.ones([2]).add_(paddle.to_tensor([NAN, 1.0]))


@program
def set_item(paddle):
    paddle.ones([2])[0] = NAN


@program
def two_outputs(paddle):
    paddle.topk(paddle.to_tensor([NAN, 1.0, 2.0]), 2)


@program
def a_list_of_outputs(paddle):
    paddle.split(paddle.to_tensor([NAN, 1.0, 2.0, INF]), 2)


@program
def isnan_has_bools(paddle):
    paddle.isnan(paddle.to_tensor([NAN]))


@program
def nan_to_num(paddle):
    paddle.nan_to_num(paddle.to_tensor([NAN, 1.0, INF]))


@program
def where(paddle):
    chosen = paddle.to_tensor([True, False])
    paddle.where(chosen, paddle.to_tensor([1.0, 1.0]), paddle.to_tensor([NAN, NAN]))


@program
def log_of_what_is_negative(paddle):
    x = paddle.to_tensor([1.0, 0.5, 3.0])
    x.stop_gradient = False
    paddle.log(x - 1)


@program
def sqrt_at_zero_backward(paddle):
    x = paddle.to_tensor([0.0, 4.0, 9.0])
    x.stop_gradient = False
    (paddle.sqrt(x) * paddle.to_tensor([0.0, 1.0, 1.0])).sum().backward()


@program
def grad_of_a_power(paddle):
    x = paddle.to_tensor([0.0, 1.0])
    x.stop_gradient = False
    paddle.grad(paddle.pow(x, 0.5).sum(), x)


@program
def both_operands_get_a_gradient(paddle):
    x, y = paddle.to_tensor([0.0, 1.0]), paddle.to_tensor([1.0, 0.0])
    x.stop_gradient = y.stop_gradient = False
    (x / y).sum().backward()


def main(library: str) -> None:
    """Runs every program at every level."""
    paddle = importlib.import_module(library)
    for name, run in PROGRAMS.items():
        for level in range(4):
            print("=====", name, level, flush=True)
            paddle.set_flags({"FLAGS_check_nan_inf": True, "FLAGS_check_nan_inf_level": level})
            try:
                run(paddle)
            except RuntimeError as error:
                print("raised", str(error).strip().splitlines()[0].split(" (at ")[0])
            finally:
                paddle.set_flags({"FLAGS_check_nan_inf": False})
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
