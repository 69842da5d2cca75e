The `outline_cluster_scopes` pass: `with pl.cluster()` becomes a Group function, `pl.spmd(...)` an Spmd function whose call has the number of cores.
