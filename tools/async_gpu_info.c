//===- async_gpu_info.c - What the runtime sees ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// async-gpu-info: the machine, both drivers and their devices, which of them a
// program would use, the settings in the environment. What a bug report should
// contain. Needs the runtime alone, so that it runs wherever programs do.
//
//===----------------------------------------------------------------------===//

#include "command_line.h"
#include "help.h"
#include "info_writer.h"
#include "settings_text.h"

#include "async_gpu/compiled/mlir_async_runtime.h"
#include "async_gpu/runtime.h"

#include "base/os/cpus.h"
#include "driver_api/values.h"
#include "gpu/driver/driver.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define TOOL "async-gpu-info"

extern char **environ;

static void write_cpus(agpu__info_writer *w) {
  agpu__cpus cpus = agpu__cpus_get();
  agpu__info_integer(w, "cpus", sysconf(_SC_NPROCESSORS_ONLN));
  agpu__info_integer(w, "cpus_in_mask", cpus.in_mask);
  char quota[32] = "none";
  if (cpus.quota_thousandth)
    snprintf(quota, sizeof(quota), "%.3f",
             (double)cpus.quota_thousandth / 1000.0);
  agpu__info_string(w, "cpu_quota", quota);
  agpu__info_integer(w, "usable_cpus", cpus.usable);
}

static void write_machine(agpu__info_writer *w) {
  struct utsname system;
  agpu__info_begin(w, "machine");
  if (uname(&system) == 0) {
    char text[256];
    snprintf(text, sizeof(text), "%s %s %s", system.sysname, system.release,
             system.machine);
    agpu__info_string(w, "system", text);
  }
  agpu__info_string(w, "glibc", gnu_get_libc_version());
  agpu__info_integer(w, "memory_mib",
                     (sysconf(_SC_PHYS_PAGES) >> 10) *
                         (sysconf(_SC_PAGESIZE) >> 10));
  write_cpus(w);
  agpu__info_end(w);
}

/// Also where it is one of success: with its text, so that nothing is guessed.
static void write_result(agpu__info_writer *w, const agpu__driver *driver,
                         const char *call, CUresult result) {
  const char *name = NULL;
  driver->cuGetErrorName(result, &name);
  char text[128];
  snprintf(text, sizeof(text), "%s: %s", call, name ? name : "unknown result");
  agpu__info_string(w, "error", text);
}

/// How much memory a device has, which only a context of it can tell.
static void write_memory(agpu__info_writer *w, const agpu__driver *driver,
                         CUdevice device) {
  size_t free_bytes = 0, total_bytes = 0;
  CUcontext context;
  CUresult result = driver->cuDevicePrimaryCtxRetain(&context, device);
  if (result) {
    write_result(w, driver, "cuDevicePrimaryCtxRetain", result);
    return;
  }
  result = driver->cuCtxSetCurrent(context);
  if (!result)
    result = driver->cuMemGetInfo(&free_bytes, &total_bytes);
  if (result) {
    write_result(w, driver, "cuMemGetInfo", result);
  } else {
    agpu__info_integer(w, "memory_mib", (int64_t)(total_bytes >> 20));
    agpu__info_integer(w, "free_memory_mib", (int64_t)(free_bytes >> 20));
  }
  (void)driver->cuCtxSetCurrent(NULL);
  (void)driver->cuDevicePrimaryCtxRelease(device);
}

static void write_device(agpu__info_writer *w, const agpu__driver *driver,
                         int ordinal) {
  static const struct {
    const char *name;
    CUdevice_attribute attribute;
  } attributes[] = {
      {"capability_major", CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
      {"capability_minor", CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
      {"pci_bus", CU_DEVICE_ATTRIBUTE_PCI_BUS_ID},
      {"compute_mode", CU_DEVICE_ATTRIBUTE_COMPUTE_MODE},
      {"clock_khz", CU_DEVICE_ATTRIBUTE_CLOCK_RATE},
      {"multiprocessors", CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
      {"warp_size", CU_DEVICE_ATTRIBUTE_WARP_SIZE},
      {"threads_per_block", CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
      {"shared_bytes_per_block",
       CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK},
      {"concurrent_kernels", CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS},
      {"copy_engines", CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT},
      {"managed_memory", CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY},
      {"memory_pools", CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED},
  };
  char name[256] = "";
  CUdevice device = 0;
  agpu__info_begin(w, NULL);
  CUresult result = driver->cuDeviceGet(&device, ordinal);
  if (!result)
    result = driver->cuDeviceGetName(name, sizeof(name), device);
  if (result)
    write_result(w, driver, "cuDeviceGetName", result);
  else
    agpu__info_string(w, "name", name);
  for (size_t i = 0; !result && i < sizeof(attributes) / sizeof(*attributes);
       ++i) {
    int value = 0;
    // Old drivers do not know all of them.
    if (driver->cuDeviceGetAttribute(&value, attributes[i].attribute, device) ==
        CUDA_SUCCESS)
      agpu__info_integer(w, attributes[i].name, value);
  }
  if (!result)
    write_memory(w, driver, device);
  agpu__info_end(w);
}

/// Where a driver comes from: of NVIDIA's, the file that was loaded and what
/// the kernel module says of itself, whether the file works or not.
static void write_origin(agpu__info_writer *w, const agpu__driver *driver) {
  Dl_info found;
  if (driver->cuInit && dladdr(*(void *const *)&driver->cuInit, &found) &&
      found.dli_fname) {
    char *file = realpath(found.dli_fname, NULL);
    agpu__info_string(w, "file", file ? file : found.dli_fname);
    free(file);
  }
  FILE *module = fopen("/proc/driver/nvidia/version", "re");
  if (!module)
    return;
  char line[256];
  if (fgets(line, sizeof(line), module)) {
    line[strcspn(line, "\n")] = '\0';
    agpu__info_string(w, "kernel_module", line);
  }
  (void)fclose(module);
}

static void write_driver(agpu__info_writer *w, const char *name,
                         agpu_device_kind kind) {
  static agpu__driver driver;
  agpu__info_begin(w, name);
  agpu_status status = agpu__driver_load(kind, &driver);
  if (kind == AGPU_DEVICE_CUDA)
    write_origin(w, &driver);
  int version = 0, count = 0;
  CUresult result = CUDA_SUCCESS;
  if (status) {
    agpu__info_string(w, "error", agpu_status_get_message(status));
  } else if ((result = driver.cuInit(0))) {
    status = agpu__driver_start_error(&driver, result);
    agpu__info_string(w, "error", agpu_status_get_message(status));
  } else {
    if (driver.cuDriverGetVersion(&version) == CUDA_SUCCESS)
      agpu__info_integer(w, "version", version);
    if ((result = driver.cuDeviceGetCount(&count)))
      write_result(w, &driver, "cuDeviceGetCount", result);
    agpu__info_begin_list(w, "devices");
    for (int i = 0; i < count; ++i)
      write_device(w, &driver, i);
    agpu__info_end_list(w);
  }
  agpu_status_release(status);
  agpu__info_end(w);
}

/// What may change what happens here: our settings, the driver's, the loader's.
static bool is_setting(const char *entry) {
  static const char *const prefixes[] = {"ASYNC_GPU_", "CUDA_", "NVIDIA_",
                                         "LD_LIBRARY_PATH=", "LD_PRELOAD="};
  for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); ++i)
    if (strncmp(entry, prefixes[i], strlen(prefixes[i])) == 0)
      return true;
  return false;
}

/// The program that shows what is wrong with settings goes on.
const bool agpu__settings_shown_by_program = true;

static bool write_problem(agpu__info_writer *w, const char *kind,
                          agpu_status status) {
  if (!status)
    return false;
  agpu__info_begin(w, NULL);
  agpu__info_string(w, kind, agpu_status_get_message(status));
  agpu__info_end(w);
  agpu_status_release(status);
  return true;
}

/// What the table cannot say of the emulated device's settings.
static agpu_status check_emulated(void) {
  agpu__driver driver;
  agpu_status status = agpu__driver_load(AGPU_DEVICE_EMU, &driver);
  if (agpu_status_get_code(status) == AGPU_STATUS_INVALID_ARGUMENT)
    return status;
  agpu_status_release(status);
  return AGPU_OK;
}

/// What a program says when it starts. False if it would end with it.
static bool write_wrong_settings(agpu__info_writer *w) {
  bool is_wrong = false, is_emulated_wrong = false;
  agpu__info_begin_list(w, "wrong_settings");
  for (int i = 0; i < AGPU__SETTING_COUNT; ++i) {
    const char *name = agpu__setting_name((agpu__setting)i);
    if (write_problem(w, "error", agpu__setting_check((agpu__setting)i))) {
      is_wrong = true;
      is_emulated_wrong |= strstr(name, "_EMU_") != NULL;
    }
  }
  if (!is_emulated_wrong) // else it would say so again
    is_wrong |= write_problem(w, "error", check_emulated());
  for (char **entry = environ; *entry; ++entry)
    (void)write_problem(w, "warning", agpu__setting_check_name(*entry));
  agpu__info_end_list(w);
  return !is_wrong;
}

/// --settings: the table.
static void write_table(agpu__info_writer *w) {
  for (int i = 0; i < AGPU__SETTING_COUNT; ++i) {
    agpu__setting setting = (agpu__setting)i;
    char allowed[256];
    const char *value = agpu__setting_text(setting);
    agpu__info_begin(w, agpu__setting_name(setting));
    agpu__info_string(w, "meaning", agpu__setting_meaning(setting));
    agpu__info_string(w, "allowed",
                      agpu__setting_allowed(setting, allowed, sizeof allowed));
    if (value)
      agpu__info_string(w, "value", value);
    agpu__info_end(w);
  }
}

static void write_environment(agpu__info_writer *w) {
  agpu__info_begin(w, "environment");
  for (char **entry = environ; *entry; ++entry) {
    const char *equals = strchr(*entry, '=');
    if (!is_setting(*entry) || !equals)
      continue;
    char name[128];
    snprintf(name, sizeof(name), "%.*s", (int)(equals - *entry), *entry);
    agpu__info_string(w, name, equals + 1);
  }
  agpu__info_end(w);
}

/// What a program would do here. False where it would end with an error.
static bool write_choice(agpu__info_writer *w) {
  agpu_device_kind kind = AGPU_DEVICE_AUTO;
  agpu_status status = agpu_runtime_get_device(&kind);
  agpu__info_begin(w, "programs");
  if (status)
    agpu__info_string(w, "error", agpu_status_get_message(status));
  else
    agpu__info_string(w, "device", kind == AGPU_DEVICE_CUDA ? "cuda" : "emu");
  agpu__info_integer(w, "workers", mlirAsyncRuntimGetNumWorkerThreads());
  agpu__info_end(w);
  bool ok = !status;
  agpu_status_release(status);
  return ok;
}

enum { OPT_SETTINGS, OPT_JSON, OPT_HELP, OPT_HELP_SHORT, OPT_VERSION };

static const agpu__option table[] = {
    [OPT_SETTINGS] = {"settings", AGPU_VALUE_NONE, NULL,
                      "Print the environment variables that programs read, and "
                      "what they may be"},
    [OPT_JSON] = {"json", AGPU_VALUE_NONE, NULL, "Print as JSON"},
    [OPT_HELP] = AGPU_HELP_OPTION,
    [OPT_HELP_SHORT] = {"h", AGPU_VALUE_NONE, NULL, NULL},
    [OPT_VERSION] = {"version", AGPU_VALUE_NONE, NULL, "Print the version"},
};
enum { OPTION_COUNT = sizeof(table) / sizeof(*table) };

static bool print_help(const char *form) {
  if (!agpu__help_begin(form, TOOL, AGPU_VERSION,
                        "what async-gpu's runtime sees on this machine",
                        "[--settings] [--json]"))
    return false;
  agpu__help_text("The exit status is 1 where a program would end because no "
                  "device answers, or because a setting is wrong.");
  agpu__help_heading("Options");
  agpu__help_options(table, OPTION_COUNT);
  if (agpu__help_is_manual()) {
    agpu__help_heading("Environment");
    agpu__help_text("What all programs and tools of async-gpu read:");
    for (int i = 0; i < AGPU__SETTING_COUNT; ++i) {
      agpu__setting setting = (agpu__setting)i;
      char allowed[256], text[512];
      snprintf(text, sizeof(text), "%s: %s", agpu__setting_meaning(setting),
               agpu__setting_allowed(setting, allowed, sizeof(allowed)));
      agpu__help_entry(agpu__setting_name(setting), text);
    }
  }
  agpu__help_end("async-gpu-opt(1), async-gpu-runner(1), async-gpu-report(1)");
  return true;
}

typedef struct info_options {
  bool json, settings;
} info_options;

/// False where nothing is left to do; `*status` is the exit status then.
static bool parse(int argc, char **argv, info_options *o, int *status) {
  *o = (info_options){0};
  *status = EXIT_FAILURE;
  agpu__command_line line = {.tool = TOOL,
                             .options = table,
                             .option_count = OPTION_COUNT,
                             .argc = argc,
                             .argv = argv,
                             .next = 1};
  for (;;) {
    agpu__argument argument = agpu__command_line_next(&line);
    switch (argument.kind) {
    case AGPU_ARGUMENT_END: return true;
    case AGPU_ARGUMENT_ERROR: return false;
    case AGPU_ARGUMENT_UNKNOWN:
      agpu__report_unknown_option(&line, argument.name);
      return false;
    case AGPU_ARGUMENT_INPUT:
      agpu__tool_error(TOOL, "it reads no file: '%s'", argument.value);
      return false;
    case AGPU_ARGUMENT_OPTION: break;
    }
    switch (argument.option) {
    case OPT_SETTINGS: o->settings = true; continue;
    case OPT_JSON: o->json = true; continue;
    case OPT_HELP:
    case OPT_HELP_SHORT:
      if (print_help(argument.value))
        *status = EXIT_SUCCESS;
      return false;
    case OPT_VERSION:
      puts(TOOL " " AGPU_VERSION);
      *status = EXIT_SUCCESS;
      return false;
    }
  }
}

int main(int argc, char **argv) {
  info_options options;
  int status;
  if (!parse(argc, argv, &options, &status)) {
    if (status == EXIT_SUCCESS && !agpu__flush_stdout(TOOL))
      status = EXIT_FAILURE;
    return status;
  }
  agpu__info_writer writer = {.file = stdout, .json = options.json};
  agpu__info_begin(&writer, NULL);
  bool ok;
  if (options.settings) {
    write_table(&writer);
    ok = write_wrong_settings(&writer);
  } else {
    agpu__info_string(&writer, "version", AGPU_VERSION);
    write_machine(&writer);
    write_driver(&writer, "cuda", AGPU_DEVICE_CUDA);
    write_driver(&writer, "emu", AGPU_DEVICE_EMU);
    ok = write_choice(&writer);
    write_environment(&writer);
    ok &= write_wrong_settings(&writer);
  }
  agpu__info_end(&writer);
  agpu_status_release(agpu_runtime_shutdown());
  ok &= agpu__flush_stdout(TOOL);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
