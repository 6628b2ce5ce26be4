//===- peers.c - Which device may use whose memory ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As the API has it: memory is its device's, and contexts and pools are opened
// to others one by one, in one direction.
//
//===----------------------------------------------------------------------===//

#include "emu/memory/peers.h"

#include "driver_api/values.h"
#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/settings.h"
#include "emu/memory/allocation.h"
#include "emu/memory/capacity.h"
#include "emu/memory/guard.h"

struct CUmemPoolHandle_st {
  atomic_uint open_to;          // devices, a bit each
  _Atomic(uint64_t) threshold;  // of bytes that a synchronization leaves
  atomic_bool reuse_options[3]; // true: off. No allocation depends on them
};

// Relaxed throughout: a program that switches access on while work runs that
// needs it is wrong in any order.
static struct {
  struct CUmemPoolHandle_st pools[AGPU__EMU_MAX_DEVICES];
  // By the number of a context: a bit for each other one.
  _Atomic(uint64_t) contexts_open_to[AGPU__EMU_MAX_CONTEXTS];
} all;

static bool is_pool(CUmemoryPool pool) {
  uintptr_t offset = (uintptr_t)pool - (uintptr_t)all.pools;
  return offset < sizeof all.pools && offset % sizeof *all.pools == 0;
}

static CUdevice pool_device(CUmemoryPool pool) {
  return (CUdevice)(pool - all.pools);
}

static unsigned bit(CUdevice device) { return 1u << device; }

static _Atomic(uint64_t) *open_to(CUcontext context) {
  return &all.contexts_open_to[agpu__emu_context_number(context)];
}

static uint64_t context_bit(CUcontext context) {
  return UINT64_C(1) << agpu__emu_context_number(context);
}

bool agpu__emu_may_access(CUcontext context, CUcontext owner, bool pool) {
  if (context == owner)
    return true;
  if (pool) {
    CUdevice from = agpu__emu_context_device(owner);
    CUdevice to = agpu__emu_context_device(context);
    return from == to || atomic_load_explicit(&all.pools[from].open_to,
                                              memory_order_relaxed) &
                             bit(to);
  }
  return atomic_load_explicit(open_to(owner), memory_order_relaxed) &
         context_bit(context);
}

void agpu__emu_peers_end(CUcontext context, bool is_last) {
  atomic_store_explicit(open_to(context), 0, memory_order_relaxed);
  for (unsigned i = 0; i < AGPU__EMU_MAX_CONTEXTS; ++i)
    atomic_fetch_and_explicit(&all.contexts_open_to[i], ~context_bit(context),
                              memory_order_relaxed);
  for (int i = 0; is_last && i < AGPU__EMU_MAX_DEVICES; ++i) {
    struct CUmemPoolHandle_st *pool = &all.pools[i];
    atomic_store_explicit(&pool->open_to, 0, memory_order_relaxed);
    atomic_store_explicit(&pool->threshold, 0, memory_order_relaxed);
    for (int k = 0; k < 3; ++k)
      atomic_store_explicit(&pool->reuse_options[k], false,
                            memory_order_relaxed);
  }
}

CUresult agpu__emu_cuDeviceCanAccessPeer(int *can, CUdevice device,
                                         CUdevice peer) {
  CUresult result = agpu__emu_enter_device(device);
  if (result)
    return result;
  if (!can)
    return CUDA_ERROR_INVALID_VALUE;
  if (peer < 0 || (unsigned)peer >= agpu__emu_get_settings()->devices)
    return CUDA_ERROR_INVALID_DEVICE;
  *can = device != peer;
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (!agpu__emu_is_context(peer) || peer == agpu__emu_get_context())
    return CUDA_ERROR_INVALID_CONTEXT;
  // What a device cannot reach is another device's: not its own.
  if (agpu__emu_context_device(peer) == agpu__emu_current_device())
    return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
  uint64_t own = context_bit(agpu__emu_get_context());
  return atomic_fetch_or_explicit(open_to(peer), own, memory_order_relaxed) &
                 own
             ? CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED
             : CUDA_SUCCESS;
}

CUresult agpu__emu_cuCtxDisablePeerAccess(CUcontext peer) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!agpu__emu_is_context(peer))
    return CUDA_ERROR_INVALID_CONTEXT;
  uint64_t own = context_bit(agpu__emu_get_context());
  return atomic_fetch_and_explicit(open_to(peer), ~own, memory_order_relaxed) &
                 own
             ? CUDA_SUCCESS
             : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}

CUresult agpu__emu_cuDeviceGetDefaultMemPool(CUmemoryPool *pool,
                                             CUdevice device) {
  CUresult result = agpu__emu_enter_device(device);
  if (result)
    return result;
  if (!agpu__emu_get_settings()->memory_pools)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (!pool)
    return CUDA_ERROR_INVALID_VALUE;
  *pool = &all.pools[device];
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuMemPoolSetAccess(CUmemoryPool pool,
                                      const CUmemAccessDesc *accesses,
                                      size_t count) {
  CUresult result = agpu__emu_enter_device(0);
  if (result)
    return result;
  if (!is_pool(pool) || !accesses || count == 0)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    CUdevice device = accesses[i].location.id;
    if (accesses[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || device < 0)
      return CUDA_ERROR_INVALID_VALUE;
    if ((unsigned)device >= agpu__emu_get_settings()->devices)
      return CUDA_ERROR_INVALID_DEVICE;
    // A pool is always open to its own device.
    if (accesses[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
      atomic_fetch_or_explicit(&pool->open_to, bit(device),
                               memory_order_relaxed);
    else if (device != pool_device(pool))
      atomic_fetch_and_explicit(&pool->open_to, ~bit(device),
                                memory_order_relaxed);
    else
      return CUDA_ERROR_INVALID_DEVICE;
  }
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// What pools keep
//===----------------------------------------------------------------------===//

void agpu__emu_memory_synchronized(void) {
  CUdevice device = agpu__emu_current_device();
  agpu__emu_capacity_trim(
      device,
      atomic_load_explicit(&all.pools[device].threshold, memory_order_relaxed));
  agpu__emu_guard_synchronized();
}

static atomic_bool *find_option(CUmemoryPool pool,
                                CUmemPool_attribute attribute) {
  return &pool->reuse_options[attribute -
                              CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES];
}

CUresult agpu__emu_cuMemPoolSetAttribute(CUmemoryPool pool,
                                         CUmemPool_attribute attribute,
                                         void *value) {
  CUresult result = agpu__emu_enter_device(0);
  if (result)
    return result;
  if (!is_pool(pool) || !value)
    return CUDA_ERROR_INVALID_VALUE;
  switch ((int)attribute) {
  case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
    atomic_store_explicit(find_option(pool, attribute), !*(int *)value,
                          memory_order_relaxed);
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    atomic_store_explicit(&pool->threshold, *(uint64_t *)value,
                          memory_order_relaxed);
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    // Nothing but 0 may be set.
    if (*(uint64_t *)value)
      return CUDA_ERROR_INVALID_VALUE;
    agpu__emu_capacity_forget_most(
        pool_device(pool), attribute == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH);
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
  case CU_MEMPOOL_ATTR_USED_MEM_CURRENT: break;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult agpu__emu_cuMemPoolGetAttribute(CUmemoryPool pool,
                                         CUmemPool_attribute attribute,
                                         void *value) {
  CUresult result = agpu__emu_enter_device(0);
  if (result)
    return result;
  if (!is_pool(pool) || !value)
    return CUDA_ERROR_INVALID_VALUE;
  agpu__emu_pool_use use = agpu__emu_capacity_get_pool(pool_device(pool));
  uint64_t *bytes = value;
  switch ((int)attribute) {
  case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
    *(int *)value = !atomic_load_explicit(find_option(pool, attribute),
                                          memory_order_relaxed);
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    *bytes = atomic_load_explicit(&pool->threshold, memory_order_relaxed);
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    *bytes = use.reserved;
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    *bytes = use.most_reserved;
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_USED_MEM_CURRENT: *bytes = use.used; return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    *bytes = use.most_used;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult agpu__emu_cuMemPoolTrimTo(CUmemoryPool pool, size_t keep) {
  CUresult result = agpu__emu_enter_device(0);
  if (result)
    return result;
  if (!is_pool(pool))
    return CUDA_ERROR_INVALID_VALUE;
  agpu__emu_capacity_trim(pool_device(pool), keep);
  agpu__emu_memory_trim();
  return CUDA_SUCCESS;
}
