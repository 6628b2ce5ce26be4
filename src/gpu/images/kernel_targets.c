//===- kernel_targets.c - async-gpu-kernel-targets ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What both targets have in common is done once, to one module; then each has
// one of its own. What stands in the way of either is said before anything is
// made.
//
//===----------------------------------------------------------------------===//

#include "gpu/images/images.h"
#include "gpu/kernels/kernels.h"
#include "gpu/native/base/simt.h"
#include "gpu/native/native.h"
#include "gpu/nvvm/nvvm.h"

#include <ctype.h>
#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The names that `gpu_module` has, by their attributes.
static agpu__map names_of(MlirOperation gpu_module) {
  agpu__map names = {0};
  AGPU__OPS_FOREACH (op, agpu__module_body(gpu_module)) {
    MlirAttribute name = agpu__attr(op, "sym_name");
    if (!mlirAttributeIsNull(name))
      agpu__map_set(&names, name.ptr, 0);
  }
  return names;
}

/// `base`, with a number where that is one of `names`, which it becomes.
static MlirAttribute free_name(agpu__map *names, MlirContext context,
                               const char *base) {
  MlirAttribute name = agpu__string_attr(context, base);
  for (unsigned n = 0; agpu__map_get(names, name.ptr) != AGPU__MAP_NONE; ++n) {
    AGPU__OWNED char *candidate = agpu__format("%s_%u", base, n);
    name = agpu__string_attr(context, candidate);
  }
  agpu__map_set(names, name.ptr, 0);
  return name;
}

/// `name` as a PTX identifier, none of `names`: PTX allows letters, digits, `_`
/// and `$`, where MLIR allows any text.
static MlirAttribute image_name(agpu__map *names, MlirAttribute own) {
  MlirStringRef name = mlirStringAttrGetValue(own);
  AGPU__SCOPED(text) image = {0};
  bool changed = false;
  for (size_t i = 0; i < name.length; ++i) {
    unsigned char byte = (unsigned char)name.data[i];
    bool legal = byte < 0x80 && (isalpha(byte) || byte == '_' || byte == '$' ||
                                 (isdigit(byte) && i > 0));
    if (legal)
      agpu__text_append(&image, &name.data[i], 1);
    else
      agpu__text_printf(&image, "_$%02x", byte);
    changed |= !legal;
  }
  // One of these alone is not an identifier.
  if (!image.size ||
      (image.size == 1 && (*image.data == '_' || *image.data == '$'))) {
    agpu__text_puts(&image, "_$");
    changed = true;
  }
  return changed ? free_name(names, mlirAttributeGetContext(own),
                             agpu__text_get(&image))
                 : own;
}

/// A known block size is a promise of every launch; as `.reqntid` the driver
/// holds the launch to it and the assembler makes use of it.
static void require_block_size(MlirOperation kernel) {
  MlirAttribute size = agpu__attr(kernel, "nvvm.maxntid");
  if (!agpu__has_attr(kernel, "gpu.known_block_size") ||
      mlirAttributeIsNull(size) || agpu__has_attr(kernel, "nvvm.reqntid"))
    return;
  agpu__remove_attr(kernel, "nvvm.maxntid");
  agpu__set_attr(kernel, "nvvm.reqntid", size);
}

/// The kernels of a lowered module.
static agpu__ops collect_kernels(MlirOperation gpu_module) {
  agpu__ops kernels = {0};
  AGPU__OPS_FOREACH (op, agpu__module_body(gpu_module))
    if (agpu__nvvm_is_kernel(op) && !agpu__is_declaration(op))
      agpu__ops_push(&kernels, op);
  return kernels;
}

/// Records what the program has to know of each kernel. Renames those that PTX
/// cannot spell.
static void describe_kernels(MlirOperation gpu_module) {
  AGPU__SCOPED(ops) kernels = collect_kernels(gpu_module);
  AGPU__SCOPED(map) names = names_of(gpu_module);
  for (size_t i = 0; i < kernels.count; ++i) {
    MlirOperation kernel = kernels.data[i];
    MlirAttribute name = agpu__attr(kernel, "sym_name");
    MlirAttribute image = image_name(&names, name);
    agpu__set_attr(kernel, AGPU__KERNEL_NAME, name);
    agpu__set_attr(kernel, AGPU__IMAGE_NAME, image);
    agpu__set_attr(kernel, "sym_name", image);
    agpu__kernel_pointers_complete(kernel);
    require_block_size(kernel);
  }
}

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

/// Chips from here on have redux.sync, and so has the emulated device.
#define REDUX_CHIP 80

/// How many of the chips have redux.sync.
static size_t count_redux(const agpu__target_options *options) {
  size_t count = 0;
  for (size_t i = 0; i < options->chip_count; ++i)
    count += options->chips[i]->number >= REDUX_CHIP;
  return count;
}

static bool has_any(MlirOperation gpu_module, const char *name) {
  AGPU__SCOPED(ops) found = agpu__ops_in(gpu_module, name);
  return found.count;
}

/// Takes the chips that have redux.sync out of `options`, which keep native
/// code, and returns options for those alone.
static agpu__target_options take_redux(agpu__target_options *options) {
  agpu__target_options taken = *options;
  taken.to_native = false;
  taken.chip_count = 0;
  size_t left = 0;
  for (size_t i = 0; i < options->chip_count; ++i)
    if (options->chips[i]->number >= REDUX_CHIP)
      taken.chips[taken.chip_count++] = options->chips[i];
    else
      options->chips[left++] = options->chips[i];
  options->chip_count = left;
  return taken;
}

/// Likewise native code.
static agpu__target_options take_native(agpu__target_options *options) {
  agpu__target_options taken = *options;
  taken.to_cuda = false;
  options->to_native = false;
  return taken;
}

/// What the PTX has to be of, in the versions that `gpu_module`, not lowered
/// yet, asks for. Fails with a diagnostic at what a chip does not have.
static MlirLogicalResult choose_ptx(MlirOperation gpu_module,
                                    const agpu__target_options *options,
                                    agpu__ptx_target *out) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  *out = (agpu__ptx_target){.chip_count = options->chip_count,
                            .toolkit = options->toolkit};
  // The chip that is taken where none is named does not limit what the emulated
  // device runs.
  bool is_asked = options->to_cuda || options->chip_count > 1 ||
                  (options->chip_count &&
                   strcmp(options->chips[0]->name, AGPU__DEFAULT_CHIP));
  for (size_t i = 0; i < options->chip_count; ++i) {
    out->chips[i] = options->chips[i];
    if (is_asked && mlirLogicalResultIsFailure(agpu__chip_check(
                        gpu_module, options->chips[i], &out->versions[i])))
      result = mlirLogicalResultFailure();
    if (options->ptx_version)
      out->versions[i] = options->ptx_version;
  }
  return result;
}

static void mark(MlirOperation gpu_module, const char *target,
                 MlirAttribute source) {
  agpu__set_attr(
      gpu_module, AGPU__TARGET,
      agpu__string_attr(mlirOperationGetContext(gpu_module), target));
  agpu__set_attr(gpu_module, AGPU__SOURCE_MODULE, source);
}

/// A copy of `gpu_module` after it, under a name of its own.
static MlirOperation copy(MlirOperation host_module, MlirOperation gpu_module,
                          const char *target) {
  MlirOperation made = mlirOperationClone(gpu_module);
  MlirStringRef name = agpu__get_string(gpu_module, "sym_name");
  AGPU__OWNED char *base = agpu__format("%.*s_%s", AGPU__STR(name), target);
  AGPU__OWNED char *symbol = agpu__unique_symbol(host_module, base);
  agpu__set_attr(made, "sym_name",
                 agpu__string_attr(mlirOperationGetContext(made), symbol));
  mlirBlockInsertOwnedOperationAfter(agpu__module_body(host_module), gpu_module,
                                     made);
  return made;
}

static MlirLogicalResult make_ptx(MlirOperation gpu_module,
                                  const agpu__ptx_target *ptx) {
  AGPU__SCOPED(ops) kernels = collect_kernels(gpu_module);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (size_t i = 0; i < kernels.count; ++i)
    if (mlirLogicalResultIsFailure(agpu__kernel_facts_apply(kernels.data[i])))
      result = mlirLogicalResultFailure();
  if (mlirLogicalResultIsFailure(result) ||
      mlirLogicalResultIsFailure(agpu__nvvm_to_text(gpu_module)))
    return mlirLogicalResultFailure();
  agpu__ptx_target_write(gpu_module, ptx);
  AGPU__OWNED char *libdevice = agpu__toolkit_libdevice(ptx->toolkit);
  result = agpu__ptx_check(gpu_module, libdevice);
  return result;
}

/// On the emulated device, kernels have what the largest of the chips has.
static void limit_shared_memory(MlirOperation gpu_module,
                                const agpu__target_options *options) {
  uint32_t most = 0;
  for (size_t i = 0; i < options->chip_count; ++i) {
    uint32_t bytes = agpu__chip_shared_bytes(options->chips[i]);
    most = bytes > most ? bytes : most;
  }
  AGPU__SCOPED(ops) kernels = collect_kernels(gpu_module);
  for (size_t i = 0; i < kernels.count; ++i)
    agpu__set_attr(kernels.data[i], AGPU__SIMT_MOST_SHARED,
                   agpu__i64_attr(mlirOperationGetContext(gpu_module), most));
}

/// Makes modules for the targets of `gpu_module`, which is lowered. All checks
/// are made before the first is compiled, so that one run reports all errors.
static MlirLogicalResult split(MlirOperation host_module,
                               MlirOperation gpu_module, MlirAttribute source,
                               const agpu__target_options *options,
                               const agpu__ptx_target *ptx) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  MlirOperation native = gpu_module;
  if (options->to_native && options->to_cuda)
    native = copy(host_module, gpu_module, AGPU__TARGET_NATIVE);
  if (options->to_cuda) {
    mark(gpu_module, AGPU__TARGET_PTX, source);
    result = make_ptx(gpu_module, ptx);
  }
  if (options->to_native) {
    mark(native, AGPU__TARGET_NATIVE, source);
    if (options->to_cuda && options->share)
      agpu__alike_bodies(native);
    limit_shared_memory(native, options);
    if (mlirLogicalResultIsFailure(agpu__simt_check(native, options->has_ptx)))
      result = mlirLogicalResultFailure();
  }
  return result;
}

/// Lowers `gpu_module`, which is of the program's module `source`, and makes
/// modules of it for `options`, in which all chips or none have redux.sync.
static MlirLogicalResult lower(MlirOperation host_module,
                               MlirOperation gpu_module, MlirAttribute source,
                               const agpu__target_options *options) {
  agpu__ptx_target ptx;
  MlirLogicalResult result = choose_ptx(gpu_module, options, &ptx);
  const agpu__nvvm_options nvvm = {.bare_pointers = options->bare_pointers,
                                   .has_redux = options->chip_count &&
                                                count_redux(options) ==
                                                    options->chip_count,
                                   .is_native = !options->to_cuda,
                                   .expand_math = options->expand_math};
  // PTX has the body of each kernel.
  if (!options->to_cuda && options->share)
    agpu__alike_bodies(gpu_module);
  agpu__kernel_pointers_keep(gpu_module, options->bare_pointers);
  if (mlirLogicalResultIsFailure(agpu__nvvm_lower(gpu_module, &nvvm)))
    return mlirLogicalResultFailure();
  if (mlirLogicalResultIsFailure(agpu__check_launches(
          host_module, gpu_module, options->bare_pointers)) ||
      mlirLogicalResultIsFailure(agpu__widen_parameters(gpu_module)) ||
      mlirLogicalResultIsFailure(agpu__parameter_space_check(
          gpu_module, options->chips,
          options->to_cuda ? options->chip_count : 0, options->ptx_version,
          ptx.versions)))
    result = mlirLogicalResultFailure();
  agpu__libdevice_expand(gpu_module, options->expand_math);
  describe_kernels(gpu_module);
  if (mlirLogicalResultIsFailure(
          split(host_module, gpu_module, source, options, &ptx)))
    result = mlirLogicalResultFailure();
  return result;
}

/// Reductions are other code where there is redux.sync, and natively. Where
/// `gpu_module` has such, each of these has a copy of it.
static MlirLogicalResult run_on(MlirOperation host_module,
                                MlirOperation gpu_module,
                                agpu__target_options options) {
  MlirAttribute source = agpu__attr(gpu_module, "sym_name");
  bool by_block = has_any(gpu_module, "gpu.all_reduce");
  bool by_warp = by_block || has_any(gpu_module, "gpu.subgroup_reduce");
  size_t redux = count_redux(&options), count = 0;
  options.has_ptx = options.to_cuda;
  struct {
    MlirOperation gpu_module;
    agpu__target_options options;
  } others[2];
  if (options.to_cuda && redux && redux < options.chip_count && by_warp) {
    others[count].gpu_module = copy(host_module, gpu_module, "redux");
    others[count++].options = take_redux(&options);
  }
  if (options.to_cuda && options.to_native && by_block) {
    others[count].gpu_module =
        copy(host_module, gpu_module, AGPU__TARGET_NATIVE);
    others[count++].options = take_native(&options);
  }
  // What is wrong is said once, of the first.
  MlirLogicalResult result = lower(host_module, gpu_module, source, &options);
  for (size_t i = 0; i < count && mlirLogicalResultIsSuccess(result); ++i)
    result =
        lower(host_module, others[i].gpu_module, source, &others[i].options);
  return result;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  // Taking the kernels away from under a launch would leave it dangling.
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__SCOPED(ops) launches = {0}, modules = {0};
  agpu__collect(module, "gpu.launch_func", &launches);
  for (size_t i = 0; i < launches.count; ++i)
    result = agpu__error(mlirOperationGetLocation(launches.data[i]),
                         "a launch must be lowered before its kernel: run "
                         "async-gpu-regions before async-gpu-kernels");
  if (mlirLogicalResultIsFailure(agpu__collect_gpu_modules(module, &modules)))
    result = mlirLogicalResultFailure();
  agpu__target_options options = {0};
  if (mlirLogicalResultIsSuccess(result))
    result = agpu__target_options_read(
        mlirOperationGetLocation(modules.count ? modules.data[0] : module),
        values, &options);
  if ((modules.count || agpu__pass_value_bool(values, AGPU__BARE_POINTERS)) &&
      mlirLogicalResultIsFailure(
          agpu__convention_set(module, values, &options.bare_pointers)))
    result = mlirLogicalResultFailure();
  options.share = agpu__pass_value_bool(values, "share") &&
                  agpu__has_attr(module, AGPU__ALIKE_ATTR);
  bool good = mlirLogicalResultIsSuccess(result);
  for (size_t i = 0; i < modules.count && good; ++i)
    if (mlirLogicalResultIsFailure(run_on(module, modules.data[i], options)))
      result = mlirLogicalResultFailure();
  return result;
}

static const agpu_pass_option options[] = {
    AGPU__CHIP_OPTION,
    AGPU__FEATURES_OPTION,
    AGPU__TARGETS_OPTION,
    AGPU__MATH_OPTION,
    AGPU__TOOLKIT_OPTION,
    AGPU__BARE_POINTERS_OPTION,
    {"share", AGPU_OPTION_BOOL, "true",
     "Let kernels of linalg that are alike but for constants have one body in "
     "native code."}};

const agpu_pass agpu__pass_kernel_targets = {
    .argument = "async-gpu-kernel-targets",
    .summary = "Make a gpu.module in the NVVM dialect for each target",
    AGPU__OPTIONS(options),
    .run_with = run,
};

//===----------------------------------------------------------------------===//
// What PTX is made for
//
// Writes and reads the attributes by which the pass that makes PTX knows what
// the pass that has checked it meant.
//===----------------------------------------------------------------------===//

void agpu__ptx_target_write(MlirOperation gpu_module,
                            const agpu__ptx_target *target) {
  MlirContext context = mlirOperationGetContext(gpu_module);
  intptr_t count = (intptr_t)target->chip_count;
  MlirAttribute chips[AGPU__MAX_CHIPS];
  int32_t versions[AGPU__MAX_CHIPS];
  for (intptr_t i = 0; i < count; ++i) {
    chips[i] = agpu__string_attr(context, target->chips[i]->name);
    versions[i] = target->versions[i];
  }
  agpu__set_attr(gpu_module, AGPU__CHIPS_ATTR,
                 mlirArrayAttrGet(context, count, chips));
  agpu__set_attr(gpu_module, AGPU__PTX_VERSIONS_ATTR,
                 mlirDenseI32ArrayGet(context, count, versions));
  agpu__set_attr(gpu_module, AGPU__TOOLKIT_ATTR,
                 agpu__string_attr(context, target->toolkit));
}

static MlirLogicalResult missing(MlirOperation gpu_module, const char *name) {
  return agpu__missing_attribute(gpu_module, name, "async-gpu-kernel-targets");
}

static const agpu__chip *chip_of(MlirAttribute name) {
  if (!mlirAttributeIsAString(name))
    return NULL;
  MlirStringRef text = mlirStringAttrGetValue(name);
  return agpu__chip_find(text.data, text.length);
}

MlirLogicalResult agpu__ptx_target_read(MlirOperation gpu_module,
                                        agpu__ptx_target *out_target) {
  *out_target = (agpu__ptx_target){0};
  MlirAttribute chips = agpu__attr(gpu_module, AGPU__CHIPS_ATTR);
  MlirAttribute versions = agpu__attr(gpu_module, AGPU__PTX_VERSIONS_ATTR);
  MlirAttribute toolkit = agpu__attr(gpu_module, AGPU__TOOLKIT_ATTR);
  if (mlirAttributeIsNull(chips) || !mlirAttributeIsAArray(chips) ||
      mlirArrayAttrGetNumElements(chips) > AGPU__MAX_CHIPS)
    return missing(gpu_module, AGPU__CHIPS_ATTR);
  intptr_t count = mlirArrayAttrGetNumElements(chips);
  if (mlirAttributeIsNull(versions) ||
      !mlirAttributeIsADenseI32Array(versions) ||
      mlirDenseArrayGetNumElements(versions) != count)
    return missing(gpu_module, AGPU__PTX_VERSIONS_ATTR);
  if (mlirAttributeIsNull(toolkit) || !mlirAttributeIsAString(toolkit))
    return missing(gpu_module, AGPU__TOOLKIT_ATTR);
  for (intptr_t i = 0; i < count; ++i) {
    out_target->chips[i] = chip_of(mlirArrayAttrGetElement(chips, i));
    out_target->versions[i] = mlirDenseI32ArrayGetElement(versions, i);
    if (!out_target->chips[i])
      return missing(gpu_module, AGPU__CHIPS_ATTR);
  }
  out_target->chip_count = (size_t)count;
  // The context keeps strings with a NUL after them, but no empty ones.
  MlirStringRef folder = mlirStringAttrGetValue(toolkit);
  out_target->toolkit = folder.length ? folder.data : "";
  return mlirLogicalResultSuccess();
}
