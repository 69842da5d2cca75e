MemoryReuse lets tiles that are never alive together share an allocation: exact lifetimes, largest tiles first.
