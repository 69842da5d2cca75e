Annotations of the language (tensors, tiles, views, memory references, dynamic dimensions) are read as types, and every name of `pl` exists at run time.
