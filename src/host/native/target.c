//===- target.c - What machine code is made for ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM takes an unknown CPU for a generic one, with a warning on stderr, and
// its C interface lists none: the names are those that it prints, in a process
// of its own, for the CPU "help".
//
//===----------------------------------------------------------------------===//

#include "host/native/native.h"
#include "lower/ir/nearest.h"

#include "llvm-c/Target.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

//===----------------------------------------------------------------------===//
// Architectures
//===----------------------------------------------------------------------===//

/// LLVM's back ends, as many as this LLVM has.
typedef struct back_end {
  const char *name;
  void (*info)(void), (*target)(void), (*machine)(void), (*printer)(void);
} back_end;

#define LLVM_TARGET(name)                                                      \
  {#name, LLVMInitialize##name##TargetInfo, LLVMInitialize##name##Target,      \
   LLVMInitialize##name##TargetMC, LLVMInitialize##name##AsmPrinter},
static const back_end back_ends[] = {
#include "llvm/Config/Targets.def"
};

typedef struct assembler {
  const char *name;
  void (*parser)(void);
} assembler;

#define LLVM_ASM_PARSER(name) {#name, LLVMInitialize##name##AsmParser},
static const assembler assemblers[] = {
#include "llvm/Config/AsmParsers.def"
};

static const struct architecture {
  const char *name, *back_end, *multiarch;
} architectures[] = {
    {"aarch64", "AArch64", "aarch64-linux-gnu"},
    {"x86_64", "X86", "x86_64-linux-gnu"},
};
enum { COUNT = AGPU__COUNT(architectures) };

#if defined(__aarch64__)
static const char this_machine[] = "aarch64";
#elif defined(__x86_64__)
static const char this_machine[] = "x86_64";
#else
#error "code is made for x86-64 and 64-bit ARM: add this machine to the table"
#endif

static void initialize_targets(void) {
  for (size_t i = 0; i < COUNT; ++i) {
    for (size_t j = 0; j < AGPU__COUNT(back_ends); ++j)
      if (strcmp(back_ends[j].name, architectures[i].back_end) == 0) {
        back_ends[j].info();
        back_ends[j].target();
        back_ends[j].machine();
        back_ends[j].printer();
      }
    for (size_t j = 0; j < AGPU__COUNT(assemblers); ++j)
      if (strcmp(assemblers[j].name, architectures[i].back_end) == 0)
        assemblers[j].parser();
  }
}

/// The row of a triple; NULL where it is none of them.
static const struct architecture *find_architecture(const char *triple) {
  static const char system[] = "-linux-gnu";
  size_t size = strcspn(triple, "-"), whole = strlen(triple);
  const char *vendor = triple + size;
  if (whole < size + sizeof(system) - 1 ||
      strcmp(triple + whole - (sizeof(system) - 1), system) != 0)
    return NULL;
  // At most one word between the architecture and the system.
  size_t rest = strlen(vendor) - (sizeof(system) - 1);
  if (rest && (rest < 2 || memchr(vendor + 1, '-', rest - 1)))
    return NULL;
  for (size_t i = 0; i < COUNT; ++i)
    if (strlen(architectures[i].name) == size &&
        memcmp(architectures[i].name, triple, size) == 0)
      return &architectures[i];
  return NULL;
}

static bool is_this_machine(const agpu__target *target) {
  const struct architecture *found =
      target->triple ? find_architecture(target->triple) : NULL;
  return !target->triple || (found && strcmp(found->name, this_machine) == 0);
}

const char *agpu__target_multiarch(const agpu__target *target) {
  return is_this_machine(target) ? NULL
                                 : find_architecture(target->triple)->multiarch;
}

/// LLVM's target, and the triple in `*out_triple`, which the caller disposes of
/// by LLVMDisposeMessage, as `*out_reason` where the result is NULL.
static LLVMTargetRef find_target(const agpu__target *target, char **out_triple,
                                 char **out_reason) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, initialize_targets);
  *out_triple = target->triple ? LLVMNormalizeTargetTriple(target->triple)
                               : LLVMGetDefaultTargetTriple();
  *out_reason = NULL;
  LLVMTargetRef found = NULL;
  return LLVMGetTargetFromTriple(*out_triple, &found, out_reason) ? NULL
                                                                  : found;
}

//===----------------------------------------------------------------------===//
// CPUs
//===----------------------------------------------------------------------===//

/// Has LLVM print its list, in a process of its own that ends with that.
static _Noreturn void print_cpus(LLVMTargetRef found, const char *triple,
                                 int pipe_end) {
  if (dup2(pipe_end, STDERR_FILENO) < 0)
    _exit(1);
  LLVMDisposeTargetMachine(
      LLVMCreateTargetMachine(found, triple, "help", "", LLVMCodeGenLevelNone,
                              LLVMRelocPIC, LLVMCodeModelDefault));
  _exit(0);
}

static void read_cpus(LLVMTargetRef found, const char *triple,
                      agpu__text *out) {
  int ends[2];
  if (pipe(ends))
    return;
  pid_t child = fork();
  if (child == 0)
    print_cpus(found, triple, ends[1]);
  close(ends[1]);
  char part[4096];
  for (ssize_t size; (size = read(ends[0], part, sizeof(part))) > 0;)
    agpu__text_append(out, part, (size_t)size);
  close(ends[0]);
  if (child > 0)
    (void)waitpid(child, NULL, 0);
}

/// Whether the list, a line "  NAME - WHAT" each up to the features, has `cpu`.
/// Otherwise `error` says what it has.
static bool check_cpu(char *list, const char *triple, const char *cpu,
                      agpu__text *error) {
  char *features = strstr(list, "Available features");
  if (features)
    *features = '\0';
  AGPU__SCOPED(text) names = {0};
  const char *nearest = NULL;
  size_t distance = (size_t)-1;
  bool known = false;
  for (char *line, *rest = list; (line = strsep(&rest, "\n"));) {
    if (line[0] != ' ' || !strchr(line, '-'))
      continue;
    line += strspn(line, " ");
    line[strcspn(line, " ")] = '\0';
    known = known || strcmp(line, cpu) == 0;
    agpu__nearest_name(cpu, line, &nearest, &distance);
    agpu__text_printf(&names, "%s%s", names.size ? ", " : "", line);
  }
  if (!known && !names.size)
    agpu__text_printf(error, "LLVM's list of CPUs of %s could not be read",
                      triple);
  else if (!known)
    agpu__text_printf(error, "LLVM knows no CPU '%s' of %s%s%s%s, but %s", cpu,
                      triple, nearest ? " (did you mean '" : "",
                      nearest ? nearest : "", nearest ? "'?)" : "", names.data);
  return known;
}

static bool is_named(const char *cpu) {
  return cpu && strcmp(cpu, "generic") != 0 && strcmp(cpu, "native") != 0;
}

static bool is_native(const agpu__target *target) {
  return target->cpu && strcmp(target->cpu, "native") == 0;
}

static bool check_triple(const agpu__target *target, agpu__text *error) {
  if (!target->triple || find_architecture(target->triple))
    return true;
  agpu__text_printf(error, "code is not made for '%s', but for ",
                    target->triple);
  for (size_t i = 0; i < COUNT; ++i)
    agpu__text_printf(error, "%s%s", i ? " and " : "",
                      architectures[i].multiarch);
  return false;
}

bool agpu__target_check(const agpu__target *target, agpu__text *error) {
  if (!check_triple(target, error))
    return false;
  if (is_native(target) && !is_this_machine(target)) {
    agpu__text_printf(error,
                      "the CPU of this machine is none of %s: name one by "
                      "LLVM's name, or generic",
                      target->triple);
    return false;
  }
  char *triple, *reason;
  LLVMTargetRef found = find_target(target, &triple, &reason);
  bool ok = found != NULL;
  if (!found) {
    agpu__text_printf(error, "this LLVM makes no code for %s: %s", triple,
                      reason);
  } else if (is_named(target->cpu)) {
    agpu__text list = {0};
    read_cpus(found, triple, &list);
    AGPU__OWNED char *lines = agpu__text_take(&list);
    ok = check_cpu(lines, triple, target->cpu, error);
  }
  LLVMDisposeMessage(reason);
  LLVMDisposeMessage(triple);
  return ok;
}

//===----------------------------------------------------------------------===//
// Machines
//===----------------------------------------------------------------------===//

LLVMTargetMachineRef agpu__target_machine(const agpu__target *target, int level,
                                          MlirOperation module) {
  char *triple, *reason;
  LLVMTargetRef found = find_target(target, &triple, &reason);
  LLVMTargetMachineRef machine = NULL;
  if (found) {
    bool native = is_native(target);
    char *name = native ? LLVMGetHostCPUName() : NULL;
    char *features = native ? LLVMGetHostCPUFeatures() : NULL;
    const char *cpu = is_named(target->cpu) ? target->cpu : "";
    static const LLVMCodeGenOptLevel levels[] = {
        LLVMCodeGenLevelNone, LLVMCodeGenLevelLess, LLVMCodeGenLevelDefault,
        LLVMCodeGenLevelAggressive};
    machine = LLVMCreateTargetMachine(
        found, triple, name ? name : cpu, features ? features : "",
        levels[level], LLVMRelocPIC,
        target->in_memory ? LLVMCodeModelJITDefault : LLVMCodeModelDefault);
    LLVMDisposeMessage(name);
    LLVMDisposeMessage(features);
  }
  if (!machine)
    agpu__error(mlirOperationGetLocation(module),
                "LLVM cannot generate code for '%s': %s", triple,
                reason ? reason : "no target machine");
  LLVMDisposeMessage(reason);
  LLVMDisposeMessage(triple);
  return machine;
}
