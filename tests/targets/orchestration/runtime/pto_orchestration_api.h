// SPDX-License-Identifier: Apache-2.0
// A stand-in for the task runtime's header: declarations only, for checking the syntax of generated sources.
#pragma once

#include <cstddef>
#include <cstdint>

enum class DataType : uint8_t {
    FLOAT32, FLOAT16, INT32, INT16, INT8, UINT8, BFLOAT16, INT64, UINT64, UINT16, UINT32, BOOL,
    FP8E4M3FN, FP8E5M2, FP8E8M0, HF8, FP4E2M1,
};

struct ChipTensor {
    uint32_t shapes[5];
    uint32_t strides[5];
    uint32_t ndims;
    bool is_contiguous;
    ChipTensor() = delete;
    ChipTensor view(const uint32_t* extents, const uint32_t* offsets) const;
    ChipTensor reshape(const uint32_t* extents, uint32_t rank) const;
    ChipTensor transpose(uint32_t first, uint32_t second) const;
    uint64_t numel() const;
};

struct TensorHandle {
    const ChipTensor& ref() const;
};

struct ChipTaskArgs {
    TensorHandle tensor(int index) const;
    uint64_t scalar(int index) const;
};

struct PTO2TaskId {
    uint64_t raw;
    static PTO2TaskId invalid();
    bool is_valid() const;
};

struct TensorCreateInfo {
    TensorCreateInfo(const uint32_t* extents, uint32_t rank, DataType type, bool manual_dep = false);
    template <typename T> void set_initial_value(T value);
};

struct TaskOutputTensors {
    const ChipTensor& get_ref(int index) const;
    PTO2TaskId task_id() const;
};

enum class PredicateOp : uint8_t { EQ, NE, LT, LE, GT, GE };

struct CoreTaskPredicate {
    struct {
        const ChipTensor* tensor;
        uint32_t ndims;
        uint32_t indices[5];
    } operand;
    PredicateOp op;
    int64_t target;
};

struct LaunchSpec {
    void set_block_num(int64_t count);
    void set_core_num(int64_t count);
    void set_require_sync_start(bool value);
};

struct CoreTaskArgs {
    LaunchSpec launch_spec;
    void add_input(const ChipTensor& tensor);
    void add_output(const ChipTensor& tensor);
    void add_output(const TensorCreateInfo& info);
    void add_inout(const ChipTensor& tensor);
    void add_no_dep(const ChipTensor& tensor);
    template <typename T> void add_scalar(T value);
    void dump(const ChipTensor& tensor);
    void set_dependencies(const PTO2TaskId* ids, uint32_t count);
    void set_predicate(const CoreTaskPredicate& predicate);
    void set_allow_early_resolve(bool value);
};

constexpr int INVALID_KERNEL_ID = -1;

struct MixedKernels {
    int aic, aiv0, aiv1;
};

struct PTO2OrchestrationConfig {
    int expected_arg_count;
};

enum class PTO2ScopeMode : uint8_t { AUTO, MANUAL };

struct ScopeGuard {
    explicit ScopeGuard(PTO2ScopeMode mode = PTO2ScopeMode::AUTO);
    ~ScopeGuard();
};
#define PTO2_SCOPE(...) if (ScopeGuard scope_guard{__VA_ARGS__}; true)

template <typename... Infos> TaskOutputTensors alloc_tensors(const Infos&... infos);
TaskOutputTensors rt_submit_aic_task(int kernel, const CoreTaskArgs& args);
TaskOutputTensors rt_submit_aiv_task(int kernel, const CoreTaskArgs& args);
TaskOutputTensors rt_submit_task(const MixedKernels& kernels, const CoreTaskArgs& args);
TaskOutputTensors rt_submit_dummy_task(const CoreTaskArgs& args);
int32_t rt_available_cluster_count();
int32_t rt_available_aiv_count();
void always_assert(bool condition);
uint64_t to_u64(float value);
template <typename T> T from_u64(uint64_t raw);
template <typename T> T get_tensor_data(const ChipTensor& tensor, uint32_t rank, const uint32_t* indices);
template <typename T> void set_tensor_data(const ChipTensor& tensor, uint32_t rank, const uint32_t* indices, T value);
