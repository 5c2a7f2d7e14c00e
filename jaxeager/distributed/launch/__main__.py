"""python -m paddle.distributed.launch [options] script.py [arguments]"""

import sys

from jaxeager.compat import install
from jaxeager.debug.hangs import listener
from jaxeager.distributed.launch.main import run_script
from jaxeager.launcher.launch import run_file

if __name__ == "__main__":
    listener.start()
    install()  # the script imports paddle
    run_script(sys.argv[1:], run_file)
