The tests run the emitted C++ of orchestrations, task by task, and check that the recorded graph keeps every order.
