FlattenTileNdTo2D makes tiles of two dimensions of deeper ones, and lowers batched products and transpositions.
