Graph functions run: the pass `inline_graph_functions` submits their tasks where they are called, and all calls share the kernels that were outlined of them.
