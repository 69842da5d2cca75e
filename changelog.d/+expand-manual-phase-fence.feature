ExpandManualPhaseFence: where many tasks of a loop wait for the same array of tasks, they wait for one barrier.
