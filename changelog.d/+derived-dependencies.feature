orchestration: derived dependencies are honored across scopes, branches and loops, whose task ids are gathered in arrays or a vector.
