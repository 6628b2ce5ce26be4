//===- emu.h - The emulated device from inside --------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emulated device implements the driver table (gpu/driver/driver.h) on host
// threads: a stream is a queue with a thread, an event is a marker in queues,
// device memory is host memory with records, and a kernel is native code that
// runs one block per call. It knows nothing of the runtime above the table.
//
// There are one or more devices (ASYNC_GPU_EMU_DEVICES) with one context each.
// A context's first error that happens while work runs is sticky, as on
// hardware: work behind it is dropped, and every later call in it returns it.
// Copies reach the memory of all devices; a kernel that is given memory of
// another device fails unless access has been switched on (peers.c). What a
// context leaves behind goes with the last one.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_EMU_H
#define ASYNC_GPU_RUNTIME_EMU_EMU_H

#include "base/report/settings.h"
#include "emu/check/order.h"
#include "emu/check/written.h"
#include "gpu/driver/driver.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define AGPU__EMU_MAX_THREADS_PER_BLOCK 1024u
#define AGPU__EMU_MAX_BLOCK_Z 64u
#define AGPU__EMU_MAX_GRID_X 0x7fffffffu
#define AGPU__EMU_MAX_GRID_YZ 65535u
#define AGPU__EMU_MAX_SHARED_BYTES (48u * 1024u)
#define AGPU__EMU_MAX_CLUSTER 8u        // blocks, without asking
#define AGPU__EMU_MAX_LARGE_CLUSTER 16u // and with it

//===----------------------------------------------------------------------===//
// context.c: the device and what every call checks first
//===----------------------------------------------------------------------===//

/// What a call needs: cuInit done, a live context current on this thread, not
/// inside a host function, and no sticky error. Any thread.
CUresult agpu__emu_enter(void);

/// The calling thread's context, and its change for threads of this driver.
CUcontext agpu__emu_get_context(void);
void agpu__emu_set_context(CUcontext context);

/// Makes `error` sticky in the thread's context unless one is already.
void agpu__emu_set_error(CUresult error);

/// The sticky error of the thread's context, or CUDA_SUCCESS.
CUresult agpu__emu_get_error(void);

/// The same of any context.
CUresult agpu__emu_context_get_error(CUcontext context);

/// What the calling thread found wrong, in printf form: goes to the log, and
/// into the text of the result that the call returns (or that becomes sticky,
/// on a stream's thread). Forgotten when the thread's next call begins.
void agpu__emu_note(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/// What was noted last on this thread, or "".
const char *agpu__emu_get_note(void);
void agpu__emu_clear_note(void);

/// Keeps the calling thread's note for the text of the sticky error.
/// An illegal address is that of the op that the thread runs, which is said,
/// too.
void agpu__emu_keep_note(CUresult error);

/// The context starts afresh: there is no such text.
void agpu__emu_forget_note(CUcontext context);

/// Marks the calling thread as inside (or no longer inside) a host function,
/// where calls of the driver are refused.
void agpu__emu_set_in_host_function(bool inside);

/// What programs have created in the context and not destroyed. Files count
/// themselves; relaxed, since it is read when no other call is made.
typedef struct agpu__emu_counts {
  atomic_int streams, events, modules;
} agpu__emu_counts;
agpu__emu_counts *agpu__emu_get_counts(CUcontext context);

CUresult agpu__emu_init(unsigned int flags);
CUresult agpu__emu_driver_get_version(int *version);
CUresult agpu__emu_device_get_count(int *count);
CUresult agpu__emu_device_get(CUdevice *device, int ordinal);
CUresult agpu__emu_device_get_name(char *name, int length, CUdevice device);
CUresult agpu__emu_device_get_attribute(int *value,
                                        CUdevice_attribute attribute,
                                        CUdevice device);
CUresult agpu__emu_primary_ctx_retain(CUcontext *context, CUdevice device);
CUresult agpu__emu_primary_ctx_release(CUdevice device);
CUresult agpu__emu_ctx_set_current(CUcontext context);

/// The number of the device whose context this is.
CUdevice agpu__emu_context_device(CUcontext context);

/// What a call that is about a device needs: cuInit done, not inside a host
/// function, and a device of that number.
CUresult agpu__emu_enter_device(CUdevice device);

//===----------------------------------------------------------------------===//
// peers.c: which device may use whose memory
//===----------------------------------------------------------------------===//

/// Whether kernels of `device` may use memory of `owner`, of its pool
/// (stream-ordered) or not.
bool agpu__emu_may_access(CUdevice device, CUdevice owner, bool pool);

/// No device may use another's memory.
void agpu__emu_peers_reset(void);

CUresult agpu__emu_device_can_access_peer(int *can, CUdevice device,
                                          CUdevice peer);
CUresult agpu__emu_ctx_enable_peer_access(CUcontext peer, unsigned int flags);
CUresult agpu__emu_device_get_default_mem_pool(CUmemoryPool *pool,
                                               CUdevice device);
CUresult agpu__emu_mem_pool_set_access(CUmemoryPool pool,
                                       const CUmemAccessDesc *accesses,
                                       size_t count);

//===----------------------------------------------------------------------===//
// print.c: what kernels print
//===----------------------------------------------------------------------===//

/// Writes what kernels have printed in the thread's context, at the calls that
/// the CUDA programming guide names: launches, those that wait for a stream or
/// an event, those that load or unload modules, and the end of a context.
void agpu__emu_print_flush(void);

/// The same at the end of a context.
void agpu__emu_print_end(CUcontext context);

//===----------------------------------------------------------------------===//
// fault.c: calls that fail on request
//===----------------------------------------------------------------------===//

/// Puts functions into the table that call those in it, and of which one call
/// fails as the settings want it.
void agpu__emu_load_faults(agpu__driver *driver);

/// The name of the function of the table that is called so; NULL where there is
/// none. It lives as long as the program.
const char *agpu__emu_find_function(const char *name, size_t length);

//===----------------------------------------------------------------------===//
// error.c: names and texts of results
//===----------------------------------------------------------------------===//

/// Whether work that ends so leaves its context in error.
bool agpu__emu_error_is_sticky(CUresult error);

/// The result of that name; CUDA_SUCCESS where there is none.
CUresult agpu__emu_find_error(const char *name);

CUresult agpu__emu_get_error_name(CUresult error, const char **out);
CUresult agpu__emu_get_error_string(CUresult error, const char **out);

//===----------------------------------------------------------------------===//
// schedule.c: settings from the environment; the seeded schedule
//===----------------------------------------------------------------------===//

/// The call that fails.
typedef struct agpu__emu_fault {
  const char *function; ///< whose calls are counted; NULL: all functions'
  uint64_t call;        ///< its number, from 1; 0: none fails
  CUresult result;      ///< what it returns
} agpu__emu_fault;

typedef struct agpu__emu_settings {
  bool seeded;
  uint64_t seed;
  unsigned devices;
  unsigned threads; ///< that run blocks, the launching stream's included
  bool memory_pools;
  size_t memory_bytes;     ///< of a device; 0: see capacity.c
  bool check_races;        ///< see races.h
  bool check_memory;       ///< keep where memory was allocated and freed
  bool check_arithmetic;   ///< see report.h
  bool check_lanes;        ///< see warp.c
  unsigned kernel_seconds; ///< that a kernel may run for; 0: no limit
  size_t print_bytes;      ///< of what kernels print, kept until it is written
  /// Of memory of the host that the driver knows nothing of: kernels reach it;
  /// copies do not hold up their caller.
  bool pageable_access, pageable_async;
  agpu__emu_fault fault;
} agpu__emu_settings;

/// Reads the environment. INVALID_ARGUMENT names the malformed variable.
agpu_status agpu__emu_settings_load(void);
const agpu__emu_settings *agpu__emu_get_settings(void);

/// INVALID_ARGUMENT if ASYNC_GPU_EMU_FAULT is malformed, which the table of the
/// settings does not tell.
agpu_status agpu__emu_fault_check(void);

/// How many nanoseconds a thread of the device that has run out of work looks
/// for more before it sleeps. 0 where the device has one thread.
int64_t agpu__emu_awake_ns(void);

/// A source of random numbers for one thread at a time.
typedef struct agpu__emu_random {
  uint64_t state;
  unsigned slowness; ///< 0 to 3: how far delays stretch
} agpu__emu_random;

/// The `ordinal`-th source of the seed. Equal seeds give equal sources.
agpu__emu_random agpu__emu_random_create(uint64_t ordinal);
uint64_t agpu__emu_random_next(agpu__emu_random *random);

/// With a seed: waits, or not, for a random time. Takes no lock, so that it
/// orders nothing that the program does not order (a race stays visible to the
/// thread sanitizer).
void agpu__emu_delay(agpu__emu_random *random);

//===----------------------------------------------------------------------===//
// memory.c: device memory
//===----------------------------------------------------------------------===//

/// Whether [pointer, pointer + bytes) may be named in a call now: no part of
/// it is device memory, or it lies in one allocation that is not freed.
bool agpu__emu_memory_is_nameable(CUdeviceptr pointer, size_t bytes);

/// Whether work that runs now may touch the range: as above, and the
/// allocation has been reached and the free has not, in stream order.
bool agpu__emu_memory_is_usable(CUdeviceptr pointer, size_t bytes);

/// Whether `pointer` is device memory that has been freed (or not yet reached),
/// or that is another device's and not open to that of the current context: for
/// kernel parameters. False for everything that is not device memory.
bool agpu__emu_memory_is_out_of_reach(CUdeviceptr pointer);

/// Whether the host may touch what is there: all but device memory that is not
/// managed.
bool agpu__emu_memory_is_open_to_host(CUdeviceptr pointer);

/// Whether [from, from + bytes) has any device memory in it.
bool agpu__emu_memory_is_near(CUdeviceptr from, size_t bytes);

/// An allocation that work may touch now.
typedef struct agpu__emu_range {
  CUdeviceptr from, to;
  ptrdiff_t distance;         ///< from its addresses to where the memory is
  unsigned version;           ///< of agpu__emu_memory_version when it was found
  agpu__emu_written *written; ///< NULL: not followed
} agpu__emu_range;

/// Finds the allocation that `pointer` lies in. False: there is none that is
/// usable.
bool agpu__emu_memory_find(CUdeviceptr pointer, agpu__emu_range *out);

/// Calls `visit` for each allocation that the program has not freed, with where
/// it was made. No call of this file may be made meanwhile.
void agpu__emu_memory_each(void (*visit)(const char *location, size_t bytes,
                                         void *argument),
                           void *argument);

/// A fill or copy has written a range; nothing where that is not followed.
/// `source` of a copy may be any memory.
void agpu__emu_memory_note_fill(CUdeviceptr target, size_t bytes);
void agpu__emu_memory_note_copy(CUdeviceptr target, CUdeviceptr source,
                                size_t bytes);

/// Where the memory at `pointer` is, which may be device memory.
void *agpu__emu_memory_host(CUdeviceptr pointer);

/// Changes when an allocation is freed: what was found before may be gone.
unsigned agpu__emu_memory_version(void);

/// Writes "at byte N of the M allocated at LOCATION", or "at ADDRESS" where
/// that is in no allocation.
void agpu__emu_memory_describe(CUdeviceptr pointer, char *out, size_t size);

/// Calls `visit` for the allocation (or what was one, and is not used again
/// yet) that `pointer` lies in, if there is one. `history` is the caller's to
/// set; it belongs to the allocation. No call of this file may be made
/// meanwhile.
struct agpu__emu_history;
void agpu__emu_memory_visit(CUdeviceptr pointer,
                            void (*visit)(struct agpu__emu_history **history,
                                          CUdeviceptr base, size_t bytes,
                                          void *argument),
                            void *argument);

/// Whether a stream may write a value there: device memory that may be named,
/// other than managed, or host memory that the device addresses.
bool agpu__emu_memory_takes_values(CUdeviceptr pointer);

/// The stream reaches a stream-ordered allocation or free.
void agpu__emu_memory_reach_alloc(CUdeviceptr pointer);
void agpu__emu_memory_reach_free(CUdeviceptr pointer);

/// Gives everything back. No work may be running.
void agpu__emu_memory_reset(void);

CUresult agpu__emu_mem_alloc(CUdeviceptr *pointer, size_t bytes);
CUresult agpu__emu_mem_free(CUdeviceptr pointer);
CUresult agpu__emu_mem_alloc_managed(CUdeviceptr *pointer, size_t bytes,
                                     unsigned int flags);
CUresult agpu__emu_mem_alloc_async(CUdeviceptr *pointer, size_t bytes,
                                   CUstream stream);
CUresult agpu__emu_mem_free_async(CUdeviceptr pointer, CUstream stream);
CUresult agpu__emu_pointer_get_attribute(void *data,
                                         CUpointer_attribute attribute,
                                         CUdeviceptr pointer);

//===----------------------------------------------------------------------===//
// capacity.c: how much memory a device has
//===----------------------------------------------------------------------===//

/// Takes `bytes` of the device's memory; false: there are not so many left.
/// `is_ordered`: for an allocation in the order of a stream.
bool agpu__emu_capacity_take(CUdevice device, size_t bytes, bool is_ordered);
/// The free of what was taken is enqueued, or was and is not to be.
void agpu__emu_capacity_leave(CUdevice device, size_t bytes, bool is_leaving);
/// What was taken, and is not leaving any more, is free.
void agpu__emu_capacity_give(CUdevice device, size_t bytes);
/// The same for managed memory.
bool agpu__emu_capacity_take_managed(size_t bytes);
void agpu__emu_capacity_give_managed(size_t bytes);
/// Nothing is taken.
void agpu__emu_capacity_reset(void);

CUresult agpu__emu_mem_get_info(size_t *free_bytes, size_t *total_bytes);

//===----------------------------------------------------------------------===//
// host_memory.c: memory of the host that devices address
//===----------------------------------------------------------------------===//

/// Whether [from, from + bytes) has any memory in it that was allocated or
/// registered so.
bool agpu__emu_host_memory_is_near(CUdeviceptr from, size_t bytes);

/// Whether the range lies in memory that was allocated or registered so.
bool agpu__emu_host_memory_is_mapped(CUdeviceptr pointer, size_t bytes);

/// Gives back and forgets what is left.
void agpu__emu_host_memory_reset(void);

CUresult agpu__emu_mem_host_alloc(void **pointer, size_t bytes,
                                  unsigned int flags);
CUresult agpu__emu_mem_free_host(void *pointer);
CUresult agpu__emu_mem_host_register(void *pointer, size_t bytes,
                                     unsigned int flags);
CUresult agpu__emu_mem_host_unregister(void *pointer);

//===----------------------------------------------------------------------===//
// leaks.c: device memory that was not freed
//===----------------------------------------------------------------------===//

/// With ASYNC_GPU_EMU_CHECK=memory: writes a warning to stderr for each place
/// whose allocations the program has not freed.
void agpu__emu_leaks_list(void);

//===----------------------------------------------------------------------===//
// module.c: modules and functions
//===----------------------------------------------------------------------===//

struct CUfunc_st {
  CUcontext context;
  const agpu_native_kernel *kernel;
  atomic_bool large_clusters; // asked for
};

/// Unloads the modules that are left.
void agpu__emu_modules_reset(void);

CUresult agpu__emu_module_load(CUmodule *module, const void *image,
                               unsigned int option_count, CUjit_option *options,
                               void **option_values);
CUresult agpu__emu_module_unload(CUmodule module);
CUresult agpu__emu_module_get_function(CUfunction *function, CUmodule module,
                                       const char *name);
CUresult agpu__emu_func_set_attribute(CUfunction function,
                                      CUfunction_attribute attribute,
                                      int value);

//===----------------------------------------------------------------------===//
// event.c: events and the markers behind them
//===----------------------------------------------------------------------===//

/// A position in a stream: reached once, by the stream's thread. Reference
/// counted, so that an event can be recorded again or destroyed while streams
/// still wait for what it recorded before.
typedef struct agpu__emu_marker agpu__emu_marker;

agpu__emu_marker *agpu__emu_marker_create(void); ///< NULL: out of memory
void agpu__emu_marker_retain(agpu__emu_marker *marker);
void agpu__emu_marker_release(agpu__emu_marker *marker);
void agpu__emu_marker_reach(agpu__emu_marker *marker);
void agpu__emu_marker_wait(agpu__emu_marker *marker);

/// The stamp of the op that records it; written before anyone else can see the
/// marker, constant afterwards.
agpu__emu_stamp *agpu__emu_marker_stamp(agpu__emu_marker *marker);

/// Destroys the events that are left.
void agpu__emu_events_reset(void);

CUresult agpu__emu_event_create(CUevent *event, unsigned int flags);
CUresult agpu__emu_event_destroy(CUevent event);
CUresult agpu__emu_event_record(CUevent event, CUstream stream);
CUresult agpu__emu_event_query(CUevent event);
CUresult agpu__emu_event_synchronize(CUevent event);
CUresult agpu__emu_stream_wait_event(CUstream stream, CUevent event,
                                     unsigned int flags);

//===----------------------------------------------------------------------===//
// op.c: what a stream's queue holds
//===----------------------------------------------------------------------===//

typedef enum agpu__emu_op_kind {
  AGPU__EMU_OP_KERNEL,
  AGPU__EMU_OP_COPY,
  AGPU__EMU_OP_FILL,
  AGPU__EMU_OP_WRITE,
  AGPU__EMU_OP_ALLOC,
  AGPU__EMU_OP_FREE,
  AGPU__EMU_OP_RECORD,
  AGPU__EMU_OP_WAIT,
  AGPU__EMU_OP_HOST,
} agpu__emu_op_kind;

typedef struct agpu__emu_op {
  struct agpu__emu_op *next;
  agpu__emu_op_kind kind;
  agpu__emu_stamp stamp; // from when it is enqueued
  union {
    struct {
      const agpu_native_kernel *kernel;
      agpu_native_block block; // sizes; block_id and shared are set per block
      uint32_t cluster_dim[3]; // in blocks
      uint64_t number;         // of the launches of the process
      void **params;           // into the same allocation as the op
      CUdeviceptr *hidden;     // likewise; see pageable.c
    } launch;
    struct {
      CUdeviceptr target, source;
      size_t bytes;
    } copy;
    struct {
      CUdeviceptr target;
      unsigned int value;
      unsigned int element_bytes;  // 1, 2 or 4
      size_t pitch, width, height; // in bytes, elements, rows
    } fill;
    struct {
      CUdeviceptr target;
      uint32_t value;
    } write;
    CUdeviceptr pointer;      // ALLOC, FREE
    agpu__emu_marker *marker; // RECORD, WAIT: one reference
    struct {
      CUhostFn function;
      void *user_data;
    } host;
  };
} agpu__emu_op;

/// A new op with room for `extra` bytes behind it; NULL: out of memory.
agpu__emu_op *agpu__emu_op_create(agpu__emu_op_kind kind, size_t extra);

/// Writes ", in <op> at <location>" of the op that the calling stream's thread
/// runs, or nothing.
void agpu__emu_op_print_running(char *out, size_t size);

/// Whose op it is; what the device knows of it where nobody has said.
agpu__op_name agpu__emu_op_origin(const agpu__emu_op *op);

/// Bytes from the first to the last one that a fill touches.
size_t agpu__emu_fill_span(const agpu__emu_op *op);

/// Runs the op on the calling stream's thread and frees it. Once the context
/// has an error, work is dropped, but markers are still reached.
void agpu__emu_op_run(agpu__emu_op *op, agpu__emu_random *random);

CUresult agpu__emu_memcpy_async(CUdeviceptr target, CUdeviceptr source,
                                size_t bytes, CUstream stream);
CUresult agpu__emu_memset_d8(CUdeviceptr target, unsigned char value,
                             size_t count, CUstream stream);
CUresult agpu__emu_memset_d16(CUdeviceptr target, unsigned short value,
                              size_t count, CUstream stream);
CUresult agpu__emu_memset_d32(CUdeviceptr target, unsigned int value,
                              size_t count, CUstream stream);
CUresult agpu__emu_memset_2d_d32(CUdeviceptr target, size_t pitch,
                                 unsigned int value, size_t width,
                                 size_t height, CUstream stream);
CUresult agpu__emu_stream_write_value(CUstream stream, CUdeviceptr target,
                                      uint32_t value, unsigned int flags);
CUresult agpu__emu_launch_host_func(CUstream stream, CUhostFn function,
                                    void *user_data);

//===----------------------------------------------------------------------===//
// launch.c: kernels; the threads that run blocks
//===----------------------------------------------------------------------===//

/// Runs all blocks of a launch and returns when they are done.
void agpu__emu_run_blocks(const agpu__emu_op *op, agpu__emu_random *random);

/// Joins the threads that run blocks. No work may be running.
void agpu__emu_launch_reset(void);

CUresult agpu__emu_launch_kernel(CUfunction function, unsigned int grid_x,
                                 unsigned int grid_y, unsigned int grid_z,
                                 unsigned int block_x, unsigned int block_y,
                                 unsigned int block_z,
                                 unsigned int shared_bytes, CUstream stream,
                                 void **params, void **extra);
CUresult agpu__emu_launch_kernel_ex(const CUlaunchConfig *config,
                                    CUfunction function, void **params,
                                    void **extra);

//===----------------------------------------------------------------------===//
// stream.c: queues and their threads
//===----------------------------------------------------------------------===//

/// The context that the stream was created in.
CUcontext agpu__emu_stream_context(CUstream stream);

/// Appends `op` (taken over on every path), giving the stream a thread when
/// it has none. INVALID_HANDLE where another context is current; only
/// waiting for events is allowed from everywhere.
CUresult agpu__emu_stream_enqueue(CUstream stream, agpu__emu_op *op);

/// Waits until all streams have done what they hold now.
void agpu__emu_streams_wait(void);

/// Destroys the streams that are left, waits for all, and joins the threads.
void agpu__emu_streams_reset(void);

CUresult agpu__emu_stream_create(CUstream *stream, unsigned int flags);
CUresult agpu__emu_stream_destroy(CUstream stream);
CUresult agpu__emu_stream_query(CUstream stream);
CUresult agpu__emu_stream_synchronize(CUstream stream);

#endif // ASYNC_GPU_RUNTIME_EMU_EMU_H
