"""Runs random programs on jaxeager and real Paddle: `python -m tests.fuzz --help`."""

import argparse
import time

from tests.fuzz.campaign import Campaign, Finding, Libraries, programs
from tests.fuzz.coverage import public_names
from tests.fuzz.families import load
from tests.fuzz.known import Known
from tests.fuzz.shrink import shrink
from tests.parity.harness import needed_paddle


def main() -> int:
    """Run one seed, or the requested number, and print the differences without a known reason."""
    arguments = _arguments()
    count = arguments.programs or 1
    families = [arguments.family] if arguments.family else None
    campaign, known = Campaign(Libraries(needed_paddle())), Known()
    start = time.monotonic()
    shown = 0

    def say(done):
        nonlocal shown
        for finding in done.findings[shown:]:
            if arguments.all or known.unexplained(finding):
                print(f"\n{finding}", flush=True)
        shown = len(done.findings)
        if arguments.classes:
            while done.classes:
                print(f"\n{done.classes.pop()}", flush=True)
        if count > 1:
            rate = done.counts["programs"] / (time.monotonic() - start)
            print(f"{dict(done.counts)}, {rate:.0f}/s", end="\n", flush=True)

    if count == 1 and not arguments.quiet:
        print(next(iter(programs([arguments.seed], families))).script)
    campaign.run(programs(range(arguments.seed, arguments.seed + count), families), say)
    unexplained = [each for each in campaign.findings if known.unexplained(each)]
    if arguments.shrink:
        for finding in unexplained:
            print(f"\n{shrink(finding, campaign.libraries)}")
    campaign.libraries.close()
    _report(campaign, known, unexplained, count)
    return bool(unexplained)


def _arguments():
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("seed", type=int, nargs="?", default=0, help="the first seed")
    parser.add_argument("--programs", type=int, help="how many programs to run")
    parser.add_argument("--family", choices=sorted(load()), help="one family alone")
    parser.add_argument("--all", action="store_true", help="print what is known as well")
    parser.add_argument("--classes", action="store_true", help="print other exceptions as well")
    parser.add_argument("--shrink", action="store_true", help="drop statements that do not matter")
    parser.add_argument("--quiet", action="store_true")
    return parser.parse_args()


def _report(campaign, known, unexplained: list[Finding], count: int) -> None:
    print(f"\n{dict(campaign.counts)}")
    print(f"{len(campaign.findings)} differ, {len(unexplained)} of them without a known reason")
    if count < 1000:
        return
    for pattern in known.unused():
        print(f"known, and never met: {pattern}")
    for kind, names in public_names().items():
        missing = sorted(names - set(campaign.names))
        print(f"{kind}: {len(names) - len(missing)} of {len(names)} used; not: {missing}")


if __name__ == "__main__":
    raise SystemExit(main())
