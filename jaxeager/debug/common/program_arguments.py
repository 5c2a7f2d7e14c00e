"""The program at the end of a command's arguments: a script, -m MODULE or -c TEXT."""

import argparse


def add_program(parser: argparse.ArgumentParser) -> None:
    """Add the program to a parser, as python itself takes it."""
    rest = argparse.REMAINDER
    parser.add_argument("-m", dest="module", nargs=rest, help="run a module, with its arguments")
    parser.add_argument("-c", dest="text", nargs=rest, help="run a text, with its arguments")
    parser.add_argument("program", nargs=rest, help="script.py and its arguments")


def program_of(parser: argparse.ArgumentParser, chosen: argparse.Namespace) -> list[str]:
    """Return the program and its arguments; end the process when there is none.

    Example:
        >>> parser = argparse.ArgumentParser()
        >>> add_program(parser)
        >>> program_of(parser, parser.parse_args(["-m", "trainer", "--fast"]))
        ['-m', 'trainer', '--fast']
    """
    for option, given in (("-m", chosen.module), ("-c", chosen.text)):
        if given:
            return [option, *given]
    if not chosen.program:
        parser.error("name a script, -m MODULE or -c TEXT")
    return chosen.program
