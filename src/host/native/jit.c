//===- jit.c - Native code in this process --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a module into the process by ORC's LLJIT. Each function that it
// calls has to be in the process or among upstream's utilities, which are
// loaded only where it is not; what neither has is an error before anything is
// compiled. Constructors run when it is made, destructors when it is released.
//
// A task that has made a token ready is still inside of its code for a moment,
// of which a waiter for the token knows nothing. So code is freed
// once the runtime is at rest, which mostly takes some microseconds; where it
// goes on with other work, the code is kept until a later release finds it at
// rest.
//
//===----------------------------------------------------------------------===//

#include "host/native/native.h"

#include "async_gpu/runtime.h"
#include "lower/ir/llvm_compat.h"
#include "lower/ir/llvm_loops.h"
#include "lower/pass/progress.h"

#include "llvm-c/Error.h"
#include "llvm-c/LLJIT.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>

// async-gpu-opt does without the runtime.
#pragma weak agpu_runtime_settle

/// How long a release waits for the runtime to be at rest.
enum { MOST_WAIT_NS = 20 * 1000 * 1000 };

struct agpu_jit {
  agpu_jit *next; ///< among those that are kept
  LLVMOrcLLJITRef lljit;
  agpu__text errors; ///< what LLVM and ORC's session reported
  agpu__structors structors;
  MlirOperation module;      ///< while code is made
  agpu__code_list functions; ///< likewise
  agpu__code_map *code;
};

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// ORC reports why symbols are missing here, and "failed to materialize" to
/// the caller.
static void collect_error(void *data, LLVMErrorRef error) {
  agpu_jit *jit = data;
  char *message = LLVMGetErrorMessage(error);
  if (jit->errors.size)
    agpu__text_puts(&jit->errors, "; ");
  agpu__text_puts(&jit->errors, message);
  LLVMDisposeErrorMessage(message);
}

/// Consumes `error` and appends what it and the session say.
static void append_error(agpu_jit *jit, LLVMErrorRef error, agpu__text *out) {
  char *message = LLVMGetErrorMessage(error);
  agpu__text_puts(out, message);
  LLVMDisposeErrorMessage(message);
  if (jit->errors.size)
    agpu__text_printf(out, " (%s)", jit->errors.data);
  agpu__text_free(&jit->errors);
}

//===----------------------------------------------------------------------===//
// Upstream's utilities
//===----------------------------------------------------------------------===//

// Finds upstream's runner utilities beside the libMLIR.so that is loaded, or in
// the folder that this was built with, and loads one after the other as asked.
// What is loaded stays.

/// The nearest to what programs call comes first: what the first one has, the
/// others are not loaded for.
static const char *const utilities[] = {
    "libmlir_c_runner_utils",
    "libmlir_runner_utils",
    "libmlir_float16_utils",
};
enum { UTILITY_COUNT = AGPU__COUNT(utilities) };

/// The name of the libMLIR that is loaded, with its folder.
static int find_mlir(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  const char *slash = strrchr(info->dlpi_name, '/');
  if (!slash || strncmp(slash + 1, "libMLIR.so", 10) != 0)
    return 0;
  agpu__text_puts(data, info->dlpi_name);
  return 1;
}

static bool load_from(const char *folder, size_t folder_size, const char *name,
                      const char *suffix) {
  AGPU__SCOPED(text) path = {0};
  agpu__text_printf(&path, "%.*s/%s%s", (int)folder_size, folder, name, suffix);
  return dlopen(path.data, RTLD_LAZY | RTLD_GLOBAL);
}

/// Of the same release as the libMLIR that is loaded: names without one are
/// there only where programs are built.
static bool load_next_utility(size_t *next) {
  AGPU__SCOPED(text) mlir = {0};
  dl_iterate_phdr(find_mlir, &mlir);
  const char *path = agpu__text_get(&mlir);
  const char *slash = strrchr(path, '/');
  size_t folder = slash ? (size_t)(slash - path) : 0;
  const char *suffix = slash ? slash + 1 + strlen("libMLIR") : ".so";
  bool loaded = false;
  while (!loaded && *next < UTILITY_COUNT) {
    const char *name = utilities[(*next)++];
    const char *built_with = ASYNC_GPU_UTILITIES_DIR;
    loaded = (slash && load_from(path, folder, name, suffix)) ||
             (slash && load_from(path, folder, name, ".so")) ||
             (*built_with &&
              (load_from(built_with, strlen(built_with), name, suffix) ||
               load_from(built_with, strlen(built_with), name, ".so")));
  }
  // Of this library's folder, where there is nothing of upstream's.
  static bool tried_own;
  if (!loaded && !tried_own) {
    tried_own = true;
    loaded = dlopen("libasync_gpu_runner_utils.so", RTLD_LAZY | RTLD_GLOBAL);
  }
  return loaded;
}

/// The function of this name, in a library that is loaded for it if need be:
/// that of messages, or upstream's utilities, of which `*next_utility` is the
/// first that has not been tried.
static void *find_function(const char *name, size_t *next_utility) {
  void *address = dlsym(RTLD_DEFAULT, name);
  if (!address && strncmp(name, "agpu_mpi_", 9) == 0 &&
      dlopen(ASYNC_GPU_MPI_LIBRARY, RTLD_LAZY | RTLD_GLOBAL))
    address = dlsym(RTLD_DEFAULT, name);
  while (!address && load_next_utility(next_utility))
    address = dlsym(RTLD_DEFAULT, name);
  return address;
}

/// Reports functions that `ir` calls and neither the process nor upstream's
/// runner utilities have, each where `module` declares it. Returns true if
/// there is none.
static bool check_declarations(MlirOperation module, LLVMModuleRef ir) {
  bool ok = true;
  size_t next_utility = 0;
  AGPU__FUNCTIONS_FOREACH (function, ir) {
    if (!LLVMIsDeclaration(function) || LLVMGetIntrinsicID(function) ||
        !LLVMGetFirstUse(function) ||
        LLVMGetLinkage(function) == LLVMExternalWeakLinkage)
      continue;
    size_t size;
    const char *name = LLVMGetValueName2(function, &size);
    if (find_function(name, &next_utility))
      continue;
    ok = false;
    MlirOperation op = agpu__lookup(module, name);
    agpu__error(
        mlirOperationGetLocation(mlirOperationIsNull(op) ? module : op),
        "'%s' is called, but neither the program nor a library that is loaded "
        "defines it",
        name);
  }
  return ok;
}

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

/// Called with each object file before it is linked.
static LLVMErrorRef note_code(void *data, LLVMMemoryBufferRef *object) {
  agpu_jit *jit = data;
  if (!mlirOperationIsNull(jit->module))
    agpu__code_list_read(&jit->functions, jit->module, *object);
  return NULL;
}

/// An LLJIT for `machine`, which is consumed.
static LLVMErrorRef create_lljit(agpu_jit *jit, LLVMTargetMachineRef machine) {
  LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
  LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
      builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(machine));
  LLVMErrorRef error = LLVMOrcCreateLLJIT(&jit->lljit, builder);
  if (error)
    return error;
  LLVMOrcExecutionSessionSetErrorReporter(
      LLVMOrcLLJITGetExecutionSession(jit->lljit), collect_error, jit);
  LLVMOrcObjectTransformLayerSetTransform(
      LLVMOrcLLJITGetObjTransformLayer(jit->lljit), note_code, jit);
  LLVMOrcDefinitionGeneratorRef process;
  error = LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
      &process, LLVMOrcLLJITGetGlobalPrefix(jit->lljit), NULL, NULL);
  if (!error)
    LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(jit->lljit),
                                process);
  return error;
}

/// Hands `ir` and its context over to the JIT.
static LLVMErrorRef add_module(agpu_jit *jit, LLVMModuleRef ir,
                               LLVMContextRef context) {
  LLVMOrcThreadSafeContextRef safe_context =
      agpu__compat_thread_safe_context(context);
  LLVMOrcThreadSafeModuleRef module =
      LLVMOrcCreateNewThreadSafeModule(ir, safe_context);
  LLVMOrcDisposeThreadSafeContext(safe_context); // the module keeps it alive
  LLVMErrorRef error = LLVMOrcLLJITAddLLVMIRModule(
      jit->lljit, LLVMOrcLLJITGetMainJITDylib(jit->lljit), module);
  if (error)
    LLVMOrcDisposeThreadSafeModule(module);
  return error;
}

/// Calls the functions of a constructor or destructor list.
static LLVMErrorRef call_all(agpu_jit *jit, char *const *names, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    LLVMOrcExecutorAddress address;
    const char *outer = agpu__progress_set("LLVM made code");
    LLVMErrorRef error = LLVMOrcLLJITLookup(jit->lljit, &address, names[i]);
    (void)agpu__progress_set(outer);
    if (error)
      return error;
    const char *before = agpu__progress_set(agpu__progress_program);
    ((void (*)(void))(uintptr_t)address)();
    (void)agpu__progress_set(before);
  }
  return NULL;
}

/// LLVM IR of `module`, optimised, or NULL after a diagnostic.
static LLVMModuleRef translate(MlirOperation module,
                               const agpu__jit_settings *settings,
                               LLVMTargetMachineRef machine,
                               LLVMContextRef context) {
  LLVMModuleRef ir = agpu__codegen_translate(module, machine, context);
  if (!ir)
    return NULL;
  if (settings->entries)
    agpu__codegen_internalize(ir, settings->entries);
  // Code that is made anew at each start must be made fast, unless all is
  // asked for.
  int level = settings->level;
  if (check_declarations(module, ir) &&
      mlirLogicalResultIsSuccess(
          agpu__codegen_optimize(module, ir, machine, level, level == 3)))
    return ir;
  LLVMDisposeModule(ir);
  return NULL;
}

/// Puts `ir` into the JIT; consumes all but the module. The JIT, or NULL after
/// a diagnostic.
static agpu_jit *make(MlirOperation module, agpu_jit *jit,
                      const char *const *entries, LLVMModuleRef ir,
                      LLVMContextRef context, LLVMTargetMachineRef machine) {
  agpu__structors_take(ir, &jit->structors);
  jit->module = module;
  LLVMErrorRef error = create_lljit(jit, machine);
  if (error) {
    LLVMDisposeModule(ir);
    LLVMContextDispose(context);
  } else {
    error = add_module(jit, ir, context);
  }
  if (!error)
    error = call_all(jit, jit->structors.constructors,
                     jit->structors.constructor_count);
  // ORC compiles when the first function is looked up: where it is known, the
  // errors come here, where they have a file.
  agpu__text reason = {0};
  void *first = NULL;
  if (error)
    append_error(jit, error, &reason);
  else if (entries)
    first = agpu__jit_lookup(jit, entries[0], &reason);
  jit->module = (MlirOperation){NULL};
  if (first)
    jit->code = agpu__code_map_create(&jit->functions, entries[0], first);
  agpu__code_list_free(&jit->functions);
  if (first || (!error && !entries))
    return jit;
  agpu__error(mlirOperationGetLocation(module), "cannot compile: %s",
              reason.data);
  agpu__text_free(&reason);
  jit->structors.destructor_count = 0;
  agpu_jit_release(jit);
  return NULL;
}

agpu_jit *agpu__jit_create(MlirOperation module,
                           const agpu__jit_settings *settings) {
  agpu_jit *jit = agpu__allocate(1, sizeof(*jit));
  LLVMContextRef context = LLVMContextCreate();
  agpu__codegen_collect_errors(context, &jit->errors);
  const agpu__target here = {.cpu = "native", .in_memory = true};
  LLVMTargetMachineRef machine =
      agpu__target_machine(&here, settings->level, module);
  LLVMModuleRef ir =
      machine ? translate(module, settings, machine, context) : NULL;
  if (ir)
    return make(module, jit, settings->entries, ir, context, machine);
  if (machine)
    LLVMDisposeTargetMachine(machine);
  LLVMContextDispose(context);
  agpu_jit_release(jit);
  return NULL;
}

void *agpu__jit_lookup(agpu_jit *jit, const char *name, agpu__text *error) {
  LLVMOrcExecutorAddress address = 0;
  const char *before = agpu__progress_set("LLVM made code");
  LLVMErrorRef failure = LLVMOrcLLJITLookup(jit->lljit, &address, name);
  (void)agpu__progress_set(before);
  if (failure) {
    append_error(jit, failure, error);
    return NULL;
  }
  if (!jit->errors.size && address)
    return (void *)(uintptr_t)address;
  agpu__text_puts(error, jit->errors.size
                             ? jit->errors.data
                             : "it has no code, as all that it does is "
                               "undefined");
  return NULL;
}

const agpu__code_map *agpu__jit_code_map(const agpu_jit *jit) {
  return jit->code;
}

/// Released, and not freed yet.
static _Atomic(agpu_jit *) kept;

static void free_jit(agpu_jit *jit) {
  LLVMErrorRef error = NULL;
  if (jit->lljit) {
    error = call_all(jit, jit->structors.destructors,
                     jit->structors.destructor_count);
    // Nothing is left to do about either error.
    LLVMConsumeError(error);
    LLVMConsumeError(LLVMOrcDisposeLLJIT(jit->lljit));
  }
  agpu__structors_free(&jit->structors);
  agpu__code_map_destroy(jit->code);
  agpu__text_free(&jit->errors);
  free(jit);
}

static void keep(agpu_jit *jit) {
  jit->next = atomic_load(&kept);
  while (!atomic_compare_exchange_weak(&kept, &jit->next, jit))
    ;
}

void agpu_jit_release(agpu_jit *jit) {
  if (!jit)
    return;
  keep(jit);
  // What others have released before may be freed now, too; what they release
  // from now on is theirs.
  agpu_jit *all = atomic_exchange(&kept, NULL);
  bool rests = !agpu_runtime_settle || agpu_runtime_settle(MOST_WAIT_NS);
  for (agpu_jit *next; all; all = next) {
    next = all->next;
    if (rests)
      free_jit(all);
    else
      keep(all);
  }
}
