# make demo    train a conv net on real handwritten digits, with a plot and a picture of its graph
# make test    run the tests, the examples in the docstrings among them; ROW=gelu: those of one op
# make test-all  run the deep ones too (long random campaigns), with real Paddle, then the numbers as
#              users compile them, and in lazy mode: two hours and a half on two cores. `make -k` runs
#              all three whatever fails; test-deep, test-compiled and test-lazy are each alone
# make record  renew what the tests know of real Paddle (Linux x86-64, Python 3.11 to 3.13)
# make lint    ruff, codespell, pyright
# make docs    build the documentation into out/site: guides, reference, ops
# make bench   print the table of speed ratios
# make clean   remove what the commands above made
#
# Needs Python 3.11 or newer (with venv) and make. Everything else goes into .venv.
# CONSTRAINTS= installs the newest versions of all packages instead of those of constraints.txt.
# PYTHON=/path/to/python chooses the Python; JAX runs on CPU unless its CUDA or TPU plugin is installed.

.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help demo test test-all test-deep test-compiled test-lazy record lint docs bench clean

VENV := .venv
PY := $(VENV)/bin/python
CANDIDATES := $(or $(PYTHON),python3 python3.13 python3.12 python3.11 python3.14 python)
# One folder for compiled XLA programs: the second run compiles nothing.
XLA_CACHE := $(CURDIR)/.cache/xla
PYTEST_ARGS ?=
# Many tests start processes: without compiled modules each of them would compile the package.
export PYTHONDONTWRITEBYTECODE :=
CONSTRAINTS ?= constraints.txt

help:
	@sed -n '/^# /p;/^$$/q' Makefile | sed 's/^# \{0,1\}//'

demo: $(VENV)/.with-examples,viz
	$(PY) examples/train_digits.py

# As many workers as processors and memory carry.
TESTS = JAXEAGER_COMPILATION_CACHE="$(XLA_CACHE)" $(PY) -m pytest \
	-n $$($(PY) tests/support/workers.py) --dist worksteal --durations=20 --durations-min=5

ALL := $(VENV)/.with-test,oracle,io,interop,checkpoint,examples,viz,browser,dev

# What depends on how XLA compiles, and what runs the same in lazy mode.
AS_COMPILED = tests/ops/test_rows.py $(addprefix tests/,amp autograd core graph jax_bridge jit kernels nn optimizer)
LAZILY = $(addprefix tests/,amp arrays audio autograd core distribution fft framework geometric graph \
	hapi incubate io jax_bridge jit linalg metric nn ops optimizer quantization signal sparse tensor text \
	utils vision)

test: $(VENV)/.with-test,io,examples,viz
	$(if $(ROW),JAXEAGER_TEST_ROW=$(ROW)) $(TESTS) $(if $(ROW),tests/ops) $(PYTEST_ARGS)

test-all: test-deep test-compiled test-lazy

test-deep: $(ALL)
	JAXEAGER_PADDLE=live JAXEAGER_TEST_DEEP=1 $(TESTS) -m "deep or not deep" $(PYTEST_ARGS)

test-compiled: $(ALL)
	JAXEAGER_TEST_XLA=full $(TESTS) $(AS_COMPILED) $(PYTEST_ARGS)

test-lazy: $(ALL)
	JAXEAGER_TEST_LAZY=1 $(TESTS) $(LAZILY) $(PYTEST_ARGS)

record: $(VENV)/.with-test,oracle,examples
	$(PY) -m tests.parity record $(RECORD_ARGS)

lint: $(VENV)/.with-dev,test,io,examples,viz
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m codespell_lib
	$(PY) -m pyright --pythonpath $(PY)

docs: $(VENV)/.with-docs,test,io,viz
	$(PY) docs/site/make_site.py out/site

bench: $(VENV)/.with-bench
	$(PY) benchmarks/run.py

clean:
	rm -rf $(VENV) .cache out build dist

# A virtual environment, made whole or not at all.
$(VENV)/.made:
	@python=; \
	for candidate in $(CANDIDATES); do \
	    if "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	        python="$$candidate"; break; \
	    fi; \
	done; \
	if [ -z "$$python" ]; then \
	    echo "jaxeager needs Python 3.11 or newer; none of these is one: $(CANDIDATES)." >&2; \
	    echo "Install one, or name it: make PYTHON=/path/to/python3.12 $(MAKECMDGOALS)" >&2; \
	    exit 1; \
	fi; \
	if ! "$$python" -c 'import ensurepip, venv' 2>/dev/null; then \
	    echo "$$python cannot make virtual environments: its venv module is missing." >&2; \
	    echo "On Debian and Ubuntu: sudo apt install python3-venv" >&2; \
	    exit 1; \
	fi; \
	echo "Making $(VENV) with $$("$$python" --version)"; \
	rm -rf $(VENV); \
	"$$python" -m venv $(VENV) || { rm -rf $(VENV); exit 1; }
	@touch $@

# The package, editable, with the extras that the stamp's name lists.
$(VENV)/.with-%: $(VENV)/.made pyproject.toml constraints.txt
	@echo "Installing jaxeager[$*] into $(VENV) (a minute or two the first time)"
	@$(PY) -m pip install --quiet --disable-pip-version-check $(addprefix -c ,$(CONSTRAINTS)) -e ".[$*]"
	@touch $@
