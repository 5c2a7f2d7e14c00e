# An image with jaxeager and what its demo needs; running it runs the demo.
#
#   docker build -t jaxeager . && docker run --rm jaxeager
#   docker build -t jaxeager --build-arg DEVICE=cuda13 . && docker run --rm --gpus all jaxeager
#
# DEVICE is an extra of pyproject.toml that brings JAX's plugin for an accelerator: cuda12, cuda13, tpu.
# Compiled kernels of another container or machine: python -m jaxeager cache import FILE.
FROM python:3.13-slim

RUN apt-get update \
    && apt-get install --yes --no-install-recommends make \
    && rm -rf /var/lib/apt/lists/*

ENV PIP_NO_CACHE_DIR=1
WORKDIR /jaxeager
COPY . .
RUN make .venv/.with-examples,viz

ARG DEVICE=""
RUN test -z "$DEVICE" || .venv/bin/pip install -c constraints.txt -e ".[$DEVICE]"

ENV PATH="/jaxeager/.venv/bin:$PATH"
CMD ["make", "demo"]
