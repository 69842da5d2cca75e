IR is printed as text of the language: `python_print(node)`, `str(node)`, with names that never clash and only the types that say something.
