"""docs/paddle-faults.md: every parity program whose result on real Paddle is wrong, and why."""

from tests.parity.registry import ANYTHING, CRASHES, Program, load_programs

HEAD = """# What Paddle 3.3.1 gets wrong

Made by `python tools/generate.py` from the parity programs marked `@differs`; do not edit.

Each line is a program under `tests/parity/programs/` that `make test-all` runs on both libraries.
It holds two answers: the right one, which jaxeager must give, and the one Paddle gives, so that a
line that is no longer true fails. {count} of {total} programs are such; in {crashes} of them
Paddle's process dies. [where-paddle-differs.md](where-paddle-differs.md) explains those about
autograd.
"""


def faults_page() -> str:
    """Return docs/paddle-faults.md."""
    programs = load_programs()
    faulty = [each for each in programs.values() if each.right is not None]
    crashes = sum(each.paddle_gives is CRASHES for each in faulty)
    lines = [HEAD.format(count=len(faulty), total=len(programs), crashes=crashes)]
    families: dict[str, list[Program]] = {}
    for each in faulty:
        families.setdefault(each.family, []).append(each)
    for family, members in sorted(families.items()):
        lines += [
            f"## {family.replace('_', ' ')}",
            "",
            "| program | what Paddle does |",
            "|---|---|",
        ]
        lines += [f"| `{each.name}` | {_what(each)} |" for each in members]
        lines.append("")
    return "\n".join(lines)


def _what(program: Program) -> str:
    """Return why Paddle is wrong, in one table cell."""
    kinds = {CRASHES: "**Its process dies.** ", ANYTHING: "**Never the same.** "}
    is_kind = isinstance(program.paddle_gives, str)
    kind = kinds.get(program.paddle_gives, "") if is_kind else ""
    reason = " ".join((program.reason or "").split())
    return kind + "".join("\\" + letter if letter in "|*_<" else letter for letter in reason)
