"""A plugin that cannot be imported."""

raise RuntimeError("out of order")
