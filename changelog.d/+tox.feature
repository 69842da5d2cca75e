With tox, every pipeline of a project and every variant has an environment: `tox -m pipelines`.
