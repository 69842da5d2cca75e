"""A second provider of a name."""

from pypto_build.host import hookimpl


@hookimpl
def pypto_register_passes():
    return {"simplify": ":Simplify"}
