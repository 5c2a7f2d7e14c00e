"""paddle.hapi: Model, which trains and evaluates a network; its callbacks; summary and flops."""

from jaxeager.hapi import callbacks
from jaxeager.hapi.model import Model
from jaxeager.hapi.model_flops import flops
from jaxeager.hapi.model_summary import summary

__all__ = ["Model", "callbacks", "flops", "summary"]
