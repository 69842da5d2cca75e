// SPDX-License-Identifier: Apache-2.0
// Tensors as orchestration code describes them: elements in memory, seen whole, through a window or in another order.
//
// What a description must not say ends the run: views stay inside their tensor, only what is contiguous is reshaped.
#ifndef CHIP_TENSOR_H
#define CHIP_TENSOR_H

#include <algorithm>
#include <cstdint>

constexpr uint32_t MAX_DIMS = 5;
constexpr uint64_t NO_TASK = ~uint64_t{0};

struct Stop {  // what ends a run: a message, or none where the host knows what went wrong
    const char* message;
};

inline void always_assert(bool condition, const char* message = "an assertion of the orchestration does not hold") {
    if (!condition) throw Stop{message};
}

enum class DataType : uint8_t {
    FLOAT32, FLOAT16, INT32, INT16, INT8, UINT8, BFLOAT16, INT64, UINT64, UINT16, UINT32, BOOL,
    FP8E4M3FN, FP8E5M2, FP8E8M0, HF8, FP4E2M1,
};

inline uint32_t element_size(DataType type) {
    constexpr uint8_t sizes[] = {4, 2, 4, 2, 1, 1, 2, 8, 8, 2, 4, 1, 1, 1, 1, 1, 1};
    return sizes[static_cast<uint8_t>(type)];
}

struct ChipTensor {  // a description of elements in memory: start_offset and strides count elements
    uint64_t address;
    uint64_t owner_task_id;  // the task that created the memory, NO_TASK for what comes from outside
    uint64_t start_offset;
    uint32_t ndims;
    DataType dtype;
    bool manual_dep;
    bool is_contiguous;
    uint32_t shapes[MAX_DIMS];
    uint32_t strides[MAX_DIMS];

    ChipTensor() = delete;
    ChipTensor(uint64_t at, const uint32_t* extents, uint32_t rank, DataType type, bool manual = false)
        : address(at), owner_task_id(NO_TASK), start_offset(0), ndims(rank), dtype(type), manual_dep(manual),
          is_contiguous(true), shapes{}, strides{} {
        always_assert(rank <= MAX_DIMS, "a tensor has more than five dimensions");
        set_shape(extents, rank);
    }

    uint64_t numel() const {
        uint64_t count = 1;
        for (uint32_t axis = 0; axis < ndims; ++axis) count *= shapes[axis];
        return count;
    }

    ChipTensor view(const uint32_t* extents, const uint32_t* offsets) const {
        ChipTensor made = *this;
        for (uint32_t axis = 0; axis < ndims; ++axis) {
            bool fits = extents[axis] == 0 || uint64_t{offsets[axis]} + extents[axis] <= shapes[axis];
            always_assert(fits, "a view reaches beyond its tensor");
            made.shapes[axis] = extents[axis];
            made.start_offset += uint64_t{offsets[axis]} * strides[axis];
        }
        made.note_contiguity();
        return made;
    }

    ChipTensor reshape(const uint32_t* extents, uint32_t rank) const {
        always_assert(is_contiguous, "a tensor that is not contiguous cannot have another shape");
        ChipTensor made = *this;
        made.set_shape(extents, rank);
        always_assert(made.numel() == numel(), "a reshape changes the number of elements");
        return made;
    }

    ChipTensor transpose(uint32_t first, uint32_t second) const {
        always_assert(first < ndims && second < ndims, "a transposition names an axis that is not there");
        ChipTensor made = *this;
        std::swap(made.shapes[first], made.shapes[second]);
        std::swap(made.strides[first], made.strides[second]);
        made.note_contiguity();
        return made;
    }

    char* element(uint32_t rank, const uint32_t* indices) const {
        always_assert(rank == ndims, "an element is named by as many indices as its tensor has dimensions");
        uint64_t at = start_offset;
        for (uint32_t axis = 0; axis < rank; ++axis) {
            always_assert(indices[axis] < shapes[axis], "an element lies outside of its tensor");
            at += uint64_t{indices[axis]} * strides[axis];
        }
        return reinterpret_cast<char*>(address + at * element_size(dtype));
    }

private:
    void set_shape(const uint32_t* extents, uint32_t rank) {
        ndims = rank;
        uint32_t stride = 1;
        for (uint32_t axis = rank; axis-- > 0; stride *= extents[axis]) {
            shapes[axis] = extents[axis];
            strides[axis] = stride;
        }
    }

    void note_contiguity() {
        uint64_t packed = 1;
        is_contiguous = true;
        for (uint32_t axis = ndims; axis-- > 0; packed *= shapes[axis]) {
            is_contiguous = is_contiguous && (shapes[axis] == 1 || strides[axis] == packed);
        }
        is_contiguous = is_contiguous || numel() == 0;
    }
};

#endif
