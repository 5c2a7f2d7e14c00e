"""Programs one after the other in one launch, which takes seconds.

The arguments are the folder of a checkpoint, and an address for remote calls.
"""

import runpy
import sys
from pathlib import Path

for name, *arguments in (
    *([["listening.py"]] if sys.platform == "linux" else []),
    ["parts.py", sys.argv[1]],
    ["remote_calls.py", sys.argv[2]],
):
    sys.argv = [name, *arguments]
    runpy.run_path(str(Path(__file__).parent / name), run_name="__main__")
    print(f"{name} has ended")
