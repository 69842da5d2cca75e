`compile` and `check` take `--allow-unordered` as well, for trying an order of passes that breaks a rule.
