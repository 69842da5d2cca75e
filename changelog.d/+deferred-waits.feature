A `pl.at` scope with `pld.system.defer_wait` becomes a task that is complete later (`deferred_completion_waiter`); scopes that such a task cannot be are refused, with the place.
