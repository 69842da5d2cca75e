FoldNoOpReshape replaces reshapes that change nothing with aliases.
