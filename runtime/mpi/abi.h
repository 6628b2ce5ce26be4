//===- abi.h - The table from a library ---------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by openmpi.c and mpich.c alone: the same code for two
// binary interfaces. In front of it stand, for that interface,
//
//   native           the type of a handle
//   native_status    MPI_Status
//   OWN(openmpi, mpich)                      which of two columns is its own
//   WORLD, SHARED, IN_PLACE, UNDEFINED, INFO_NULL   what MPI calls so
//   to_native, from_native                   conversions of handles
//   bytes_of(status)                         what a message had
//
//===----------------------------------------------------------------------===//

/// X(name, parameters): what is looked up.
#define FUNCTIONS(X)                                                           \
  X(Initialized, (int *))                                                      \
  X(Finalized, (int *))                                                        \
  X(Init_thread, (int *, char ***, int, int *))                                \
  X(Query_thread, (int *))                                                     \
  X(Finalize, (void))                                                          \
  X(Abort, (native, int))                                                      \
  X(Comm_rank, (native, int *))                                                \
  X(Comm_size, (native, int *))                                                \
  X(Comm_dup, (native, native *))                                              \
  X(Comm_split, (native, int, int, native *))                                  \
  X(Comm_split_type, (native, int, int, native, native *))                     \
  X(Comm_free, (native *))                                                     \
  X(Comm_set_errhandler, (native, native))                                     \
  X(Comm_group, (native, native *))                                            \
  X(Group_translate_ranks, (native, int, const int *, native, int *))          \
  X(Group_free, (native *))                                                    \
  X(Isend, (const void *, int, native, int, int, native, native *))            \
  X(Issend, (const void *, int, native, int, int, native, native *))           \
  X(Irecv, (void *, int, native, int, int, native, native *))                  \
  X(Iallreduce, (const void *, void *, int, native, native, native, native *)) \
  X(Ireduce_scatter,                                                           \
    (const void *, void *, const int *, native, native, native, native *))     \
  X(Ibarrier, (native, native *))                                              \
  X(Op_create, (void (*)(void *, void *, int *, native *), int, native *))     \
  X(Ialltoallw,                                                                \
    (const void *, const int *, const int *, const native *, void *,           \
     const int *, const int *, const native *, native, native *))              \
  X(Testsome, (int, native *, int *, int *, native_status *))                  \
  X(Test, (native *, int *, native_status *))                                  \
  X(Type_contiguous, (int, native, native *))                                  \
  X(Type_create_hvector, (int, int, intptr_t, native, native *))               \
  X(Type_create_struct, (int, int *, intptr_t *, native *, native *))          \
  X(Type_commit, (native *))                                                   \
  X(Type_free, (native *))                                                     \
  X(Error_class, (int, int *))                                                 \
  X(Error_string, (int, char *, int *))

static struct {
#define MEMBER(name, parameters) int(*name) parameters;
  FUNCTIONS(MEMBER)
#undef MEMBER
  void *library; ///< of dlopen
} mpi;

/// By the dialect's number of a class, the library's.
static const int classes[] = {
#define CLASS(name, openmpi, mpich) OWN(openmpi, mpich),
    AGPU_MPI_ERROR_CLASSES(CLASS)
#undef CLASS
};

/// The dialect's number of a class.
static int32_t own_class(int class) {
  for (int32_t i = 0; i < AGPU_MPI_ERROR_CLASS_COUNT; ++i)
    if (classes[i] == class)
      return i;
  return AGPU_MPI_ERR_UNKNOWN;
}

static int init_thread(int required, int *out_provided) {
  return mpi.Init_thread(NULL, NULL, required, out_provided);
}

static int abort_all(agpu__mpi_handle comm, int status) {
  return mpi.Abort(to_native(comm), status);
}

static int comm_rank(agpu__mpi_handle comm, int *out_rank) {
  return mpi.Comm_rank(to_native(comm), out_rank);
}

static int comm_size(agpu__mpi_handle comm, int *out_size) {
  return mpi.Comm_size(to_native(comm), out_size);
}

/// Returns the code of a call that makes `made`, which becomes `*out`.
#define MAKE(out, call)                                                        \
  do {                                                                         \
    native made;                                                               \
    int code = mpi.call;                                                       \
    if (!code)                                                                 \
      *(out) = from_native(made);                                              \
    return code;                                                               \
  } while (0)

static int comm_dup(agpu__mpi_handle comm, agpu__mpi_handle *out_comm) {
  MAKE(out_comm, Comm_dup(to_native(comm), &made));
}

static int comm_split(agpu__mpi_handle comm, int color, int key,
                      agpu__mpi_handle *out_comm) {
  MAKE(out_comm, Comm_split(to_native(comm), color, key, &made));
}

static int comm_split_shared(agpu__mpi_handle comm,
                             agpu__mpi_handle *out_comm) {
  MAKE(out_comm, Comm_split_type(to_native(comm), SHARED, 0,
                                 to_native(INFO_NULL), &made));
}

#define REDUCE(name)                                                           \
  static void reduce_##name(void *from, void *to, int *count, native *type) {  \
    const agpu__mpi_library *library = &agpu__the_mpi_world.library;           \
    if (from_native(*type) == library->types[AGPU_MPI_DOUBLE])                 \
      agpu__mpi_reduce_doubles(AGPU_MPI_##name, from, to, *count);             \
    else                                                                       \
      agpu__mpi_reduce_floats(AGPU_MPI_##name, from, to, *count);              \
  }
AGPU_MPI_OWN_REDUCTIONS(REDUCE)
#undef REDUCE

static int make_own_reductions(agpu__mpi_handle *reductions) {
  static const struct {
    void (*reduce)(void *, void *, int *, native *);
    agpu_mpi_reduction reduction;
  } all[] = {
#define OWN_REDUCTION(name) {reduce_##name, AGPU_MPI_##name},
      AGPU_MPI_OWN_REDUCTIONS(OWN_REDUCTION)
#undef OWN_REDUCTION
  };
  int code = 0;
  for (size_t i = 0; !code && i < sizeof all / sizeof *all; ++i) {
    native made;
    code = mpi.Op_create(all[i].reduce, 1, &made);
    if (!code)
      reductions[all[i].reduction] = from_native(made);
  }
  return code;
}

static int comm_free(agpu__mpi_handle comm) {
  native of = to_native(comm);
  return mpi.Comm_free(&of);
}

static int comm_set_errhandler(agpu__mpi_handle comm,
                               agpu__mpi_handle handler) {
  return mpi.Comm_set_errhandler(to_native(comm), to_native(handler));
}

static int world_rank(agpu__mpi_handle comm, int rank, int *out_rank) {
  native group, all;
  int code = mpi.Comm_group(to_native(comm), &group);
  if (code)
    return code;
  code = mpi.Comm_group((native)WORLD, &all);
  if (!code) {
    code = mpi.Group_translate_ranks(group, 1, &rank, all, out_rank);
    (void)mpi.Group_free(&all);
  }
  (void)mpi.Group_free(&group);
  return code;
}

static int isend(const void *from, int count, agpu__mpi_handle type, int to,
                 int tag, agpu__mpi_handle comm,
                 agpu__mpi_handle *out_request) {
  MAKE(out_request,
       Isend(from, count, to_native(type), to, tag, to_native(comm), &made));
}

static int issend(const void *from, int count, agpu__mpi_handle type, int to,
                  int tag, agpu__mpi_handle comm,
                  agpu__mpi_handle *out_request) {
  MAKE(out_request,
       Issend(from, count, to_native(type), to, tag, to_native(comm), &made));
}

static int irecv(void *to, int count, agpu__mpi_handle type, int from, int tag,
                 agpu__mpi_handle comm, agpu__mpi_handle *out_request) {
  MAKE(out_request,
       Irecv(to, count, to_native(type), from, tag, to_native(comm), &made));
}

static int iallreduce(const void *from, void *to, int count,
                      agpu__mpi_handle type, agpu__mpi_handle op,
                      agpu__mpi_handle comm, agpu__mpi_handle *out_request) {
  MAKE(out_request,
       Iallreduce(from ? from : IN_PLACE, to, count, to_native(type),
                  to_native(op), to_native(comm), &made));
}

static int ireduce_scatter(const void *from, void *to, const int *counts,
                           agpu__mpi_handle type, agpu__mpi_handle op,
                           agpu__mpi_handle comm,
                           agpu__mpi_handle *out_request) {
  MAKE(out_request, Ireduce_scatter(from, to, counts, to_native(type),
                                    to_native(op), to_native(comm), &made));
}

static int ibarrier(agpu__mpi_handle comm, agpu__mpi_handle *out_request) {
  MAKE(out_request, Ibarrier(to_native(comm), &made));
}

static int ialltoallw(const void *from, const int *from_counts,
                      const int *from_offsets, const void *from_types, void *to,
                      const int *to_counts, const int *to_offsets,
                      const void *to_types, agpu__mpi_handle comm,
                      agpu__mpi_handle *out_request) {
  MAKE(out_request,
       Ialltoallw(from, from_counts, from_offsets, from_types, to, to_counts,
                  to_offsets, to_types, to_native(comm), &made));
}

static void put(void *requests, int index, agpu__mpi_handle request) {
  ((native *)requests)[index] = to_native(request);
}

static int testsome(int count, const agpu__mpi_handle *requests, int *out_count,
                    int *indices, agpu__mpi_ended *ends) {
  native of[AGPU__MPI_MOST_TESTED];
  native_status statuses[AGPU__MPI_MOST_TESTED];
  for (int i = 0; i < count; ++i) {
    of[i] = to_native(requests[i]);
    statuses[i].MPI_ERROR = 0;
  }
  int done = 0;
  int code = mpi.Testsome(count, of, &done, indices, statuses);
  bool in_status = code && own_class(code) == AGPU_MPI_ERR_IN_STATUS;
  if (code && !in_status)
    return code;
  *out_count = done == UNDEFINED ? 0 : done; // without requests
  for (int i = 0; i < *out_count; ++i)
    ends[i] = (agpu__mpi_ended){in_status ? statuses[i].MPI_ERROR : 0,
                                bytes_of(&statuses[i]), statuses[i].MPI_SOURCE,
                                statuses[i].MPI_TAG};
  return 0;
}

static bool test(agpu__mpi_handle *request, agpu__mpi_ended *out_end) {
  native of = to_native(*request);
  native_status status = {0};
  int flag = 0;
  int code = mpi.Test(&of, &flag, &status);
  if (!code && !flag)
    return false;
  *request = from_native(of);
  *out_end = (agpu__mpi_ended){code, bytes_of(&status), status.MPI_SOURCE,
                               status.MPI_TAG};
  return true;
}

static int type_contiguous(int count, agpu__mpi_handle of,
                           agpu__mpi_handle *out_type) {
  MAKE(out_type, Type_contiguous(count, to_native(of), &made));
}

static int type_strided(int count, intptr_t stride, agpu__mpi_handle of,
                        agpu__mpi_handle *out_type) {
  MAKE(out_type, Type_create_hvector(count, 1, stride, to_native(of), &made));
}

static int type_pair(agpu__mpi_handle a, agpu__mpi_handle b, intptr_t offset,
                     agpu__mpi_handle *out_type) {
  native both[] = {to_native(a), to_native(b)};
  int lengths[] = {1, 1};
  intptr_t offsets[] = {0, offset};
  MAKE(out_type, Type_create_struct(2, lengths, offsets, both, &made));
}

static int type_at(agpu__mpi_handle of, int count, intptr_t offset,
                   agpu__mpi_handle *out_type) {
  native part = to_native(of);
  MAKE(out_type, Type_create_struct(1, &count, &offset, &part, &made));
}

static int type_commit(agpu__mpi_handle *type) {
  native of = to_native(*type);
  return mpi.Type_commit(&of);
}

static int type_free(agpu__mpi_handle *type) {
  native of = to_native(*type);
  return mpi.Type_free(&of);
}

static int32_t error_class(int code) {
  int class;
  if (code == 0)
    return AGPU_MPI_SUCCESS;
  if (mpi.Error_class(code, &class) != 0)
    return AGPU_MPI_ERR_UNKNOWN;
  return own_class(class);
}

static void error_string(int code, char *buffer) {
  int length = 0;
  if (mpi.Error_string(code, buffer, &length) != 0)
    length = 0;
  buffer[length] = '\0';
}

/// Looks everything up. What stands in front of the library, as a profiling
/// layer that was loaded before it does, is called instead of it.
static bool find_functions(void *library, const char **out_missing) {
  mpi.library = library;
  static const struct {
    const char *name;
    void *place;
  } all[] = {
#define ENTRY(name, parameters) {"MPI_" #name, &mpi.name},
      FUNCTIONS(ENTRY)
#undef ENTRY
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    void *address = dlsym(RTLD_DEFAULT, all[i].name);
    if (!address)
      address = dlsym(library, all[i].name);
    *out_missing = all[i].name;
    if (!address)
      return false;
    // POSIX gives functions the representation of object pointers.
    memcpy(all[i].place, &address, sizeof address);
  }
  return true;
}

/// All of the table but names and numbers.
static void fill(void *library, agpu__mpi_library *out) {
  *out = (agpu__mpi_library){
      .world = from_native((native)WORLD),
      .handle_bytes = sizeof(native),
      .truncate = classes[AGPU_MPI_ERR_TRUNCATE],
      .initialized = mpi.Initialized,
      .finalized = mpi.Finalized,
      .init_thread = init_thread,
      .query_thread = mpi.Query_thread,
      .finalize = mpi.Finalize,
      .abort = abort_all,
      .comm_rank = comm_rank,
      .comm_size = comm_size,
      .comm_dup = comm_dup,
      .comm_split = comm_split,
      .comm_split_shared = comm_split_shared,
      .comm_free = comm_free,
      .make_own_reductions = make_own_reductions,
      .comm_set_errhandler = comm_set_errhandler,
      .world_rank = world_rank,
      .isend = isend,
      .issend = issend,
      .irecv = irecv,
      .iallreduce = iallreduce,
      .ireduce_scatter = ireduce_scatter,
      .ibarrier = ibarrier,
      .ialltoallw = ialltoallw,
      .put = put,
      .testsome = testsome,
      .test = test,
      .type_contiguous = type_contiguous,
      .type_strided = type_strided,
      .type_pair = type_pair,
      .type_at = type_at,
      .type_commit = type_commit,
      .type_free = type_free,
      .error_class = error_class,
      .error_string = error_string,
  };
  void *query = dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support");
  if (!query)
    query = dlsym(library, "MPIX_Query_cuda_support");
  memcpy(&out->query_cuda_support, &query, sizeof query);
}
