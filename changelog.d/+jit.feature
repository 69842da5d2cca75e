`@pl.jit` kernels compile ahead of time: `pypto-build compile k.py --entry k --arg a=f32[64,N] --arg n=7`, and `PtoObject("k.py", PTOENTRY="k", PTOARGS=["a=f32[64,64]"])`.
