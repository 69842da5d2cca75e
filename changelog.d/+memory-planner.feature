A pipeline says with `memory_planner` who decides where tiles lie on chip.
