"""python -m paddle.distributed.launch [options] script.py [arguments]"""

from jaxeager.compat import install
from jaxeager.distributed.launch.main import launch

if __name__ == "__main__":
    install()  # the script imports paddle
    launch()
