// SPDX-License-Identifier: Apache-2.0
// The interface that generated orchestration sources use, carried out by whoever has loaded them.
//
// Orchestration code only describes tasks. Here every description goes through a table of C functions (`HostApi`) to
// the program that loaded the library, which gives memory, numbers tasks and runs them. What the interface forbids ends
// the run with a sentence: `run` catches it. Source: the public task runtime's API, as far as generated sources use it.
#ifndef PTO_ORCHESTRATION_API_H
#define PTO_ORCHESTRATION_API_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "chip_tensor.h"

constexpr uint32_t MAX_TENSORS = 32, MAX_SCALARS = 16;
constexpr int INVALID_KERNEL_ID = -1;

// -- arguments --------------------------------------------------------------------------------------------------------

struct TensorHandle {
    const ChipTensor* tensor;
    const ChipTensor& ref() const { return *tensor; }
};

struct ChipTaskArgs {  // what an orchestration function is given: tensors, then scalars
    const ChipTensor* tensors;
    uint32_t tensor_count;
    const uint64_t* scalars;
    uint32_t scalar_count;

    TensorHandle tensor(uint32_t index) const {
        always_assert(index < tensor_count, "the orchestration has fewer tensor arguments");
        return {tensors + index};
    }
    uint64_t scalar(uint32_t index) const {
        always_assert(index < scalar_count, "the orchestration has fewer scalar arguments");
        return scalars[index];
    }
};

struct PTO2OrchestrationConfig {
    int expected_arg_count;
};

template <typename T> uint64_t to_u64(T value) {
    uint64_t raw = 0;
    std::memcpy(&raw, &value, sizeof value);
    return raw;
}

template <typename T> T from_u64(uint64_t raw) {
    T value;
    std::memcpy(&value, &raw, sizeof value);
    return value;
}

struct TensorCreateInfo {  // a tensor to be allocated; its elements begin as `initial`, or as nothing
    ChipTensor described;
    uint64_t initial = 0;
    bool is_filled = false;

    TensorCreateInfo(const uint32_t* extents, uint32_t rank, DataType type, bool manual_dep = false)
        : described(0, extents, rank, type, manual_dep) {}
    template <typename T> void set_initial_value(T value) {
        initial = to_u64(value);
        is_filled = true;
    }
};

// -- tasks ------------------------------------------------------------------------------------------------------------

struct PTO2TaskId {
    uint64_t raw;
    static PTO2TaskId invalid() { return {NO_TASK}; }
    bool is_valid() const { return raw != NO_TASK; }
};

enum class TensorArgType : uint8_t { INPUT, OUTPUT, INOUT, OUTPUT_EXISTING, NO_DEP };

enum class PredicateOp : uint8_t { EQ, NE, LT, LE, GT, GE };

struct CoreTaskPredicate {
    struct {
        const ChipTensor* tensor;
        uint32_t ndims;
        uint32_t indices[MAX_DIMS];
    } operand;
    PredicateOp op;
    int64_t target;
};

struct LaunchSpec {
    int64_t blocks = 1;
    bool sync_start = false;
    void set_block_num(int64_t count) { blocks = count; }
    void set_core_num(int64_t count) { blocks = count; }
    void set_require_sync_start(bool value) { sync_start = value; }
};

struct CoreTaskArgs {
    LaunchSpec launch_spec;
    std::vector<ChipTensor> tensors;
    std::vector<TensorArgType> modes;
    std::vector<TensorCreateInfo> created;  // one for each OUTPUT, in their order
    std::vector<uint64_t> scalars;
    std::vector<PTO2TaskId> dependencies;
    std::vector<CoreTaskPredicate> predicates;  // none or one

    void add_input(const ChipTensor& tensor) { add(tensor, TensorArgType::INPUT); }
    void add_output(const ChipTensor& tensor) { add(tensor, TensorArgType::OUTPUT_EXISTING); }
    void add_output(const TensorCreateInfo& info) {
        add(info.described, TensorArgType::OUTPUT);
        created.push_back(info);
    }
    void add_inout(const ChipTensor& tensor) { add(tensor, TensorArgType::INOUT); }
    void add_no_dep(const ChipTensor& tensor) { add(tensor, TensorArgType::NO_DEP); }
    template <typename T> void add_scalar(T value) {
        scalars.push_back(static_cast<uint64_t>(value));
        always_assert(scalars.size() <= MAX_SCALARS, "a task takes more than 16 scalars");
    }
    void dump(const ChipTensor&) {}
    void set_dependencies(const PTO2TaskId* ids, uint32_t count) {
        dependencies.assign(ids, ids + count);
        for (PTO2TaskId id : dependencies) always_assert(id.is_valid(), "a task waits for an id that names none");
    }
    void set_predicate(const CoreTaskPredicate& predicate) { predicates.assign(1, predicate); }
    void set_allow_early_resolve(bool) {}

private:
    void add(const ChipTensor& tensor, TensorArgType mode) {
        always_assert(scalars.empty(), "a task is given a tensor after a scalar");
        tensors.push_back(tensor);
        modes.push_back(mode);
        always_assert(tensors.size() <= MAX_TENSORS, "a task takes more than 32 tensors");
    }
};

struct MixedKernels {
    int aic, aiv0, aiv1;
};

// -- the host ---------------------------------------------------------------------------------------------------------

enum class TaskKind : int32_t { KERNELS, ALLOCATION, BARRIER };

struct Submission {  // a task as the host sees it; the pointers last as long as the call
    TaskKind kind;
    MixedKernels kernels;
    int32_t is_manual;  // nonzero inside a scope that leaves all dependencies to the program
    uint32_t tensor_count, scalar_count, dependency_count;
    const ChipTensor* tensors;
    const TensorArgType* modes;
    const uint64_t* scalars;
    const PTO2TaskId* dependencies;
    const CoreTaskPredicate* predicate;
    int64_t blocks;
    int32_t sync_start;
};

struct HostApi {  // who runs the tasks; each answers with 0 where it cannot go on
    uint64_t (*allocate)(uint64_t bytes);                            // the address of new memory
    uint64_t (*submit)(const Submission*);                           // the number of the task, counted from 1
    int32_t (*settle)(const ChipTensor*, const void* at, int32_t writes);  // wait until an element can be accessed
};

struct Runtime {
    const HostApi* host = nullptr;
    int manual_scopes = 0;
};
inline Runtime& runtime() {
    static Runtime current;
    return current;
}

enum class PTO2ScopeMode : uint8_t { AUTO, MANUAL };

struct ScopeGuard {
    bool is_manual;
    explicit ScopeGuard(PTO2ScopeMode mode = PTO2ScopeMode::AUTO) : is_manual(mode == PTO2ScopeMode::MANUAL) {
        always_assert(runtime().manual_scopes == 0, "a scope opens inside a manual one");
        runtime().manual_scopes += is_manual;
    }
    ~ScopeGuard() { runtime().manual_scopes -= is_manual; }
    ScopeGuard(const ScopeGuard&) = delete;
};
#define PTO2_SCOPE(...) if (ScopeGuard scope_guard{__VA_ARGS__}; true)

struct TaskOutputTensors {
    std::vector<ChipTensor> created;
    PTO2TaskId id;
    const ChipTensor& get_ref(uint32_t index) const {
        always_assert(index < created.size(), "a task has not created so many tensors");
        return created[index];
    }
    PTO2TaskId task_id() const { return id; }
};

inline void allocate(ChipTensor& tensor, const TensorCreateInfo& info) {
    uint32_t size = element_size(tensor.dtype);
    tensor.address = runtime().host->allocate(tensor.numel() * size);
    if (tensor.address == 0) throw Stop{nullptr};
    for (uint64_t at = 0; info.is_filled && at < tensor.numel(); ++at) {
        std::memcpy(reinterpret_cast<char*>(tensor.address + at * size), &info.initial, size);
    }
}

inline TaskOutputTensors submit(TaskKind kind, const MixedKernels& kernels, const CoreTaskArgs& args) {
    std::vector<ChipTensor> tensors = args.tensors;
    std::vector<uint32_t> created;
    for (uint32_t at = 0; at < tensors.size(); ++at) {
        if (args.modes[at] != TensorArgType::OUTPUT) continue;
        allocate(tensors[at], args.created[created.size()]);
        created.push_back(at);
    }
    Submission task{kind, kernels, runtime().manual_scopes, uint32_t(tensors.size()), uint32_t(args.scalars.size()),
                    uint32_t(args.dependencies.size()), tensors.data(), args.modes.data(), args.scalars.data(),
                    args.dependencies.data(), args.predicates.empty() ? nullptr : args.predicates.data(),
                    args.launch_spec.blocks, args.launch_spec.sync_start};
    TaskOutputTensors outputs{{}, {runtime().host->submit(&task)}};
    if (outputs.id.raw == 0) throw Stop{nullptr};
    for (uint32_t at : created) {
        tensors[at].owner_task_id = outputs.id.raw;
        outputs.created.push_back(tensors[at]);
    }
    return outputs;
}

template <typename... Infos> TaskOutputTensors alloc_tensors(const Infos&... infos) {
    CoreTaskArgs args;
    (args.add_output(infos), ...);
    return submit(TaskKind::ALLOCATION, {INVALID_KERNEL_ID, INVALID_KERNEL_ID, INVALID_KERNEL_ID}, args);
}

inline TaskOutputTensors rt_submit_task(const MixedKernels& kernels, const CoreTaskArgs& args) {
    return submit(TaskKind::KERNELS, kernels, args);
}

inline TaskOutputTensors rt_submit_aic_task(int kernel, const CoreTaskArgs& args) {
    return rt_submit_task({kernel, INVALID_KERNEL_ID, INVALID_KERNEL_ID}, args);
}

inline TaskOutputTensors rt_submit_aiv_task(int kernel, const CoreTaskArgs& args) {
    return rt_submit_task({INVALID_KERNEL_ID, kernel, INVALID_KERNEL_ID}, args);
}

inline TaskOutputTensors rt_submit_dummy_task(const CoreTaskArgs& args) {
    return submit(TaskKind::BARRIER, {INVALID_KERNEL_ID, INVALID_KERNEL_ID, INVALID_KERNEL_ID}, args);
}

inline int32_t rt_available_cluster_count() { return 4; }
inline int32_t rt_available_aiv_count() { return 8; }

template <typename T> T get_tensor_data(const ChipTensor& tensor, uint32_t rank, const uint32_t* indices) {
    always_assert(sizeof(T) == element_size(tensor.dtype), "an element is read as a type of another size");
    const char* at = tensor.element(rank, indices);
    if (runtime().host->settle(&tensor, at, 0) == 0) throw Stop{nullptr};
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

template <typename T> void set_tensor_data(const ChipTensor& tensor, uint32_t rank, const uint32_t* indices, T value) {
    always_assert(sizeof(T) == element_size(tensor.dtype), "an element is written as a type of another size");
    char* at = tensor.element(rank, indices);
    if (runtime().host->settle(&tensor, at, 1) == 0) throw Stop{nullptr};
    std::memcpy(at, &value, sizeof value);
}

// -- the door ---------------------------------------------------------------------------------------------------------

using Orchestration = void (*)(const ChipTaskArgs&);

// Run an orchestration function; what forbids it to go on, empty where the host knows, null where it came to its end.
inline const char* run(Orchestration entry, const HostApi* host, const ChipTaskArgs* args) {
    runtime() = Runtime{host};
    try {
        entry(*args);
        return nullptr;
    } catch (const Stop& stop) {
        return stop.message == nullptr ? "" : stop.message;
    }
}

#endif
