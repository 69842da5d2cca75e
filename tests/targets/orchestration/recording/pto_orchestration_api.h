// SPDX-License-Identifier: Apache-2.0
// A stand-in for the task runtime that runs: every launch prints its kernel, the numbers of its tensors, and the numbers
// of the launches that it is told to wait for. With RECORD_MODES it prints how each tensor is passed, too, and scopes.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
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
    uint64_t scalar(int) const { return 3; }
};

template <typename T> T from_u64(uint64_t value) { return static_cast<T>(value); }

struct TensorCreateInfo {
    TensorCreateInfo(const uint32_t*, uint32_t, DataType) {}
};

struct PTO2TaskId {
    int number;
    bool is_valid() const { return number >= 0; }
    static PTO2TaskId invalid() { return {-1}; }
};

struct TaskOutputTensors {
    std::vector<ChipTensor> made;
    int number = -1;
    const ChipTensor& get_ref(int index) const { return made[index]; }
    PTO2TaskId task_id() const { return {number}; }
};

struct CoreTaskArgs {
    std::vector<std::string> taken;
    std::vector<int> waits;
    void take(const char* mode, const ChipTensor& tensor) {
#ifdef RECORD_MODES
        taken.push_back(mode + std::to_string(tensor.number));
#else
        (void)mode;
        taken.push_back(std::to_string(tensor.number));
#endif
    }
    void add_input(const ChipTensor& tensor) { take("in", tensor); }
    void add_output(const ChipTensor& tensor) { take("out", tensor); }
    void add_inout(const ChipTensor& tensor) { take("inout", tensor); }
    void add_no_dep(const ChipTensor& tensor) { take("nodep", tensor); }
    void set_dependencies(const PTO2TaskId* ids, uint32_t count) {
        for (uint32_t i = 0; i < count; ++i) waits.push_back(ids[i].number);
    }
};

struct PTO2OrchestrationConfig {
    int expected_arg_count;
};

enum class PTO2ScopeMode { AUTO, MANUAL };

struct RecordedScope {
    explicit RecordedScope(PTO2ScopeMode mode = PTO2ScopeMode::AUTO) {
#ifdef RECORD_MODES
        if (mode == PTO2ScopeMode::MANUAL) std::printf("manual\n");
#else
        (void)mode;
#endif
    }
};

#define PTO2_SCOPE(...) if (RecordedScope recorded_scope{__VA_ARGS__}; true)

template <typename... Infos> TaskOutputTensors alloc_tensors(const Infos&...) {
    static int next = 10;
    TaskOutputTensors outputs;
    for (unsigned i = 0; i < sizeof...(Infos); ++i) outputs.made.push_back({next++});
    return outputs;
}

inline TaskOutputTensors record(const std::string& what, const CoreTaskArgs& args) {
    static int next = 0;
    std::printf("%s", what.c_str());
    for (const std::string& tensor : args.taken) std::printf(" %s", tensor.c_str());
    if (!args.waits.empty()) std::printf(" <-");
    for (int number : args.waits) std::printf(" %d", number);
    std::printf("\n");
    return {{}, next++};
}

inline TaskOutputTensors rt_submit_aiv_task(int kernel, const CoreTaskArgs& args) {
    return record(std::to_string(kernel) + ":", args);
}

inline TaskOutputTensors rt_submit_dummy_task(const CoreTaskArgs& args) { return record("barrier", args); }

extern "C" void aicpu_orchestration_entry(const ChipTaskArgs& orch_args);
inline int run() {
    aicpu_orchestration_entry({});
    return 0;
}
