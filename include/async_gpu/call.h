//===- call.h - Calling compiled functions ----------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a function of a program takes and gives, and how to call it when that
// was not known when the caller was compiled:
//
//     agpu_signature *signature;  agpu_packed_function call;
//     agpu_program_export(program, "scale", false, &signature);
//     agpu_program_lower(program, "async-gpu-lower");
//     agpu_jit_create(program, 2, &jit);
//     agpu_jit_lookup_export(jit, signature->name, &call);
//
//     float factor = 2, data[4] = {1, 2, 3, 4};
//     agpu_memref(1) x = {data, data, 0, {4}, {1}}, y;
//     call((void *[]){&factor, &x, &y});       // @scale(f32, memref<4xf32>)
//     free(y.allocated);                       //     -> memref<4xf32>
//
// Each argument, and after them each result, is passed by its address:
//
//   integers, floats       as in C; i1 is a byte, 0 or 1; index is an int64_t;
//                          f16 and bf16 are uint16_t with their bits;
//                          complex<f32> is two floats
//   memrefs of rank N      an agpu_memref(N)
//   unranked memrefs       an agpu_unranked_memref
//   tokens and values      an agpu_object *: the caller owns a reference of
//                          each that it gets, and hands over one of each that
//                          it gives
//
// Memory of memrefs that a function takes stays the caller's. Memory of one
// that it gives is what the program returns: from `memref.alloc`, the caller
// frees it with free(allocated); an argument's, the caller's as before; that of
// a `memref.global`, the program's, for which `allocated` is
// AGPU_GLOBAL_MEMORY.
//
// The functions on programs and on a jit are used as those of compiler.h are.
// Calls are made on any thread. A failure in a function that is not awaitable
// ends the process, as in a program; one in an awaitable function, the status
// of its token.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_CALL_H
#define ASYNC_GPU_CALL_H

#include "async_gpu/compiler.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// In place of a size, stride or offset that only a run tells.
#define AGPU_DYNAMIC INT64_MIN

/// `allocated` of memory that is a variable's of the program.
#define AGPU_GLOBAL_MEMORY ((void *)(uintptr_t)0xdeadbeef)

/// A memref as compiled code passes it. Offset and strides count elements from
/// `aligned` on; `allocated` is what was allocated.
#define agpu_memref(rank)                                                      \
  struct {                                                                     \
    void *allocated, *aligned;                                                 \
    int64_t offset, sizes[rank], strides[rank];                                \
  }

/// `descriptor` points at an agpu_memref(rank). Of a result it is freed with
/// free(), beside the memory.
typedef struct agpu_unranked_memref {
  int64_t rank;
  void *descriptor;
} agpu_unranked_memref;

typedef enum agpu_type_kind {
  AGPU_TYPE_SCALAR,
  AGPU_TYPE_MEMREF, ///< or a tensor, which is one once it is lowered
  AGPU_TYPE_UNRANKED_MEMREF,
  AGPU_TYPE_TOKEN,
} agpu_type_kind;

/// The type of an argument or result.
typedef struct agpu_type {
  agpu_type_kind kind;
  /// `!async.value` of what the rest says: a pointer to an object, and after
  /// mlirAsyncRuntimeGetValueStorage() what is said above.
  bool is_value;
  const char *text; ///< as MLIR writes it
  /// Of a scalar or of an element: i1, i8, i16, i32, i64, index, f16, bf16,
  /// f32, f64, complex<f32> or complex<f64>. "" for tokens.
  const char *element;
  int64_t element_bytes;
  int64_t rank;           ///< of a memref; 0 for all else
  const int64_t *sizes;   ///< each may be AGPU_DYNAMIC
  const int64_t *strides; ///< in elements; each may be AGPU_DYNAMIC
  int64_t offset;         ///< in elements; may be AGPU_DYNAMIC
} agpu_type;

typedef struct agpu_signature {
  const char *name;
  const char *text; ///< "scale(f32, memref<4xf32>) -> memref<4xf32>"
  bool is_awaitable;
  size_t argument_count, result_count;
  const agpu_type *arguments, *results;
} agpu_signature;

/// Calls a function: see above what `values` holds.
typedef void (*agpu_packed_function)(void **values);

/// The name of function number `index` of those that have a body and are not
/// private, in their order; NULL after the last. Lives as long as the program,
/// or until it is lowered.
AGPU_EXPORT const char *agpu_program_get_function(agpu_program *program,
                                                  size_t index);

/// What a `func.func`, `async.func` or `llvm.func` of a program takes and
/// gives. The caller releases it; it does not need the program. An error at the
/// function where a type is none of those above (an llvm.func has pointers in
/// place of memrefs: ask before the program is lowered).
AGPU_EXPORT agpu_status agpu_program_get_signature(
    agpu_program *program, const char *name, agpu_signature **out_signature);

/// The same, and has each agpu_jit made of the program from now on hold what
/// agpu_jit_lookup_export gives. `awaitable`: a call is a region of its own
/// that runs the function, and suspends where it awaits; it gives a token
/// first, and a value in place of each result, which are to be read once the
/// token is READY. The function is not lowered yet then, and has no tensors.
/// Functions that give tokens and values of their own are called as they are in
/// any case.
AGPU_EXPORT agpu_status agpu_program_export(agpu_program *program,
                                            const char *name, bool awaitable,
                                            agpu_signature **out_signature);

/// NULL is allowed.
AGPU_EXPORT void agpu_signature_release(agpu_signature *signature);

/// What calls the function `name`, which was exported. Lives as long as `jit`.
AGPU_EXPORT agpu_status agpu_jit_lookup_export(agpu_jit *jit, const char *name,
                                               agpu_packed_function *out_call);

#ifdef __cplusplus
}
#endif

#endif // ASYNC_GPU_CALL_H
