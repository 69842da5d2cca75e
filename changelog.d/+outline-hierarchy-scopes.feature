The `outline_hierarchy_scopes` pass: `with pl.at(level=..., role=...)` becomes a function of that level and role.
