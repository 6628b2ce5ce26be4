//===- ptx.c - Kernels as PTX text ----------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/ptx.h"

#include "gpu/llvm_guard.h"
#include "gpu/nvvm.h"
#include "lower/ir.h"
#include "lower/text.h"

#include "mlir-c/Dialect/LLVM.h"
#include "mlir-c/Target/LLVMIR.h"

#include "llvm-c/Core.h"
#include "llvm-c/Target.h"
#include "llvm-c/TargetMachine.h"
#include "llvm-c/Transforms/PassBuilder.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define TRIPLE "nvptx64-nvidia-cuda"

//===----------------------------------------------------------------------===//
// Chips and PTX versions
//===----------------------------------------------------------------------===//

// LLVM's C API has no query for these, and for an unknown one LLVM writes to
// stderr and goes on. `llc -march=nvptx64 -mcpu=help` prints both lists.
static const char *const chips[] = {
    "sm_20",   "sm_21",   "sm_30",   "sm_32",   "sm_35",   "sm_37",   "sm_50",
    "sm_52",   "sm_53",   "sm_60",   "sm_61",   "sm_62",   "sm_70",   "sm_72",
    "sm_75",   "sm_80",   "sm_86",   "sm_87",   "sm_88",   "sm_89",   "sm_90",
    "sm_90a",  "sm_100",  "sm_100a", "sm_100f", "sm_101",  "sm_101a", "sm_101f",
    "sm_103",  "sm_103a", "sm_103f", "sm_110",  "sm_110a", "sm_110f", "sm_120",
    "sm_120a", "sm_120f", "sm_121",  "sm_121a", "sm_121f",
};

static const int ptx_versions[] = {
    32, 40, 41, 42, 43, 50, 60, 61, 62, 63, 64, 65, 70, 71, 72, 73,
    74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90,
};

bool agpu__ptx_chip_number(const char *chip, uint32_t *out_number) {
  for (size_t i = 0; i < sizeof(chips) / sizeof(chips[0]); ++i) {
    if (strcmp(chip, chips[i]))
      continue;
    *out_number = (uint32_t)strtoul(chip + 3, NULL, 10);
    return true;
  }
  return false;
}

bool agpu__ptx_features_known(const char *features) {
  if (!*features)
    return true;
  for (size_t i = 0; i < sizeof(ptx_versions) / sizeof(ptx_versions[0]); ++i) {
    char *known = agpu__format("+ptx%d", ptx_versions[i]);
    bool same = !strcmp(features, known);
    free(known);
    if (same)
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Functions without a body
//===----------------------------------------------------------------------===//

/// What the CUDA driver links into every module, and LLVM's own intrinsics.
static bool driver_provides(MlirStringRef name) {
  static const char *const known[] = {"vprintf", "malloc", "free",
                                      "__assertfail"};
  for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); ++i)
    if (mlirStringRefEqual(name, agpu__str(known[i])))
      return true;
  return name.length > 5 && !memcmp(name.data, "llvm.", 5);
}

/// The first call of function `name`, or the function itself.
static MlirOperation first_use(MlirOperation gpu_module, MlirOperation function,
                               MlirStringRef name) {
  MlirOperation use = function;
  agpu__ops calls = {0};
  agpu__collect(gpu_module, "llvm.call", &calls);
  for (size_t i = 0; i < calls.count; ++i) {
    MlirAttribute callee =
        mlirOperationGetAttributeByName(calls.data[i], agpu__str("callee"));
    if (mlirAttributeIsNull(callee) ||
        !mlirStringRefEqual(mlirFlatSymbolRefAttrGetValue(callee), name))
      continue;
    use = calls.data[i];
    break;
  }
  agpu__ops_free(&calls);
  return use;
}

/// Integers of other widths as kernel parameters come out of the NVPTX backend
/// as types that PTX does not have (`.u4`).
static MlirLogicalResult check_parameters(MlirOperation kernel) {
  MlirType type = mlirTypeAttrGetValue(
      mlirOperationGetAttributeByName(kernel, agpu__str("function_type")));
  for (intptr_t i = 0; i < mlirLLVMFunctionTypeGetNumInputs(type); ++i) {
    MlirType input = mlirLLVMFunctionTypeGetInput(type, i);
    if (!mlirTypeIsAInteger(input))
      continue;
    unsigned width = mlirIntegerTypeGetWidth(input);
    if (width != 1 && width < 64 && width != 8 && width != 16 && width != 32)
      return agpu__error(mlirOperationGetLocation(kernel),
                         "a kernel cannot have a parameter of type i%u", width);
  }
  return mlirLogicalResultSuccess();
}

MlirLogicalResult agpu__ptx_check(MlirOperation gpu_module) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (MlirOperation op =
           mlirBlockGetFirstOperation(agpu__module_body(gpu_module));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (agpu__nvvm_is_kernel(op) &&
        mlirLogicalResultIsFailure(check_parameters(op)))
      result = mlirLogicalResultFailure();
    if (!agpu__op_is(op, "llvm.func") || !agpu__nvvm_is_declaration(op))
      continue;
    MlirStringRef name = agpu__get_string(op, "sym_name");
    if (driver_provides(name))
      continue;
    MlirOperation use = first_use(gpu_module, op, name);
    // A declaration that nothing calls does not reach the PTX.
    if (mlirOperationEqual(use, op))
      continue;
    bool libdevice = name.length > 5 && !memcmp(name.data, "__nv_", 5);
    result = agpu__error(
        mlirOperationGetLocation(use),
        libdevice
            ? "the math function '%.*s' needs CUDA's libdevice, which is "
              "not linked yet; compile for the emulated device only with "
              "targets=native"
            : "'%.*s' has no body in its gpu.module and is not a function "
              "of the CUDA driver",
        (int)name.length, name.data);
  }
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
  return LLVMCreateTargetMachine(target, TRIPLE, options->chip,
                                 options->features, levels[options->opt_level],
                                 LLVMRelocDefault, LLVMCodeModelDefault);
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
  for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
       function = LLVMGetNextFunction(function))
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

/// One compilation: what the guarded function gets and gives.
typedef struct compilation {
  LLVMModuleRef module;
  LLVMTargetMachineRef machine;
  int opt_level;
  agpu__text *errors;
  LLVMMemoryBufferRef assembly; ///< NULL after an error
} compilation;

/// Optimises the module for the machine and makes its assembly.
static void compile(void *data) {
  compilation *self = data;
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(self->machine);
  LLVMSetModuleDataLayout(self->module, layout);
  LLVMDisposeTargetData(layout);
  LLVMSetTarget(self->module, TRIPLE);
  internalize(self->module);

  static const char *const passes[] = {"default<O0>", "default<O1>",
                                       "default<O2>", "default<O3>"};
  LLVMPassBuilderOptionsRef pass_options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef failure = LLVMRunPasses(self->module, passes[self->opt_level],
                                       self->machine, pass_options);
  LLVMDisposePassBuilderOptions(pass_options);
  if (failure) {
    char *message = LLVMGetErrorMessage(failure);
    agpu__text_puts(self->errors, message);
    LLVMDisposeErrorMessage(message);
    return;
  }

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
  agpu__text *errors = calloc(1, sizeof(*errors));
  if (!errors)
    abort();
  LLVMContextRef context = LLVMContextCreate();
  LLVMContextSetDiagnosticHandler(context, collect_diagnostic, errors);
  LLVMContextSetDiscardValueNames(context, true);
  compilation self = {
      .module = mlirTranslateModuleToLLVMIR(gpu_module, context),
      .machine = machine,
      .opt_level = options->opt_level,
      .errors = errors,
  };
  MlirLogicalResult result = mlirLogicalResultFailure();
  if (!self.module) {
    agpu__error(location, "this module cannot be translated to LLVM IR");
  } else if (!agpu__llvm_guard(compile, &self, errors)) {
    return agpu__error(location, "cannot compile this module for %s: %s",
                       options->chip, plain_message(errors));
  } else if (!self.assembly) {
    agpu__error(location, "cannot compile this module for %s: %s",
                options->chip, plain_message(errors));
  } else {
    agpu__text text = {0};
    agpu__text_append(&text, LLVMGetBufferStart(self.assembly),
                      LLVMGetBufferSize(self.assembly));
    *out_text = agpu__text_take(&text);
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
