Every error of the front end has a place in the source and a help line; wrong input of any kind is refused, never a crash or an endless computation.
