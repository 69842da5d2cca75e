`outline_incore_scopes` makes kernels of InCore scopes and infers what each parameter is read and written.
