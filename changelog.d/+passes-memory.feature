`init_mem_ref` and `allocate_memory_addr` give tiles buffers and addresses; an overflow names need, limit and the largest tiles.
