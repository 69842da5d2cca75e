Shipped pipelines are not held against the schema again in every worker: a tenth of its start.
