Everything works offline from a directory of wheels, as a new page says and a tox environment proves.
