"""What joins the tape and JAX: JAX functions as ops, ops as JAX functions, graphs as jaxprs."""
