The memory planner dsa_rp is there: AllocateMemoryAddr lets tiles share bytes where no pipe has to wait for another, and keeps pipeline stages apart while they fit.
