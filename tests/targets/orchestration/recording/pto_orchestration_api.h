// SPDX-License-Identifier: Apache-2.0
// A stand-in for the task runtime that runs: every launch prints its kernel and the numbers of its tensors.
#pragma once

#include <cstdint>
#include <cstdio>
#include <vector>

enum class DataType : uint8_t { FLOAT32 };

struct ChipTensor {
    int number;
};

inline std::vector<ChipTensor>& tensors() {
    static std::vector<ChipTensor> all = {{0}, {1}, {2}, {3}};
    return all;
}

struct TensorHandle {
    int index;
    const ChipTensor& ref() const { return tensors()[index]; }
};

struct ChipTaskArgs {
    TensorHandle tensor(int index) const { return {index}; }
};

struct TensorCreateInfo {
    TensorCreateInfo(const uint32_t*, uint32_t, DataType) {}
};

struct TaskOutputTensors {
    std::vector<ChipTensor> made;
    const ChipTensor& get_ref(int index) const { return made[index]; }
};

struct CoreTaskArgs {
    std::vector<const ChipTensor*> taken;
    void add_input(const ChipTensor& tensor) { taken.push_back(&tensor); }
    void add_output(const ChipTensor& tensor) { taken.push_back(&tensor); }
    void add_inout(const ChipTensor& tensor) { taken.push_back(&tensor); }
};

struct PTO2OrchestrationConfig {
    int expected_arg_count;
};

#define PTO2_SCOPE() if (true)

template <typename... Infos> TaskOutputTensors alloc_tensors(const Infos&...) {
    static int next = 10;
    TaskOutputTensors outputs;
    for (unsigned i = 0; i < sizeof...(Infos); ++i) outputs.made.push_back({next++});
    return outputs;
}

inline void rt_submit_aiv_task(int kernel, const CoreTaskArgs& args) {
    std::printf("%d:", kernel);
    for (const ChipTensor* tensor : args.taken) std::printf(" %d", tensor->number);
    std::printf("\n");
}

extern "C" void aicpu_orchestration_entry(const ChipTaskArgs& orch_args);
inline int run() {
    aicpu_orchestration_entry({});
    return 0;
}
