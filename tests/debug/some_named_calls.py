"""Prints what named_calls.py prints of some of its calls; Paddle's answer was asked of the whole.

python some_named_calls.py LIBRARY NUMBER...
"""

import sys

import named_calls

if __name__ == "__main__":
    library, *numbers = sys.argv[1:]
    calls = named_calls.CALLS.split("\n")[1:-1]
    named_calls.CALLS = "\n".join(["", *[calls[int(each)] for each in numbers], ""])
    named_calls.main(library)
