Results are kept in a content-addressed store with explained keys; `pypto-build store stats|gc|verify|clear` looks after it.
