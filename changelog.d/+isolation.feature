`isolate: process` and `timeout:` run a target or simulator in a process of its own, so that its crash or endless loop does not end the build.
