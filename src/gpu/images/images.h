//===- images.h - Code of a gpu.module for CUDA -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One image per chip and format.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_IMAGES_H
#define ASYNC_GPU_GPU_IMAGES_H

#include "async_gpu/compiled/kernel.h"
#include "gpu/ptx/ptx.h"
#include "lower/pass/pass.h"

//===----------------------------------------------------------------------===//
// How kernels are compiled
//
// The options of the passes that make images of kernels, and what they say.
//===----------------------------------------------------------------------===//

/// Different chips in one list.
#define AGPU__MAX_CHIPS 16

/// Taken where no chip is named.
#define AGPU__DEFAULT_CHIP "sm_75"

// Of async-gpu-kernel-targets, and of the pipeline around it.
#define AGPU__CHIP_OPTION                                                      \
  {"chip", AGPU_OPTION_STRING, AGPU__DEFAULT_CHIP,                             \
   "Chips to make code for, as in sm_75,sm_90; PTX runs on later ones too."}
#define AGPU__FEATURES_OPTION                                                  \
  {"features", AGPU_OPTION_STRING, "",                                         \
   "PTX version, as in +ptx80; empty for the lowest that chip and kernels "    \
   "allow."}
#define AGPU__TARGETS_OPTION                                                   \
  {"targets", AGPU_OPTION_STRING, "ptx,native",                                \
   "What to make code for: ptx for CUDA, native for the emulated device."}
#define AGPU__MATH_OPTION                                                      \
  {"math", AGPU_OPTION_WORD, "libdevice|expand",                               \
   "Math functions without an instruction: libdevice, or expand for "          \
   "expansions and the chip's approximations of f32."}
#define AGPU__TOOLKIT_OPTION                                                   \
  {"toolkit", AGPU_OPTION_STRING, "",                                          \
   "The CUDA toolkit's folder; empty to search for one."}

// Of async-gpu-embed-kernels, likewise.
#define AGPU__FORMAT_OPTION                                                    \
  {"format", AGPU_OPTION_STRING, "ptx",                                        \
   "What to embed for CUDA: ptx, cubin (needs ptxas), or both."}
#define AGPU__OPT_LEVEL_OPTION                                                 \
  {"opt-level", AGPU_OPTION_INT, "2",                                          \
   "How much LLVM optimises the PTX, 0 to 3."}
#define AGPU__LINE_INFO_OPTION                                                 \
  {"line-info", AGPU_OPTION_BOOL, "false",                                     \
   "Keep the source's lines in the PTX, for profilers and sanitizers."}

/// What to make code for.
typedef struct agpu__target_options {
  bool to_cuda, to_native;
  bool has_ptx; ///< of the program's module, here or in another copy of it
  const agpu__chip *chips[AGPU__MAX_CHIPS];
  size_t chip_count;
  int ptx_version; ///< 0: what is needed
  bool expand_math;
  bool bare_pointers;
  bool share; ///< bodies of native code that are alike but for constants
  const char *toolkit; ///< folder; "" for a search
} agpu__target_options;

/// How to make images for CUDA.
typedef struct agpu__image_options {
  bool embed_ptx, embed_cubin; ///< formats
  int opt_level;               ///< 0 to 3
  bool lines;                  ///< keep line information
} agpu__image_options;

/// Read the values, whose strings must outlive `out_options`. Fail with a
/// diagnostic at `location` for each that has no meaning.
MlirLogicalResult agpu__target_options_read(MlirLocation location,
                                            const agpu_pass_values *values,
                                            agpu__target_options *out_options);
MlirLogicalResult agpu__image_options_read(MlirLocation location,
                                           const agpu_pass_values *values,
                                           agpu__image_options *out_options);

//===----------------------------------------------------------------------===//
// What PTX is made for
//
// A gpu.module for PTX says which chips it is for, and where the toolkit is, in
// attributes that async-gpu-kernel-targets leaves:
//
//     agpu.chips          ["sm_75", "sm_90"]
//     agpu.ptx_versions   for each of them, 63 for 6.3
//     agpu.toolkit        a folder; "" to search for one
//===----------------------------------------------------------------------===//

typedef struct agpu__ptx_target {
  const agpu__chip *chips[AGPU__MAX_CHIPS];
  int versions[AGPU__MAX_CHIPS]; ///< of PTX
  size_t chip_count;
  const char *toolkit;
} agpu__ptx_target;

void agpu__ptx_target_write(MlirOperation gpu_module,
                            const agpu__ptx_target *target);

/// Fails with a diagnostic at `gpu_module` where one is missing or wrong.
MlirLogicalResult agpu__ptx_target_read(MlirOperation gpu_module,
                                        agpu__ptx_target *out_target);

//===----------------------------------------------------------------------===//
// Kernel parameters that are addresses
//
// Which parameters of a lowered kernel are addresses, and where the memory
// begins that a kernel reaches through them (agpu_native_pointer): the emulated
// device tells by it whether a launch was given memory of the host. What a
// parameter was before it was lowered is kept as an attribute of the kernel.
//===----------------------------------------------------------------------===//

/// Before the kernels of `gpu_module` are lowered: keeps what their arguments
/// are.
void agpu__kernel_pointers_keep(MlirOperation gpu_module, bool bare_pointers);

/// The same of a kernel that came as an llvm.func: each pointer is what it is.
/// One of which something is kept stays as it is.
void agpu__kernel_pointers_complete(MlirOperation kernel);

/// What was kept. Returns an array of `*out_count` that the caller frees.
agpu_native_pointer *agpu__kernel_pointers_read(MlirOperation kernel,
                                                size_t *out_count);

//===----------------------------------------------------------------------===//
// Parameters of kernels as PTX has them
//===----------------------------------------------------------------------===//

/// Gives each parameter of a kernel whose bits do not fill whole words (i24,
/// vector<4xi1>) a type of whole words with the same bytes at the same places,
/// and makes the value of it where the kernel begins. The host goes on storing
/// the value as it did. Of a lowered `gpu_module`; launches must have been
/// checked against it before. Fails with a diagnostic at each kernel that has
/// such a value inside an array or a structure.
MlirLogicalResult agpu__widen_parameters(MlirOperation gpu_module);

/// Whether the parameters of each kernel of a lowered `gpu_module` fit: a
/// diagnostic at each whose do not. `versions`, of each chip, becomes what PTX
/// version the kernels need at least; `ptx_version`: the one that was asked
/// for, or 0. Without chips the limit of the emulated device holds, which is
/// that of the latest ones.
MlirLogicalResult agpu__parameter_space_check(MlirOperation gpu_module,
                                              const agpu__chip *const *chips,
                                              size_t chip_count,
                                              int ptx_version, int *versions);

typedef struct agpu__image {
  agpu_image_format format;
  const agpu__chip *chip;
  char *data;
  size_t size; ///< bytes; for PTX with the final NUL
} agpu__image;

typedef struct agpu__image_list {
  agpu__image data[2 * AGPU__MAX_CHIPS];
  size_t count;
} agpu__image_list;

/// Compiles `gpu_module`, which is for PTX and checked, as it says itself
/// and `options` say, and appends the images. Fails with a
/// diagnostic; the list then still holds what was made. Free it in any case.
MlirLogicalResult agpu__images_compile(MlirOperation gpu_module,
                                       const agpu__image_options *options,
                                       agpu__image_list *out_images);

void agpu__images_free(agpu__image_list *images);

//===----------------------------------------------------------------------===//
// Descriptors of kernels in the program
//
// Writes the data of include/async_gpu/compiled/kernel.h into the host module.
// kernels/kernels.h says how a kernel's parameters look.
//===----------------------------------------------------------------------===//

/// One kernel on its way into the program. Strings are the context's.
typedef struct agpu__kernel {
  MlirStringRef name;     ///< in the source
  const char *image_name; ///< in the images: `name` as PTX can spell it
  MlirLocation location;
  const char *native_symbol; ///< of the native function, NULL without one
  uint32_t *param_sizes;     ///< bytes
  size_t param_count;
  agpu_native_pointer *pointers; ///< parameters that are addresses
  size_t pointer_count;
  uint64_t shared_bytes; ///< shared memory that every launch needs
  /// What launches may ask for; 0: what is there without asking.
  uint32_t most_shared_bytes;
} agpu__kernel;

/// What has been embedded of a program so far: zero at first.
typedef struct agpu__program {
  char **kernels; ///< symbols of their descriptors
  size_t count, capacity;
  bool has_modules;
} agpu__program;

/// What to embed of one gpu.module.
typedef struct agpu__embedding {
  MlirStringRef module_name;
  const agpu__image *images;
  size_t image_count;
  bool has_native;
  bool native_writes; ///< kernels of it print or assert
  bool is_unified;    ///< the host's memory is given to them as it is
  const agpu__kernel *kernels;
  size_t kernel_count;
  agpu__program *program; ///< that the kernels are added to
} agpu__embedding;

/// Writes the images and descriptors before `before`, an op of `host_module`'s
/// body.
void agpu__embed(MlirOperation host_module, MlirOperation before,
                 const agpu__embedding *embedding);

/// Writes the program's descriptor, after all of its modules', and frees what
/// `program` holds.
void agpu__embed_program(MlirOperation host_module, agpu__program *program);

//===----------------------------------------------------------------------===//
// Kernels that others compiled
//===----------------------------------------------------------------------===//

/// Replaces each gpu.binary of `module` by its PTX and the descriptors of the
/// kernels that agpu ops launch. Of several PTX objects all are taken, one per
/// chip; the runtime chooses. Fails with a diagnostic at a gpu.binary without
/// PTX. The kernels are added to `program`.
MlirLogicalResult agpu__embed_binaries(MlirOperation module,
                                       agpu__program *program);

#endif // ASYNC_GPU_GPU_IMAGES_H
