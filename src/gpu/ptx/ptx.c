//===- ptx.c - Kernels as PTX text ----------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions are checked in the module, where locations are known. Then a module
// of LLVM's own is made of it, linked with libdevice, optimised, put right
// where the backend would not be, and written as text; the MLIR stays as it
// was.
//
//===----------------------------------------------------------------------===//

#include "gpu/ptx/ptx.h"

#include "gpu/nvvm/nvvm.h"
#include "lower/convert/convert.h"
#include "lower/ir/llvm_loops.h"

#include "mlir-c/Dialect/LLVM.h"

#include "llvm-c/Target.h"
#include "llvm-c/Transforms/PassBuilder.h"

#include <pthread.h>
#include <stdlib.h>

#define TRIPLE "nvptx64-nvidia-cuda"

/// The first chips with fma.rn.bf16, and with cvt.rn.bf16 of integers.
enum { HAS_BF16 = 80, CONVERTS_TO_BF16 = 90 };

//===----------------------------------------------------------------------===//
// Functions without a body
//===----------------------------------------------------------------------===//

/// What the CUDA driver links into every module, and LLVM's own intrinsics.
static bool driver_provides(MlirStringRef name) {
  if (agpu__has_word("vprintf malloc free cudaGraphSetConditional __assertfail",
                     name))
    return true;
  return name.length > 5 && !memcmp(name.data, "llvm.", 5);
}

/// The first call of function `name`, or the function itself.
static MlirOperation first_use(MlirOperation gpu_module, MlirOperation function,
                               MlirStringRef name) {
  MlirOperation use = function;
  AGPU__OPS_IN_FOREACH (nested, gpu_module, "llvm.call") {
    MlirAttribute callee = agpu__attr(nested, "callee");
    if (mlirAttributeIsNull(callee) ||
        !mlirStringRefEqual(mlirFlatSymbolRefAttrGetValue(callee), name))
      continue;
    use = nested;
    break;
  }
  return use;
}

/// The NVPTX backend ends the process at x87's floats.
static MlirLogicalResult check_parameters(MlirOperation kernel) {
  MlirType type = agpu__function_type(kernel);
  for (intptr_t i = 0; i < mlirLLVMFunctionTypeGetNumInputs(type); ++i) {
    MlirType input = mlirLLVMFunctionTypeGetInput(type, i);
    if (mlirTypeIsAFloat(input) && mlirFloatTypeGetWidth(input) == 80)
      return agpu__error(mlirOperationGetLocation(kernel),
                         "a kernel cannot have a parameter of type f80");
  }
  return mlirLogicalResultSuccess();
}

static bool is_libdevice(MlirStringRef name) {
  return name.length > 5 && !memcmp(name.data, "__nv_", 5);
}

/// Says why `name` has no body, at its first call.
static void report_missing(MlirOperation use, MlirStringRef name,
                           const char *libdevice) {
  MlirLocation location = mlirOperationGetLocation(use);
  int length = (int)name.length;
  if (!is_libdevice(name))
    agpu__error(location,
                "'%.*s' has no body in its gpu.module and is not a function "
                "of the CUDA driver",
                length, name.data);
  else if (libdevice)
    agpu__error(location, "the math function '%.*s' is not in '%s'", length,
                name.data, libdevice);
  else
    agpu__error(location,
                "the math function '%.*s' needs libdevice of a CUDA toolkit, "
                "and none was found; set CUDA_HOME or toolkit=FOLDER, or do "
                "without it by math=expand or, for the emulated device only, "
                "targets=native",
                length, name.data);
}

/// True if the function gets a body from outside, or needs none.
static bool is_provided(MlirStringRef name, const agpu__libdevice *library) {
  return driver_provides(name) ||
         (library && agpu__libdevice_has(library, name.data, name.length));
}

/// A function of libdevice has one type. Linked to a declaration of another, it
/// would be called with arguments that it does not take.
static MlirLogicalResult check_declared_type(MlirOperation gpu_module,
                                             MlirOperation function,
                                             const agpu__libdevice *library) {
  MlirStringRef name = agpu__get_string(function, "sym_name");
  AGPU__SCOPED(text) text = {0};
  MlirType declared = agpu__function_type(function);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  if (agpu__libdevice_type(library, name.data, name.length, &text) &&
      !mlirTypeEqual(declared,
                     agpu__parse_type(mlirOperationGetContext(function),
                                      agpu__text_get(&text)))) {
    AGPU__SCOPED(text) wrong = {0};
    mlirTypePrint(declared, agpu__text_callback, &wrong);
    result = agpu__error(
        mlirOperationGetLocation(first_use(gpu_module, function, name)),
        "'%.*s' of libdevice is declared as %s, and is %s: declare it as that",
        AGPU__STR(name), agpu__text_get(&wrong), agpu__text_get(&text));
  }
  return result;
}

MlirLogicalResult agpu__ptx_check(MlirOperation gpu_module,
                                  const char *libdevice) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  agpu__libdevice *library = NULL;
  AGPU__OPS_FOREACH (op, agpu__module_body(gpu_module)) {
    if (agpu__nvvm_is_kernel(op) &&
        mlirLogicalResultIsFailure(check_parameters(op)))
      result = mlirLogicalResultFailure();
    if (!agpu__op_is(op, "llvm.func") || !agpu__is_declaration(op))
      continue;
    MlirStringRef name = agpu__get_string(op, "sym_name");
    agpu__text error = {0};
    if (is_libdevice(name) && libdevice && !library &&
        !(library = agpu__libdevice_open(libdevice, &error))) {
      agpu__error(mlirOperationGetLocation(gpu_module), "%s",
                  agpu__text_get(&error));
      agpu__text_free(&error);
      return mlirLogicalResultFailure();
    }
    if (is_provided(name, library)) {
      if (is_libdevice(name) && mlirLogicalResultIsFailure(check_declared_type(
                                    gpu_module, op, library)))
        result = mlirLogicalResultFailure();
      continue;
    }
    MlirOperation use = first_use(gpu_module, op, name);
    // A declaration that nothing calls does not reach the PTX.
    if (mlirOperationEqual(use, op))
      continue;
    report_missing(use, name, libdevice);
    result = mlirLogicalResultFailure();
  }
  agpu__libdevice_close(library);
  return result;
}

//===----------------------------------------------------------------------===//
// LLVM
//===----------------------------------------------------------------------===//

static void initialize_target(void) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
}

/// Without a handler LLVM ends the process on an error of the backend.
static void collect_diagnostic(LLVMDiagnosticInfoRef info, void *data) {
  if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
    return;
  agpu__text *errors = data;
  char *message = LLVMGetDiagInfoDescription(info);
  agpu__text_printf(errors, "%s%s", errors->size ? "; " : "", message);
  LLVMDisposeMessage(message);
}

static LLVMTargetMachineRef create_machine(const agpu__ptx_options *options) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, initialize_target);
  LLVMTargetRef target = NULL;
  char *error = NULL;
  if (LLVMGetTargetFromTriple(TRIPLE, &target, &error)) {
    LLVMDisposeMessage(error);
    return NULL;
  }
  static const LLVMCodeGenOptLevel levels[] = {
      LLVMCodeGenLevelNone, LLVMCodeGenLevelLess, LLVMCodeGenLevelDefault,
      LLVMCodeGenLevelAggressive};
  AGPU__OWNED char *features = agpu__format("+ptx%d", options->ptx_version);
  return LLVMCreateTargetMachine(target, TRIPLE, options->chip->name, features,
                                 levels[options->opt_level], LLVMRelocDefault,
                                 LLVMCodeModelDefault);
}

/// True for shared memory whose size the launch gives, an array of no elements.
static bool is_dynamic_shared(LLVMValueRef global) {
  LLVMTypeRef type = LLVMGlobalGetValueType(global);
  return LLVMGetPointerAddressSpace(LLVMTypeOf(global)) == 3 &&
         LLVMGetTypeKind(type) == LLVMArrayTypeKind &&
         LLVMGetArrayLength2(type) == 0;
}

/// Everything but the kernels is local to the module, so that it can be
/// inlined and dropped. Shared memory that is sized at launch is external:
/// anything else would get an address of its own, at which another variable
/// may end, and not that of what the launch adds.
static void internalize(LLVMModuleRef module) {
  AGPU__FUNCTIONS_FOREACH (function, module)
    if (!LLVMIsDeclaration(function) &&
        LLVMGetFunctionCallConv(function) != LLVMPTXKernelCallConv)
      LLVMSetLinkage(function, LLVMInternalLinkage);
  for (LLVMValueRef global = LLVMGetFirstGlobal(module); global;
       global = LLVMGetNextGlobal(global)) {
    if (is_dynamic_shared(global)) {
      LLVMSetInitializer(global, NULL);
      LLVMSetLinkage(global, LLVMExternalLinkage);
    } else if (!LLVMIsDeclaration(global)) {
      LLVMSetLinkage(global, LLVMInternalLinkage);
    }
  }
}

/// True if a function of libdevice is called; they were checked to exist.
static bool needs_libdevice(LLVMModuleRef module) {
  AGPU__FUNCTIONS_FOREACH (function, module) {
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    if (LLVMIsDeclaration(function) && LLVMGetFirstUse(function) &&
        is_libdevice(mlirStringRefCreate(name, length)))
      return true;
  }
  return false;
}

/// LLVM approximates a binary logarithm only by a flag of its command line,
/// though PTX has the instruction; log2 reaches this point only where an
/// approximation was asked for (ptx.h).
static void approximate_logarithms(LLVMModuleRef module) {
  static const char approximation[] = "llvm.nvvm.lg2.approx.f";
  LLVMValueRef exact = LLVMGetNamedFunction(module, "llvm.log2.f32");
  if (!exact)
    return;
  unsigned id = LLVMLookupIntrinsicID(approximation, sizeof(approximation) - 1);
  LLVMReplaceAllUsesWith(exact,
                         LLVMGetIntrinsicDeclaration(module, id, NULL, 0));
}

/// One compilation: what the guarded function gets and gives.
typedef struct compilation {
  LLVMModuleRef module;
  LLVMTargetMachineRef machine;
  const agpu__ptx_options *options;
  agpu__text *errors;
  LLVMMemoryBufferRef assembly; ///< NULL after an error
} compilation;

/// Optimises the module for the machine and makes its assembly.
static void compile(void *data) {
  compilation *self = data;
  if (needs_libdevice(self->module) &&
      !agpu__libdevice_link(self->module, self->options->libdevice,
                            self->errors))
    return;
  internalize(self->module);
  approximate_logarithms(self->module);
  agpu__limit_half_conversions(self->module);

  // No target selects intrinsics of matrices.
  static const char *const passes[] = {
      "function(lower-matrix-intrinsics),default<O0>",
      "function(lower-matrix-intrinsics),default<O1>",
      "function(lower-matrix-intrinsics),default<O2>",
      "function(lower-matrix-intrinsics),default<O3>"};
  LLVMPassBuilderOptionsRef pass_options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef failure =
      LLVMRunPasses(self->module, passes[self->options->opt_level],
                    self->machine, pass_options);
  LLVMDisposePassBuilderOptions(pass_options);
  if (failure) {
    char *message = LLVMGetErrorMessage(failure);
    agpu__text_puts(self->errors, message);
    LLVMDisposeErrorMessage(message);
    return;
  }
  agpu__convert_booleans(self->module);
  agpu__expand_masked_loads(self->module);
  agpu__pad_variables(self->module);
  if (self->options->chip->number < CONVERTS_TO_BF16)
    agpu__round_bfloat_once(self->module,
                            self->options->chip->number >= HAS_BF16);

  LLVMMemoryBufferRef assembly = NULL;
  char *message = NULL;
  if (LLVMTargetMachineEmitToMemoryBuffer(
          self->machine, self->module, LLVMAssemblyFile, &message, &assembly)) {
    agpu__text_puts(self->errors, message);
    LLVMDisposeMessage(message);
  } else if (self->errors->size) {
    LLVMDisposeMemoryBuffer(assembly);
  } else {
    self->assembly = assembly;
  }
}

/// An LLVM message without the location that kernels have none of.
static const char *plain_message(const agpu__text *errors) {
  static const char unknown[] = "<unknown>:0:0: ";
  const char *text = agpu__text_get(errors);
  return strncmp(text, unknown, sizeof(unknown) - 1)
             ? text
             : text + sizeof(unknown) - 1;
}

MlirLogicalResult agpu__ptx_emit(MlirOperation gpu_module,
                                 const agpu__ptx_options *options,
                                 char **out_text) {
  MlirLocation location = mlirOperationGetLocation(gpu_module);
  LLVMTargetMachineRef machine = create_machine(options);
  if (!machine)
    return agpu__error(location, "this LLVM has no NVPTX backend");

  // Not on the stack: after a fatal error LLVM's context outlives this call.
  agpu__text *errors = agpu__allocate(1, sizeof(*errors));
  LLVMContextRef context = LLVMContextCreate();
  LLVMContextSetDiagnosticHandler(context, collect_diagnostic, errors);
  LLVMContextSetDiscardValueNames(context, true);
  compilation self = {
      .module = agpu__translate(gpu_module, machine, context),
      .machine = machine,
      .options = options,
      .errors = errors,
  };
  MlirLogicalResult result = mlirLogicalResultFailure();
  if (!self.module) {
    agpu__error(location, "this module cannot be translated to LLVM IR");
  } else if (!agpu__llvm_guard(compile, &self, errors)) {
    return agpu__error(location, "cannot compile this module for %s: %s",
                       options->chip->name, plain_message(errors));
  } else if (!self.assembly) {
    agpu__error(location, "cannot compile this module for %s: %s",
                options->chip->name, plain_message(errors));
  } else {
    AGPU__SCOPED(text) text = {0};
    agpu__text_append(&text, LLVMGetBufferStart(self.assembly),
                      LLVMGetBufferSize(self.assembly));
    *out_text =
        agpu__scope_atomics(agpu__text_get(&text), options->chip->number);
    LLVMDisposeMemoryBuffer(self.assembly);
    result = mlirLogicalResultSuccess();
  }
  if (self.module)
    LLVMDisposeModule(self.module);
  LLVMContextDispose(context);
  LLVMDisposeTargetMachine(machine);
  agpu__text_free(errors);
  free(errors);
  return result;
}
