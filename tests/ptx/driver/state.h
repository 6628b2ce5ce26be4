//===- state.h - What the driver is made of ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CUDA driver whose devices execute PTX on the host (machine/). It does what
// the driver API's manual says and no more: where that leaves something open,
// it does what is least convenient. One lock guards all that is declared here
// unless said otherwise; handles are never used twice, so that one that is used
// after its end is found.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_PTX_STATE_H
#define ASYNC_GPU_TESTS_PTX_STATE_H

#include "driver/observer.h"
#include "driver_api/values.h"
#include "gpu/driver/driver.h"
#include "machine/warp.h"

#include <pthread.h>

#define PTX_EXPORT __attribute__((visibility("default")))

#define PTX_DECLARE(need, name, symbol, parameters, arguments)                 \
  PTX_EXPORT CUresult symbol parameters;
AGPU__DRIVER_FUNCTIONS(PTX_DECLARE)
#undef PTX_DECLARE
// The runtime does not call these.
PTX_EXPORT CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph,
                                           const CUgraphNode *dependencies,
                                           size_t count,
                                           CUDA_MEM_ALLOC_NODE_PARAMS *params);
PTX_EXPORT CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph,
                                          const CUgraphNode *dependencies,
                                          size_t count, CUdeviceptr pointer);
PTX_EXPORT CUresult cuDeviceGraphMemTrim(CUdevice device);

enum { PTX_MAX_DEVICES = 16, PTX_MAX_PITCH = 2147483647 };

// Results that driver.h does not name.
#define PTX_LAUNCH_OUT_OF_RESOURCES ((CUresult)701)

//===----------------------------------------------------------------------===//
// settings.c
//===----------------------------------------------------------------------===//

typedef struct ptx_settings {
  ptx_options options; ///< of every launch
  int devices, driver_version;
  bool has_peers, has_pools;
  bool pageable_is_async; ///< copies of pageable memory do not block
  unsigned delay_us;      ///< before work of a stream, at most; 0: none
  uint64_t seed;          ///< of the delays
  uint64_t memory_bytes;  ///< of each device
  const char *log;        ///< NULL: stderr
} ptx_settings;

/// The settings, which are read once. A malformed one ends the process.
const ptx_settings *ptx_get_settings(void);

//===----------------------------------------------------------------------===//
// report.c
//===----------------------------------------------------------------------===//

/// Once, before anything else of the driver.
void ptx_report_start(void);
/// A line for whoever looks into what went wrong.
void ptx_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
/// What CUDA leaves undefined, and no result tells. The process ends with
/// PTX_VIOLATION_STATUS however it ends otherwise.
void ptx_violation(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

enum { PTX_VIOLATION_STATUS = 70 };

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

enum { PTX_LIMITS = CU_LIMIT_MALLOC_HEAP_SIZE + 1 };

/// The primary context of a device. They stand in one array for good.
struct CUctx_st {
  bool is_alive;
  int device, references;
  CUresult error;                   ///< sticky: the first of its work
  bool can_access[PTX_MAX_DEVICES]; ///< memory of cuMemAlloc there
  size_t limits[PTX_LIMITS];        ///< by CUlimit
  _Atomic(bool) has_printed;
  int streams, events, modules, graphs, execs;
  CUstream null_stream;
  char *output; ///< what kernels have printed and is not written yet
  size_t output_bytes, output_capacity;
};

/// A time a stream is to reach. Shared by the event, the stream and who waits.
typedef struct ptx_record {
  int references;
  bool is_done;
  int64_t time; ///< when it was reached, in ns
  CUcontext context;
} ptx_record;

/// Something a stream does. `perform` is called without the lock, in the
/// stream's order, in a context in error, too; then the work is freed.
typedef struct ptx_work {
  struct ptx_work *next;
  CUstream stream;
  void (*perform)(struct ptx_work *work);
  ptx_activity activity; ///< what a profiler is told of; set by who makes it
  uint64_t bytes;        ///< of a copy or a fill
  uint32_t correlation;  ///< the profiler's number
} ptx_work;

typedef struct ptx_sequence ptx_sequence;

/// A place in what is captured (capture.c, under its lock).
typedef struct ptx_place {
  ptx_sequence *of; ///< NULL, or one that is over: none
  CUgraphNode *nodes;
  size_t count;
} ptx_place;

struct CUstream_st {
  bool is_alive, has_thread, is_blocking;
  ptx_place captured; ///< its end
  CUcontext context;
  ptx_work *first, **last;
  unsigned pending; ///< enqueued and not done
  int priority;
  CUstream next; ///< of all there ever were
};

struct CUevent_st {
  bool is_alive, is_timed;
  ptx_place captured; ///< where it was recorded, if not in a stream
  CUcontext context;
  ptx_record *last; ///< NULL: never recorded
  CUevent next;
};

struct CUfunc_st {
  CUmodule module;
  const ptx_function *function;
  uint64_t dynamic_limit;
  bool allows_large_clusters;
};

struct CUmod_st {
  bool is_alive;
  CUcontext context;
  ptx_module *code;
  struct CUfunc_st *functions; ///< one for each of the code's
  CUmodule next;
};

struct CUmemPoolHandle_st {
  int device;
  bool can_access[PTX_MAX_DEVICES];
  uint64_t reserved, threshold; ///< bytes
};

extern pthread_mutex_t ptx_lock;
extern pthread_cond_t ptx_changed; ///< work is there, or is done, or has failed

//===----------------------------------------------------------------------===//
// context.c
//===----------------------------------------------------------------------===//

/// At the beginning of each call: the driver is started, and the thread is in
/// no host function of a stream.
CUresult ptx_enter(void);
/// The same, with a context that is current and has no error.
CUresult ptx_enter_context(CUcontext *out_context);
/// The calling thread runs a host function: calls of the driver are refused.
void ptx_set_in_host_function(bool is_in);
CUcontext ptx_context_of(int device);
bool ptx_is_device(int device);
CUmemoryPool ptx_pool_of(int device);
/// It has given more.
void ptx_pool_grew(CUmemoryPool pool);
/// The pool has reserved no more than `keep` and what is used.
void ptx_pool_shrink(CUmemoryPool pool, uint64_t keep);

/// The sticky error of a context's work, with a line that says why.
void ptx_set_error(CUcontext context, CUresult error, const char *why);
CUresult ptx_get_error(CUcontext context);

//===----------------------------------------------------------------------===//
// copy.c
//===----------------------------------------------------------------------===//

/// Whether the manual allows the copy, whatever memory there is.
CUresult ptx_check_box(const CUDA_MEMCPY3D *box);

//===----------------------------------------------------------------------===//
// stream.c
//===----------------------------------------------------------------------===//

/// For a call on a stream: the current context, and whether the handle is a
/// stream that can be used; its own error, or that of its context. The null
/// stream becomes the current context's.
CUresult ptx_enter_stream(CUcontext *current, CUstream *stream);
/// Zeroed work of `bytes`, which begin with a ptx_work.
void *ptx_new_work(size_t bytes, void (*perform)(ptx_work *work));
void ptx_enqueue(CUstream stream, ptx_work *work);
/// What the calling thread, which is the stream's, enqueues there is done at
/// once, until it says another one (NULL: none); returns the one before.
CUstream ptx_perform_here(CUstream stream);
bool ptx_performs(CUstream stream);
/// Waits for all that was enqueued; writes what kernels have printed.
void ptx_drain_stream(CUstream stream);
void ptx_drain_context(CUcontext context);

//===----------------------------------------------------------------------===//
// launch.c
//===----------------------------------------------------------------------===//

/// What is wrong with a launch without clusters, if anything is. Three sizes
/// each.
CUresult ptx_check_launch(CUfunction function, const unsigned *cluster,
                          const unsigned *grid, const unsigned *block,
                          unsigned shared_bytes, void **params);

//===----------------------------------------------------------------------===//
// output.c
//===----------------------------------------------------------------------===//

/// Writes what kernels of the context have printed to stdout. Only where CUDA
/// says so ("Formatted Output", points at which the buffer is flushed).
void ptx_write_output(CUcontext context);

//===----------------------------------------------------------------------===//
// address.c
//===----------------------------------------------------------------------===//

typedef enum ptx_memory_kind {
  PTX_PLAIN, ///< of the host, and nothing that the driver knows
  PTX_DEVICE_MEMORY,
  PTX_POOL_MEMORY,
  PTX_PINNED,
  PTX_MANAGED,
  PTX_REGISTERED,
  PTX_MODULE_VARIABLE,
} ptx_memory_kind;

typedef struct ptx_allocation {
  CUdeviceptr base;
  uint64_t bytes;
  ptx_memory_kind kind;
  int device;
  bool is_live;
  bool is_ending; ///< a stream frees it
} ptx_allocation;

void ptx_address_start(void);
/// An address range that the host cannot touch, with bytes behind it that
/// nobody has had before and that hold poison. 0: there is no more.
CUdeviceptr ptx_address_reserve(uint64_t bytes);
/// The bytes behind an address of the device or of the host.
void *ptx_address_host(CUdeviceptr address);
bool ptx_address_is_device(CUdeviceptr address);
void ptx_allocation_add(ptx_allocation allocation);
/// The allocation that has an address, alive or not; false: there is none.
bool ptx_allocation_find(CUdeviceptr address, ptx_allocation *out);
/// Ends a live allocation that begins there and is of one of the kinds (a set
/// of bits); false: there is none.
bool ptx_allocation_end(CUdeviceptr base, unsigned kinds);
/// Says that a stream will end it; false: there is none, or one will already.
bool ptx_allocation_begin_end(CUdeviceptr base, unsigned kinds);
/// Bytes that the device's pool has given and not got back.
uint64_t ptx_pool_bytes(int device);
/// How much of a device's memory programs have. `is_ordered`: without what
/// streams will free, for which an allocation in a stream can wait.
uint64_t ptx_allocations_count(int device, bool is_ordered);
/// Ends all memory of a device's: how many were left of what programs allocate.
size_t ptx_allocations_end_all(int device, uint64_t *out_bytes);
/// Whether a range lies in what is alive, or is no business of the driver's.
bool ptx_range_is_valid(CUdeviceptr address, uint64_t bytes,
                        ptx_memory_kind *out_kind);
/// Another device may, or may not any more, access some memory.
void ptx_access_changed(void);

#endif // ASYNC_GPU_TESTS_PTX_STATE_H
