ResolveBackendOpLayouts brings tiles into rows where the instructions of a chip need them so.
