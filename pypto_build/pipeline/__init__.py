# SPDX-License-Identifier: Apache-2.0
"""Pipelines: from a YAML file to a checked plan, and running it."""

# Any: JSON documents.

from pypto_build.pipeline.canonical import one_line, one_line_of_pass
from pypto_build.pipeline.plan import load_pipeline
from pypto_build.pipeline.planned import Pipeline, Planned

__all__ = ["Pipeline", "Planned", "load_pipeline", "one_line", "one_line_of_pass"]
