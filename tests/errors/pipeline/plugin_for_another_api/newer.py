"""A plugin for a host of the future."""

PYPTO_BUILD_API = 99
