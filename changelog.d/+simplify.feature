The `simplify` pass folds arithmetic, shapes inside types, decided branches and loops that run at most once.
