//===- ptx.h - Kernels as PTX -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What makes PTX of kernels, and knows of chips and toolkits.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_PTX_PTX_H
#define ASYNC_GPU_GPU_PTX_PTX_H

#include "lower/ir/ops.h"
#include "lower/ir/text.h"

#include "mlir-c/IR.h"

#include "llvm-c/ErrorHandling.h"
#include "llvm-c/Types.h"

//===----------------------------------------------------------------------===//
// What inline PTX needs
//===----------------------------------------------------------------------===//

enum { AGPU__MNEMONIC_SIZE = 128 };

/// An instruction of a text, and what first has it.
typedef struct agpu__assembly_need {
  char mnemonic[AGPU__MNEMONIC_SIZE]; ///< "redux.sync.add.s32", cut to the size
  uint32_t chip;
  char variant; ///< 'a': that chip's own code; 'f': any chip's own, from it on
  int ptx_version;
} agpu__assembly_need;

/// Reads the next instruction of the PTX at `*text` and moves `*text` after
/// it. False at the end. What all chips and versions have that LLVM knows needs
/// chip 0 and version 0.
bool agpu__assembly_next(const char **text, agpu__assembly_need *out);

//===----------------------------------------------------------------------===//
// Conversions of single bits
//===----------------------------------------------------------------------===//

/// Replaces the conversions of `module` between i1 and floats, of scalars and
/// of vectors, by selections and comparisons. For IR that is not optimised any
/// more.
void agpu__convert_booleans(LLVMModuleRef module);

//===----------------------------------------------------------------------===//
// Chips that PTX is made for
//
// Which chips and PTX versions LLVM's backend knows, and which of them an op
// needs. LLVM says neither before it fails, and some ops become inline assembly
// that only ptxas or the driver would refuse.
//===----------------------------------------------------------------------===//

typedef struct agpu__chip {
  const char *name; ///< "sm_90a"
  uint32_t number;  ///< 90
  /// 'a': code for this chip alone; 'f': for its family; 0: for all later ones.
  char variant;
  int ptx_version; ///< the lowest that LLVM makes for it, 80 for 8.0
} agpu__chip;

/// The chip of that name of `length` bytes; NULL where LLVM knows none.
const agpu__chip *agpu__chip_find(const char *name, size_t length);

/// Bytes of shared memory that a block of the chip can have when its launch
/// asks for them.
uint32_t agpu__chip_shared_bytes(const agpu__chip *chip);

/// Reads "+ptx80"; empty gives 0, for whatever is needed. Returns false for
/// anything else that LLVM does not know.
bool agpu__ptx_version_parse(const char *features, int *out_version);

/// Looks at the ops of `gpu_module`, as the source has them or lowered. Reports
/// each that `chip` lacks. `out_version` receives the lowest PTX version that
/// has them all and that LLVM makes for the chip; the same or more than
/// `chip->ptx_version`.
MlirLogicalResult agpu__chip_check(MlirOperation gpu_module,
                                   const agpu__chip *chip, int *out_version);

//===----------------------------------------------------------------------===//
// Math functions that kernels call
//
// Upstream's conversion turns math ops in kernels into calls of CUDA's
// libdevice (`__nv_expf`). Where the target has
// the same, they are replaced by that.
//===----------------------------------------------------------------------===//

/// Replaces the calls that one PTX instruction, or an exact sequence that the
/// NVPTX backend knows, can stand for (`__nv_sqrtf`, `__nv_fma`, `__nv_floor`).
/// With `approximate`, also the f32 functions that PTX approximates
/// (`__nv_expf`): to about two units in the last place for exp, exp2, log, log2
/// and log10 of usual arguments; sin and cos to 2^-20 between -pi and pi. The
/// others stay.
void agpu__libdevice_expand(MlirOperation gpu_module, bool approximate);

/// Replaces all calls of libdevice functions by LLVM intrinsics and calls of
/// the host's libm, which are declared in the module as func.func. Fails with a
/// diagnostic at each call of a function that is not known.
MlirLogicalResult agpu__libdevice_to_host(MlirOperation gpu_module);

//===----------------------------------------------------------------------===//
// CUDA's math library in kernels
//
// libdevice is LLVM bitcode that comes with each CUDA toolkit. Functions of it
// ask `__nvvm_reflect` how exact they have to be.
//===----------------------------------------------------------------------===//

/// libdevice's functions, to be asked for. NULL, and a message in `error`,
/// where the file at `path` cannot be read as bitcode.
typedef struct agpu__libdevice agpu__libdevice;
agpu__libdevice *agpu__libdevice_open(const char *path, agpu__text *error);
void agpu__libdevice_close(agpu__libdevice *library);

/// True if the library has a body for `name`, of `length` bytes.
bool agpu__libdevice_has(const agpu__libdevice *library, const char *name,
                         size_t length);

/// Writes the type of the function `name` that the library has, as MLIR spells
/// it ("!llvm.func<f32 (f32)>"). False where MLIR has other types.
bool agpu__libdevice_type(const agpu__libdevice *library, const char *name,
                          size_t length, agpu__text *out);

/// Links the library at `path` into `module`, with exact square roots and
/// divisions and without flushing denormals. False, with a message in `error`,
/// where that fails. What is not needed is left for the optimiser to drop.
bool agpu__libdevice_link(LLVMModuleRef module, const char *path,
                          agpu__text *error);

//===----------------------------------------------------------------------===//
// Fatal errors of LLVM as messages
//
// LLVM's backends end the process when they meet what they cannot compile (an
// instruction that the chip lacks, a type without arithmetic). In a compiler
// that is the user's error, not the end of the program.
//===----------------------------------------------------------------------===//

/// Calls `body(data)`. Returns true if it returned; false if LLVM reported a
/// fatal error in it, whose message is then appended to `error`. In that case
/// whatever LLVM objects the body worked on must neither be used again nor be
/// disposed of: they are given up with their memory. Calls from several
/// threads wait for each other; calls must not be nested.
///
/// LLVM has one fatal error handler for the process: one that the program has
/// installed itself is gone afterwards, but for that of the function below.
bool agpu__llvm_guard(void (*body)(void *data), void *data, agpu__text *error);

/// Has LLVM call `handler`, which does not return, on a fatal error outside of
/// guarded calls.
void agpu__llvm_on_fatal_error(LLVMFatalErrorHandler handler);

//===----------------------------------------------------------------------===//
// Kernels as PTX text
//
// A gpu.module in the LLVM and NVVM dialects through LLVM's NVPTX backend.
//===----------------------------------------------------------------------===//

typedef struct agpu__ptx_options {
  const agpu__chip *chip;
  int ptx_version;       ///< 80 for 8.0
  int opt_level;         ///< 0 to 3
  const char *libdevice; ///< path of the bitcode; NULL: there is none
} agpu__ptx_options;

/// Reports parameters that PTX has no type for, and functions without a body
/// that neither the CUDA driver nor libdevice (its path, or NULL) provides, at
/// the first call of each.
MlirLogicalResult agpu__ptx_check(MlirOperation gpu_module,
                                  const char *libdevice);

/// Translates `gpu_module`, whose options and functions were checked, to PTX.
/// Where its functions have debug scopes the PTX has line information.
/// `out_text` receives a new NUL-terminated string that the caller frees.
/// Fails with a diagnostic at the gpu.module. Does not change the IR. The
/// context must have the translations to LLVM IR registered.
MlirLogicalResult agpu__ptx_emit(MlirOperation gpu_module,
                                 const agpu__ptx_options *options,
                                 char **out_text);

//===----------------------------------------------------------------------===//
// What a CUDA toolkit has for us
//
// Nothing needs a CUDA toolkit, but math functions in kernels need its
// libdevice, and cubins its assembler. A toolkit is the folder that an option
// names, or the first of these that has the file: CUDA_HOME, CUDA_PATH, the one
// that the ptxas in PATH belongs to, /usr/local/cuda.
//===----------------------------------------------------------------------===//

/// Whether `folder` is one, or "".
bool agpu__toolkit_can_be_in(const char *folder);

/// The path of libdevice's bitcode, as a new string that the caller frees; NULL
/// where there is none. `folder` is the toolkit to look in, or "" for a search.
char *agpu__toolkit_libdevice(const char *folder);

/// The path of ptxas, likewise.
char *agpu__toolkit_ptxas(const char *folder);

/// Assembles `ptx` for `chip` with the assembler at `ptxas`, through files in
/// TMPDIR (or /tmp) that are gone afterwards. `level` is 0 to 3; `lines` keeps
/// line information. Appends the cubin to `out`; on failure, false, appends
/// what the assembler said to `error`.
bool agpu__toolkit_assemble(const char *ptxas, const char *ptx,
                            const char *chip, int level, bool lines,
                            agpu__text *out, agpu__text *error);

//===----------------------------------------------------------------------===//
// Loads that read too much
//===----------------------------------------------------------------------===//

/// Where `module` loads vectors that LLVM may widen, makes the size of each
/// variable, a global or on the stack, a multiple of its alignment, up to that
/// of the widest access. For IR that is not optimised any more.
void agpu__pad_variables(LLVMModuleRef module);

/// Replaces the masked loads of `module` whose masks are constant by loads of
/// the lanes that are on. For IR that is not optimised any more.
void agpu__expand_masked_loads(LLVMModuleRef module);

#endif // ASYNC_GPU_GPU_PTX_PTX_H
