//===- settings.c - Settings of the emulated device -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the variables of base/report/settings.h that are the emulated device's
// into one structure. What the table of the settings cannot say of a fault,
// whose names are the driver's, is checked here.
//
//===----------------------------------------------------------------------===//

#include "emu/base/settings.h"

#include "base/os/cpus.h"
#include "emu/base/program_functions.h"
#include "emu/base/result.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static struct {
  agpu__emu_settings settings;
  atomic_bool is_unified; // relaxed: who launches kernels orders the program
} state = {
    .settings = {
        .devices = 1, .threads = 1, .connections = 8, .memory_pools = true}};

static unsigned count_processors(void) {
  int64_t count = agpu__cpus_get().usable;
  // More threads gain nothing for an emulation.
  return count > AGPU__EMU_MAX_THREADS ? AGPU__EMU_MAX_THREADS
                                       : (unsigned)count;
}

/// The name of the function of the table that is called so; NULL where there is
/// none.
static const char *find_function(const char *name, size_t length) {
  static const char *const names[] = {
#define NAME(need, name, symbol, parameters, arguments) #name,
      AGPU__DRIVER_FUNCTIONS(NAME)
#undef NAME
#define NAME(name, symbol, since, parameters, arguments) #name,
          AGPU__EMU_PROGRAM_FUNCTIONS(NAME)
#undef NAME
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
      return names[i];
  return NULL;
}

/// Reads ASYNC_GPU_EMU_FAULT.
static agpu_status read_fault(agpu__emu_fault *out_fault) {
  const char *text = agpu__setting_text(AGPU__SETTING_EMU_FAULT);
  if (!text)
    return AGPU_OK;
  const char *number = text;
  const char *colon = strchr(text, ':');
  bool named = strncmp(text, "cu", 2) == 0 && colon;
  if (named) {
    out_fault->function = find_function(text, (size_t)(colon - text));
    number = colon + 1;
  }
  char *end = NULL;
  errno = 0;
  unsigned long long call = strtoull(number, &end, 10);
  if (*number >= '1' && *number <= '9' && !errno && *end == ':' &&
      (!named || out_fault->function)) {
    out_fault->call = call;
    out_fault->result = agpu__emu_find_error(end + 1);
    if (out_fault->result)
      return AGPU_OK;
  }
  return agpu_status_create(
      AGPU_STATUS_INVALID_ARGUMENT, NULL,
      "ASYNC_GPU_EMU_FAULT is \"%s\"; allowed are the number of a call, from "
      "1, a colon, and the name of an error, as in 3:CUDA_ERROR_UNKNOWN; "
      "before the number may stand whose calls are counted, as in "
      "cuMemAlloc:1:CUDA_ERROR_OUT_OF_MEMORY",
      text);
}

/// Reads CUDA's own CUDA_DEVICE_MAX_CONNECTIONS: "1 to 32 (default is 8)". With
/// a seed it is 32, as streams that share one hide missing dependences.
static agpu_status read_connections(bool seeded, unsigned *out_count) {
  const char *text = secure_getenv("CUDA_DEVICE_MAX_CONNECTIONS");
  *out_count = seeded ? AGPU__EMU_MAX_CONNECTIONS : 8;
  if (!text || !*text)
    return AGPU_OK;
  char *end = NULL;
  unsigned long count = strtoul(text, &end, 10);
  if (*text < '0' || *text > '9' || *end || count < 1 ||
      count > AGPU__EMU_MAX_CONNECTIONS)
    return agpu_status_create(
        AGPU_STATUS_INVALID_ARGUMENT, NULL,
        "CUDA_DEVICE_MAX_CONNECTIONS is \"%s\"; expected a number from 1 to %u",
        text, AGPU__EMU_MAX_CONNECTIONS);
  *out_count = (unsigned)count;
  return AGPU_OK;
}

/// Reads CUDA's own CUDA_MODULE_LOADING, LAZY by default.
static agpu_status read_loading(bool *out_is_lazy) {
  const char *text = secure_getenv("CUDA_MODULE_LOADING");
  *out_is_lazy = !text || strcmp(text, "EAGER") != 0;
  if (!text || !*text || !*out_is_lazy || strcmp(text, "LAZY") == 0 ||
      strcmp(text, "DEFAULT") == 0)
    return AGPU_OK;
  return agpu_status_create(
      AGPU_STATUS_INVALID_ARGUMENT, NULL,
      "CUDA_MODULE_LOADING is \"%s\"; expected LAZY or EAGER", text);
}

/// The bits of ASYNC_GPU_EMU_CHECK.
enum {
  CHECK_RACES = 1 << 0,
  CHECK_MEMORY = 1 << 1,
  CHECK_ARITHMETIC = 1 << 2,
  CHECK_LANES = 1 << 3
};

/// The words of ASYNC_GPU_EMU_MEMORY.
enum { MEMORY_AUTO, MEMORY_DISCRETE, MEMORY_UNIFIED };

/// The words of ASYNC_GPU_EMU_MANAGED.
enum { MANAGED_CONCURRENT, MANAGED_EXCLUSIVE };

/// The bits of ASYNC_GPU_EMU_TOLERATE.
enum { TOLERATE_MBARRIERS = 1 << 0, TOLERATE_MASKS = 1 << 1 };

agpu_status agpu__emu_settings_load(void) {
  int64_t seed, devices, threads, queue, memory_pools, memory_bytes,
      print_bytes, kernel_seconds;
  uint32_t check = 0, pageable = 0, tolerate = 0;
  int memory = MEMORY_AUTO, managed = MANAGED_CONCURRENT;
  const struct {
    agpu__setting setting;
    int64_t *value;
  } integers[] = {{AGPU__SETTING_EMU_SEED, &seed},
                  {AGPU__SETTING_EMU_DEVICES, &devices},
                  {AGPU__SETTING_EMU_THREADS, &threads},
                  {AGPU__SETTING_EMU_QUEUE, &queue},
                  {AGPU__SETTING_EMU_MEMORY_POOLS, &memory_pools},
                  {AGPU__SETTING_EMU_MEMORY_BYTES, &memory_bytes},
                  {AGPU__SETTING_EMU_PRINT_BYTES, &print_bytes},
                  {AGPU__SETTING_EMU_KERNEL_SECONDS, &kernel_seconds}};
  agpu_status status = AGPU_OK;
  for (size_t i = 0; i < sizeof integers / sizeof *integers && !status; ++i)
    status = agpu__setting_integer(integers[i].setting, integers[i].value);
  if (!status)
    status = agpu__setting_words(AGPU__SETTING_EMU_CHECK, &check);
  if (!status)
    status = agpu__setting_word(AGPU__SETTING_EMU_MEMORY, &memory);
  if (!status)
    status = agpu__setting_word(AGPU__SETTING_EMU_MANAGED, &managed);
  // What reaches all memory of the host shares managed memory, too.
  if (!status && managed == MANAGED_EXCLUSIVE && memory == MEMORY_UNIFIED)
    status = agpu_status_create(
        AGPU_STATUS_INVALID_ARGUMENT, NULL,
        "ASYNC_GPU_EMU_MANAGED=exclusive is of devices that are not "
        "ASYNC_GPU_EMU_MEMORY=unified");
  if (managed == MANAGED_EXCLUSIVE)
    memory = MEMORY_DISCRETE;
  if (!status)
    status = agpu__setting_words(AGPU__SETTING_EMU_PAGEABLE, &pageable);
  if (!status)
    status = agpu__setting_words(AGPU__SETTING_EMU_TOLERATE, &tolerate);
  agpu__emu_fault fault = {.function = NULL};
  if (!status)
    status = read_fault(&fault);
  unsigned connections = 0;
  if (!status)
    status = read_connections(seed >= 0, &connections);
  bool lazy_loading = true;
  if (!status)
    status = read_loading(&lazy_loading);
  if (status)
    return status;
  if (threads == AGPU__SETTING_UNSET)
    threads = count_processors();
  state.settings = (agpu__emu_settings){
      .seeded = seed >= 0,
      .seed = (uint64_t)seed,
      .devices = (unsigned)devices,
      .threads = (unsigned)threads,
      .queue = (unsigned)queue,
      .connections = connections,
      .memory_pools = memory_pools != 0,
      .lazy_loading = lazy_loading,
      .memory_bytes = memory_bytes < 0 ? 0 : (size_t)memory_bytes,
      .kernel_seconds = (unsigned)kernel_seconds,
      .print_bytes = (size_t)print_bytes,
      .can_be_unified = memory != MEMORY_DISCRETE,
      .wants_unified = memory == MEMORY_UNIFIED ||
                       (memory == MEMORY_AUTO && (check & CHECK_MEMORY) == 0),
      .exclusive_managed = managed == MANAGED_EXCLUSIVE,
      .pageable_async = (pageable & 1) != 0,
      .fault = fault,
      .tolerate_mbarriers = (tolerate & TOLERATE_MBARRIERS) != 0,
      .tolerate_masks = (tolerate & TOLERATE_MASKS) != 0,
      .check_races = (check & CHECK_RACES) != 0,
      .check_memory = (check & CHECK_MEMORY) != 0,
      .check_arithmetic = (check & CHECK_ARITHMETIC) != 0,
      .check_lanes = (check & CHECK_LANES) != 0};
  atomic_store_explicit(&state.is_unified, memory == MEMORY_UNIFIED,
                        memory_order_relaxed);
  return AGPU_OK;
}

const agpu__emu_settings *agpu__emu_get_settings(void) {
  return &state.settings;
}

bool agpu__emu_is_unified(void) {
  return atomic_load_explicit(&state.is_unified, memory_order_relaxed);
}

void agpu__emu_become_unified(void) {
  if (state.settings.can_be_unified)
    atomic_store_explicit(&state.is_unified, true, memory_order_relaxed);
}

bool agpu__emu_checks_accesses(void) {
  return state.settings.check_memory || state.settings.check_races;
}
