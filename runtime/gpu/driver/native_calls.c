//===- native_calls.c - What native kernels call --------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled programs hold native kernels and are linked with this library, while
// what runs these kernels is opened at run time: each function passes its call
// on. They are weak, so that a program with the emulated device inside calls
// that.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/native_async.h"
#include "async_gpu/compiled/native_thread.h"
#include "gpu/driver/driver.h"

#include <string.h>

// X(result, name, parameters, arguments), or without a result V(name,
// parameters, arguments), as the headers declare them.
#define NATIVE_FUNCTIONS(X, V)                                                 \
  X(agpu_native_thread *, agpu_native_begin_block,                             \
    (const agpu_native_block *block), (block))                                 \
  X(void *, agpu_native_frame,                                                 \
    (const agpu_native_thread *thread, uint64_t size, uint64_t alignment),     \
    (thread, size, alignment))                                                 \
  V(agpu_native_run_block, (const agpu_native_block *block), (block))          \
  V(agpu_native_together,                                                      \
    (const agpu_native_site *site, void *operands, uint64_t stride),           \
    (site, operands, stride))                                                  \
  V(agpu_native_arrive,                                                        \
    (uint32_t number, uint32_t threads, uint32_t x, uint32_t y, uint32_t z),   \
    (number, threads, x, y, z))                                                \
  X(void *, agpu_native_memory, (uint64_t bytes), (bytes))                     \
  X(uint64_t, agpu_native_register, (uint32_t name), (name))                   \
  X(int32_t, agpu_native_print,                                                \
    (const char *format, const char *types, const void *arguments),            \
    (format, types, arguments))                                                \
  X(void *, agpu_native_malloc, (uint64_t bytes), (bytes))                     \
  V(agpu_native_free, (void *memory), (memory))                                \
  V(agpu_native_set_condition, (uint64_t handle, uint32_t value),              \
    (handle, value))                                                           \
  V(agpu_native_trap,                                                          \
    (const char *location, uint32_t x, uint32_t y, uint32_t z),                \
    (location, x, y, z))                                                       \
  V(agpu_native_assert_failed,                                                 \
    (const char *message, const char *file, uint32_t line,                     \
     const char *function, const char *location, uint32_t x, uint32_t y,       \
     uint32_t z),                                                              \
    (message, file, line, function, location, x, y, z))                        \
  V(agpu_native_check_assertions, (void), ())                                  \
  X(void *, agpu_native_check,                                                 \
    (void *address, uint64_t size, uint32_t alignment, uint32_t flags,         \
     const char *location, uint32_t x, uint32_t y, uint32_t z),                \
    (address, size, alignment, flags, location, x, y, z))                      \
  V(agpu_native_count, (uint64_t counts), (counts))                            \
  V(agpu_native_check_division,                                                \
    (uint32_t fault, const char *location, uint32_t x, uint32_t y,             \
     uint32_t z),                                                              \
    (fault, location, x, y, z))                                                \
  V(agpu_native_expect_size, (uint32_t x, uint32_t y, uint32_t z), (x, y, z))  \
  V(agpu_native_refuse, (const char *what, const char *location),              \
    (what, location))                                                          \
  V(agpu_native_copy_async,                                                    \
    (void *to, const void *from, uint32_t bytes, uint32_t copied,              \
     const char *location, uint32_t x, uint32_t y, uint32_t z),                \
    (to, from, bytes, copied, location, x, y, z))                              \
  V(agpu_native_commit_group,                                                  \
    (uint32_t groups, const char *location, uint32_t x, uint32_t y,            \
     uint32_t z),                                                              \
    (groups, location, x, y, z))                                               \
  V(agpu_native_wait_group,                                                    \
    (uint32_t groups, uint32_t pending, uint32_t reads_only,                   \
     const char *location, uint32_t x, uint32_t y, uint32_t z),                \
    (groups, pending, reads_only, location, x, y, z))                          \
  V(agpu_native_bulk_copy,                                                     \
    (uint32_t what, void *to, const void *from, uint32_t bytes, void *barrier, \
     uint32_t mask, const char *location, uint32_t x, uint32_t y, uint32_t z), \
    (what, to, from, bytes, barrier, mask, location, x, y, z))                 \
  V(agpu_native_tensor_copy,                                                   \
    (uint32_t what, uint32_t reduction, const void *tensor_map, void *shared,  \
     uint32_t rank, int32_t c0, int32_t c1, int32_t c2, int32_t c3,            \
     int32_t c4, uint32_t mode, uint32_t o0, uint32_t o1, uint32_t o2,         \
     void *barrier, uint32_t mask, const char *location, uint32_t x,           \
     uint32_t y, uint32_t z),                                                  \
    (what, reduction, tensor_map, shared, rank, c0, c1, c2, c3, c4, mode, o0,  \
     o1, o2, barrier, mask, location, x, y, z))                                \
  X(uint64_t, agpu_native_phase,                                               \
    (uint32_t what, void *barrier, uint32_t count, const char *location,       \
     uint32_t x, uint32_t y, uint32_t z),                                      \
    (what, barrier, count, location, x, y, z))                                 \
  V(agpu_native_track_copies,                                                  \
    (void *barrier, uint32_t counted, const char *location, uint32_t x,        \
     uint32_t y, uint32_t z),                                                  \
    (barrier, counted, location, x, y, z))                                     \
  V(agpu_native_wgmma,                                                         \
    (void *d, uint64_t descriptor_a, uint64_t descriptor_b, uint32_t n,        \
     uint32_t k, uint32_t type_a, uint32_t type_b, uint32_t flags,             \
     const char *location, uint32_t x, uint32_t y, uint32_t z),                \
    (d, descriptor_a, descriptor_b, n, k, type_a, type_b, flags, location, x,  \
     y, z))                                                                    \
  V(agpu_native_wgmma_read,                                                    \
    (void *d, uint32_t bytes, const char *location, uint32_t x, uint32_t y,    \
     uint32_t z),                                                              \
    (d, bytes, location, x, y, z))                                             \
  V(agpu_native_fence_proxies,                                                 \
    (const char *location, uint32_t x, uint32_t y, uint32_t z),                \
    (location, x, y, z))                                                       \
  V(agpu_native_wgmma_fence,                                                   \
    (const char *location, uint32_t x, uint32_t y, uint32_t z),                \
    (location, x, y, z))                                                       \
  V(agpu_native_cluster_arrive,                                                \
    (uint32_t relaxed, const char *location, uint32_t x, uint32_t y,           \
     uint32_t z),                                                              \
    (relaxed, location, x, y, z))                                              \
  X(void *, agpu_native_map_shared,                                            \
    (void *address, uint32_t rank, const char *location, uint32_t x,           \
     uint32_t y, uint32_t z),                                                  \
    (address, rank, location, x, y, z))

/// Constant while native code runs.
static struct {
#define VALUE(result, name, parameters, arguments) result(*name) parameters;
#define NO_VALUE(name, parameters, arguments) void(*name) parameters;
  NATIVE_FUNCTIONS(VALUE, NO_VALUE)
#undef VALUE
#undef NO_VALUE
} calls;

#define VALUE(result, name, parameters, arguments)                             \
  __attribute__((weak)) result name parameters { return calls.name arguments; }
#define NO_VALUE(name, parameters, arguments)                                  \
  __attribute__((weak)) void name parameters { calls.name arguments; }
NATIVE_FUNCTIONS(VALUE, NO_VALUE)
#undef VALUE
#undef NO_VALUE

void agpu__native_calls_set(void *(*find)(void *library, const char *name),
                            void *library) {
  void *address;
  // POSIX gives functions the representation of object pointers.
#define NO_VALUE(name, parameters, arguments)                                  \
  address = find(library, #name);                                              \
  memcpy(&calls.name, &address, sizeof address);
#define VALUE(result, name, parameters, arguments)                             \
  NO_VALUE(name, parameters, arguments)
  NATIVE_FUNCTIONS(VALUE, NO_VALUE)
#undef VALUE
#undef NO_VALUE
}
