`infer_tile_memory_space` places every tile and inserts the moves between memories.
