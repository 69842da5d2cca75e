`pypto-build compile --dump-passes DIR` also writes `index.html`, one page that shows what each pass changed and how long it took; `PTODUMP` asks for the same in an SConstruct.
