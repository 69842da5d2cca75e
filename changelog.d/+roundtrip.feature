`verify: roundtrip` prints what each pass made and reads it again.
