//===- mpi.h - What compiled programs call for MPI ---------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `mpi` dialect at run time. Each function starts what its op does and
// gives an object with one reference, the caller's: a token or value that is
// READY once it is done, or in ERROR with what failed, where, and on which
// rank. None of them blocks but agpu_mpi_comm_split, and that only where the
// library lets one thread call it at a time. All are thread safe.
//
// The library is Open MPI or MPICH, opened when the program initializes MPI
// (docs/mpi.md); nothing here depends on which. A communicator is a number: 0
// is the world, before MPI is initialized too. `location` is "file:line:col",
// or NULL; it lives as long as the program.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_COMPILED_MPI_H
#define ASYNC_GPU_COMPILED_MPI_H

#include "async_gpu/object.h"

#ifdef __cplusplus
extern "C" {
#endif

/// X(name, Open MPI's number, MPICH's number): the classes of errors in the
/// order of the dialect, which numbers them from 0 and whose numbers return
/// codes have; -1 where a library has no such class.
#define AGPU_MPI_ERROR_CLASSES(X)                                              \
  X(SUCCESS, 0, 0)                                                             \
  X(ERR_ACCESS, 20, 20)                                                        \
  X(ERR_AMODE, 21, 21)                                                         \
  X(ERR_ARG, 13, 12)                                                           \
  X(ERR_ASSERT, 22, 53)                                                        \
  X(ERR_BAD_FILE, 23, 22)                                                      \
  X(ERR_BASE, 24, 46)                                                          \
  X(ERR_BUFFER, 1, 1)                                                          \
  X(ERR_COMM, 5, 5)                                                            \
  X(ERR_CONVERSION, 25, 23)                                                    \
  X(ERR_COUNT, 2, 2)                                                           \
  X(ERR_DIMS, 12, 11)                                                          \
  X(ERR_DISP, 26, 52)                                                          \
  X(ERR_DUP_DATAREP, 27, 24)                                                   \
  X(ERR_ERRHANDLER, -1, -1)                                                    \
  X(ERR_FILE, 30, 27)                                                          \
  X(ERR_FILE_EXISTS, 28, 25)                                                   \
  X(ERR_FILE_IN_USE, 29, 26)                                                   \
  X(ERR_GROUP, 9, 8)                                                           \
  X(ERR_INFO, 34, 28)                                                          \
  X(ERR_INFO_KEY, 31, 29)                                                      \
  X(ERR_INFO_NOKEY, 32, 31)                                                    \
  X(ERR_INFO_VALUE, 33, 30)                                                    \
  X(ERR_IN_STATUS, 18, 17)                                                     \
  X(ERR_INTERN, 17, 16)                                                        \
  X(ERR_IO, 35, 32)                                                            \
  X(ERR_KEYVAL, 36, 48)                                                        \
  X(ERR_LOCKTYPE, 37, 47)                                                      \
  X(ERR_NAME, 38, 33)                                                          \
  X(ERR_NO_MEM, 39, 34)                                                        \
  X(ERR_NO_SPACE, 41, 36)                                                      \
  X(ERR_NO_SUCH_FILE, 42, 37)                                                  \
  X(ERR_NOT_SAME, 40, 35)                                                      \
  X(ERR_OP, 10, 9)                                                             \
  X(ERR_OTHER, 16, 15)                                                         \
  X(ERR_PENDING, 19, 18)                                                       \
  X(ERR_PORT, 43, 38)                                                          \
  X(ERR_PROC_ABORTED, -1, 76)                                                  \
  X(ERR_QUOTA, 44, 39)                                                         \
  X(ERR_RANK, 6, 6)                                                            \
  X(ERR_READ_ONLY, 45, 40)                                                     \
  X(ERR_REQUEST, 7, 19)                                                        \
  X(ERR_RMA_ATTACH, 69, 56)                                                    \
  X(ERR_RMA_CONFLICT, 46, 49)                                                  \
  X(ERR_RMA_FLAVOR, 70, 58)                                                    \
  X(ERR_RMA_RANGE, 68, 55)                                                     \
  X(ERR_RMA_SHARED, 71, 57)                                                    \
  X(ERR_RMA_SYNC, 47, 50)                                                      \
  X(ERR_ROOT, 8, 7)                                                            \
  X(ERR_SERVICE, 48, 41)                                                       \
  X(ERR_SESSION, -1, 75)                                                       \
  X(ERR_SIZE, 49, 51)                                                          \
  X(ERR_SPAWN, 50, 42)                                                         \
  X(ERR_TAG, 4, 4)                                                             \
  X(ERR_TOPOLOGY, 11, 10)                                                      \
  X(ERR_TRUNCATE, 15, 14)                                                      \
  X(ERR_TYPE, 3, 3)                                                            \
  X(ERR_UNKNOWN, 14, 13)                                                       \
  X(ERR_UNSUPPORTED_DATAREP, 51, 43)                                           \
  X(ERR_UNSUPPORTED_OPERATION, 52, 44)                                         \
  X(ERR_VALUE_TOO_LARGE, -1, 77)                                               \
  X(ERR_WIN, 53, 45)                                                           \
  X(ERR_LASTCODE, 92, 1073741823)

typedef enum agpu_mpi_error_class {
#define AGPU_MPI_NAME_IT(name, openmpi, mpich) AGPU_MPI_##name,
  AGPU_MPI_ERROR_CLASSES(AGPU_MPI_NAME_IT)
#undef AGPU_MPI_NAME_IT
      AGPU_MPI_ERROR_CLASS_COUNT
} agpu_mpi_error_class;

/// X(name, bytes, Open MPI's symbol, MPICH's handle): what elements are made
/// of. BYTE stands for what MPI has no type for.
#define AGPU_MPI_TYPES(X)                                                      \
  X(BYTE, 1, "ompi_mpi_byte", 0x4c00010d)                                      \
  X(BOOL, 1, "ompi_mpi_c_bool", 0x4c00013f)                                    \
  X(INT8, 1, "ompi_mpi_int8_t", 0x4c000137)                                    \
  X(UINT8, 1, "ompi_mpi_uint8_t", 0x4c00013b)                                  \
  X(INT16, 2, "ompi_mpi_int16_t", 0x4c000238)                                  \
  X(UINT16, 2, "ompi_mpi_uint16_t", 0x4c00023c)                                \
  X(INT32, 4, "ompi_mpi_int32_t", 0x4c000439)                                  \
  X(UINT32, 4, "ompi_mpi_uint32_t", 0x4c00043d)                                \
  X(INT64, 8, "ompi_mpi_int64_t", 0x4c00083a)                                  \
  X(UINT64, 8, "ompi_mpi_uint64_t", 0x4c00083e)                                \
  X(FLOAT, 4, "ompi_mpi_float", 0x4c00040a)                                    \
  X(DOUBLE, 8, "ompi_mpi_double", 0x4c00080b)                                  \
  X(COMPLEX_FLOAT, 8, "ompi_mpi_c_float_complex", 0x4c000840)                  \
  X(COMPLEX_DOUBLE, 16, "ompi_mpi_c_double_complex", 0x4c001041)               \
  X(INT32_PAIR, 8, "ompi_mpi_2int", 0x4c000816)

typedef enum agpu_mpi_type {
#define AGPU_MPI_NAME_IT(name, bytes, openmpi, mpich) AGPU_MPI_##name,
  AGPU_MPI_TYPES(AGPU_MPI_NAME_IT)
#undef AGPU_MPI_NAME_IT
      AGPU_MPI_TYPE_COUNT
} agpu_mpi_type;

/// X(name, Open MPI's symbol, MPICH's handle): reductions, in the order of the
/// dialect, which numbers them from 0.
#define AGPU_MPI_REDUCTIONS(X)                                                 \
  X(OP_NULL, "ompi_mpi_op_null", 0x18000000)                                   \
  X(MAX, "ompi_mpi_op_max", 0x58000001)                                        \
  X(MIN, "ompi_mpi_op_min", 0x58000002)                                        \
  X(SUM, "ompi_mpi_op_sum", 0x58000003)                                        \
  X(PROD, "ompi_mpi_op_prod", 0x58000004)                                      \
  X(LAND, "ompi_mpi_op_land", 0x58000005)                                      \
  X(BAND, "ompi_mpi_op_band", 0x58000006)                                      \
  X(LOR, "ompi_mpi_op_lor", 0x58000007)                                        \
  X(BOR, "ompi_mpi_op_bor", 0x58000008)                                        \
  X(LXOR, "ompi_mpi_op_lxor", 0x58000009)                                      \
  X(BXOR, "ompi_mpi_op_bxor", 0x5800000a)                                      \
  X(MINLOC, "ompi_mpi_op_minloc", 0x5800000b)                                  \
  X(MAXLOC, "ompi_mpi_op_maxloc", 0x5800000c)                                  \
  X(REPLACE, "ompi_mpi_op_replace", 0x5800000d)

/// X(name): reductions that the dialect has not, of FLOAT and DOUBLE. A NaN
/// makes MAXIMUM and MINIMUM a NaN, and is left out by MAXNUM and MINNUM, as by
/// `arith.maximumf` and the like.
#define AGPU_MPI_OWN_REDUCTIONS(X) X(MAXIMUM) X(MINIMUM) X(MAXNUM) X(MINNUM)

typedef enum agpu_mpi_reduction {
#define AGPU_MPI_NAME_IT(name, openmpi, mpich) AGPU_MPI_##name,
#define AGPU_MPI_NAME_OWN(name) AGPU_MPI_##name,
  AGPU_MPI_REDUCTIONS(AGPU_MPI_NAME_IT)
      AGPU_MPI_OWN_REDUCTIONS(AGPU_MPI_NAME_OWN)
#undef AGPU_MPI_NAME_IT
#undef AGPU_MPI_NAME_OWN
          AGPU_MPI_REDUCTION_COUNT
} agpu_mpi_reduction;

/// Peers and tags that are none, as MPI 5.0 numbers them; the libraries differ.
/// Of a receive the tag -1 is AGPU_MPI_ANY_TAG too.
#define AGPU_MPI_ANY_SOURCE (-1)
#define AGPU_MPI_ANY_TAG (-2)
#define AGPU_MPI_PROC_NULL (-3)

/// The elements of a memref: `sizes` and `strides` (in elements) are arrays of
/// `rank`. An element is `bytes` long and consists of values of `type`.
typedef struct agpu_mpi_elements {
  void *pointer; ///< of the first one
  int64_t rank;
  const int64_t *sizes, *strides;
  int64_t bytes;
  int32_t type; ///< agpu_mpi_type
} agpu_mpi_elements;

typedef enum agpu_mpi_message {
  AGPU_MPI_SEND,
  AGPU_MPI_RECV,
  AGPU_MPI_ISEND,
  AGPU_MPI_IRECV,
  /// Beside one of the others: the program asks agpu_mpi_start_code for an
  /// error of the start, which is no error of the token then.
  AGPU_MPI_CODED = 8,
} agpu_mpi_message;

/// Initializes MPI: opens the library. A program that has initialized the
/// library itself, with another one's calls, goes on with that.
AGPU_EXPORT agpu_object *agpu_mpi_init(const char *location);

/// Ends MPI once all requests have ended, here and on all other ranks.
AGPU_EXPORT agpu_object *agpu_mpi_finalize(const char *location);

/// Values of 4 bytes: the rank in, and the size of, a communicator.
AGPU_EXPORT agpu_object *agpu_mpi_comm_rank(int64_t comm, const char *location);
AGPU_EXPORT agpu_object *agpu_mpi_comm_size(int64_t comm, const char *location);

/// A value of 8 bytes: a communicator.
AGPU_EXPORT agpu_object *agpu_mpi_comm_split(int64_t comm, int32_t color,
                                             int32_t key, const char *location);

/// Sends or receives: `message` is an agpu_mpi_message. The token is READY once
/// the memory may be used again, or holds the message.
AGPU_EXPORT agpu_object *agpu_mpi_start(const agpu_mpi_elements *elements,
                                        int32_t message, int32_t tag,
                                        int32_t peer, int64_t comm,
                                        const char *location);

/// Whether an object has ended that had not, and may be a message, for a region
/// that is suspended otherwise: if the calling thread has nothing else to run,
/// it looks a few times for messages that have come, unless a trace is
/// recorded. Any thread.
AGPU_EXPORT bool agpu_mpi_is_ready_soon(agpu_object *object);

/// `reduction` is an agpu_mpi_reduction.
AGPU_EXPORT agpu_object *agpu_mpi_allreduce(const agpu_mpi_elements *from,
                                            const agpu_mpi_elements *to,
                                            int32_t reduction, int64_t comm,
                                            const char *location);

AGPU_EXPORT agpu_object *agpu_mpi_barrier(int64_t comm, const char *location);

//===----------------------------------------------------------------------===//
// Sharded programs (docs/sharding.md)
//===----------------------------------------------------------------------===//

/// Initializes MPI unless it is, to be finalized by the runtime's end.
AGPU_EXPORT agpu_object *agpu_mpi_begin(const char *location);

/// A value of 8 bytes: a communicator of the ranks that differ in nothing but
/// their coordinates along `axes` of a grid of `rows` by `columns` by `layers`
/// ranks, the first of which is the slowest. One of these may be negative: as
/// many as there are ranks for. `axes` has an axis' number and one, the slowest
/// first, in each 4 bits from the lowest. All ranks make the calls in one
/// order. It is an error where there are more ranks or fewer than in the grid.
AGPU_EXPORT agpu_object *agpu_mpi_group(int64_t rows, int64_t columns,
                                        int64_t layers, int64_t axes,
                                        const char *location);

/// Finds out whether all ranks of `comm` have the same number as argument
/// `argument` of the program's function, or as its size in dimension `dim`,
/// unless that is negative. The first rank fails where they do not.
AGPU_EXPORT agpu_object *agpu_mpi_agree(int64_t number, int64_t argument,
                                        int64_t dim, int64_t comm,
                                        const char *location);

/// What an exchange is called in messages.
typedef enum agpu_mpi_exchange_kind {
  AGPU_MPI_ALL_GATHER,
  AGPU_MPI_ALL_TO_ALL,
  AGPU_MPI_UPDATE_HALO,
  AGPU_MPI_EXCHANGE_KIND_COUNT
} agpu_mpi_exchange_kind;

/// The ranks of `comm` have an array of `size` in dimension `dim` in blocks,
/// one each: `from`. Afterwards each has in `to` what it needs of all of them:
/// for index i of its block of `parts` indices those from i * stride - before
/// to i * stride + after, as far as they are there and its own block has them
/// not; with stride 0 all indices, of its own block too.
/// Blocks are of the same size, or one larger for the first ranks. If `other`
/// is no negative number, `from` is whole in that dimension, and `to` has the
/// rank's block of it.
AGPU_EXPORT agpu_object *
agpu_mpi_exchange(const agpu_mpi_elements *from, const agpu_mpi_elements *to,
                  int32_t kind, int64_t dim, int64_t size, int64_t parts,
                  int64_t stride, int64_t before, int64_t after, int64_t other,
                  int64_t comm, const char *location);

/// agpu_mpi_allreduce, of a program that was split: messages call it
/// shard.all_reduce.
AGPU_EXPORT agpu_object *agpu_mpi_shard_reduce(const agpu_mpi_elements *from,
                                               const agpu_mpi_elements *to,
                                               int32_t reduction, int64_t comm,
                                               const char *location);

/// The ranks of `comm` have an array each, `from`, whose dimensions in front of
/// `dim` are of size 1: each has in `to` its block in dimension `dim` of their
/// reduction, as agpu_mpi_exchange makes blocks.
AGPU_EXPORT agpu_object *agpu_mpi_reduce_scatter(const agpu_mpi_elements *from,
                                                 const agpu_mpi_elements *to,
                                                 int32_t reduction, int64_t dim,
                                                 int64_t comm,
                                                 const char *location);

/// For a program that asks for return codes: a value of 4 bytes, the class of
/// the error that `object`, of one of the functions above, has ended in, or 0;
/// agpu_ready_token stands for a message that has ended already. It is READY
/// once `object` is READY or in ERROR, which thereby counts as observed. Takes
/// over a reference of `object`.
AGPU_EXPORT agpu_object *agpu_mpi_code(agpu_object *object,
                                       const char *location);

/// The same of values: compiled code declares each function for one type.
AGPU_EXPORT agpu_object *agpu_mpi_number_code(agpu_object *object,
                                              const char *location);
AGPU_EXPORT agpu_object *agpu_mpi_comm_code(agpu_object *object,
                                            const char *location);

/// The class of the error that a start with AGPU_MPI_CODED has ended in, or 0.
/// Takes over a reference of `object`.
AGPU_EXPORT int32_t agpu_mpi_start_code(agpu_object *object);

#ifdef __cplusplus
}
#endif

#endif // ASYNC_GPU_COMPILED_MPI_H
