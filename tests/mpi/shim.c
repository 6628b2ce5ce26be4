//===- shim.c - An MPI library that is slow, late and fails ------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A profiling layer (PMPI) that is loaded in front of a library. It is built
// once for each, with its mpi.h. Variables of the environment:
//
//   MPI_SHIM_FAIL=Isend:3    the third call of MPI_Isend on a rank fails;
//                            also of Issend, Irecv, Iallreduce, Ialltoallw,
//                            Ireduce_scatter, Ibarrier, Comm_rank, Comm_size,
//                            Comm_split, Finalize, Init, and Done: the third
//                            request that ends has ended in an error
//   MPI_SHIM_RANK=1          on this rank alone
//   MPI_SHIM_LATENCY_US=1000 no request ends sooner behind its start
//   MPI_SHIM_SEED=7          requests end up to 3 ms later, by this seed, and
//                            so in another order
//   MPI_SHIM_THREADS=1       the level of threads that the library gives
//   MPI_SHIM_INIT_MS=100     MPI_Init_thread takes longer by that. No other
//                            thread may look for a setting of async-gpu in that
//                            call, which changes the environment
//   MPI_SHIM_PIECES=1        rank 0 says at the end how many pieces of messages
//                            it has sent
//   MPI_SHIM_CUDA=1          it takes device memory: by way of a copy of all
//                            bytes between first and last, of which what has
//                            changed goes back. Rank 0 says at the end how many
//                            calls were given such memory
//
// Requests that may not have ended yet are kept from the library's tests.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include <mpi.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/// Memory of a device, and what the library is given in its place.
typedef struct mirror {
  uintptr_t device; // 0: there is none
  size_t bytes;
  char *now, *before;
} mirror;

typedef struct pending {
  MPI_Request request;
  int64_t due;     // ns
  mirror from, to; // what it reads and writes
} pending;

static struct {
  pthread_mutex_t lock;
  bool is_read;
  const char *fails; // NULL: nothing
  size_t fails_length;
  long fails_at;
  int rank; // -1: all
  int64_t latency;
  uint64_t random;
  int threads; // 0: what the library gives
  long calls;  // of what fails
  int pieces;  // sent
  pending *list;
  size_t count, capacity;
} shim = {.lock = PTHREAD_MUTEX_INITIALIZER, .rank = -1};

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static long number(const char *name, long otherwise) {
  const char *text = getenv(name);
  return text && *text ? strtol(text, NULL, 10) : otherwise;
}

/// Under the lock.
static void read_settings(void) {
  if (shim.is_read)
    return;
  shim.is_read = true;
  shim.fails = getenv("MPI_SHIM_FAIL");
  const char *colon = shim.fails ? strchr(shim.fails, ':') : NULL;
  if (!colon)
    shim.fails = NULL;
  else {
    shim.fails_length = (size_t)(colon - shim.fails);
    shim.fails_at = strtol(colon + 1, NULL, 10);
  }
  shim.rank = (int)number("MPI_SHIM_RANK", -1);
  shim.latency = (int64_t)number("MPI_SHIM_LATENCY_US", 0) * 1000;
  shim.random = (uint64_t)number("MPI_SHIM_SEED", 0);
  shim.threads = (int)number("MPI_SHIM_THREADS", 0);
}

static int own_rank(void) {
  int there = 0, rank = -1;
  if (PMPI_Initialized(&there) || !there)
    return -1;
  (void)PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// Whether this call is the one that fails.
static bool fails(const char *name) {
  pthread_mutex_lock(&shim.lock);
  read_settings();
  bool counts = shim.fails && strlen(name) == shim.fails_length &&
                !strncmp(name, shim.fails, shim.fails_length) &&
                (shim.rank < 0 || own_rank() == shim.rank);
  bool does = counts && ++shim.calls == shim.fails_at;
  pthread_mutex_unlock(&shim.lock);
  return does;
}

//===----------------------------------------------------------------------===//
// Device memory
//===----------------------------------------------------------------------===//

static struct {
  pthread_once_t once;
  int (*get_attribute)(void *, int, uintptr_t);
  int (*retain)(void **, int), (*enter)(void *);
  int (*make_stream)(void **, unsigned), (*synchronize)(void *);
  int (*copy)(uintptr_t, uintptr_t, size_t, void *);
  bool is_there;
} cuda = {.once = PTHREAD_ONCE_INIT};
static int device_calls;

static void open_cuda(void) {
  const char *wanted = getenv("MPI_SHIM_CUDA");
  void *library = wanted ? dlopen("libcuda.so.1", RTLD_NOW) : NULL;
  if (!library)
    return;
  *(void **)&cuda.get_attribute = dlsym(library, "cuPointerGetAttribute");
  *(void **)&cuda.retain = dlsym(library, "cuDevicePrimaryCtxRetain");
  *(void **)&cuda.enter = dlsym(library, "cuCtxSetCurrent");
  *(void **)&cuda.make_stream = dlsym(library, "cuStreamCreate");
  *(void **)&cuda.synchronize = dlsym(library, "cuStreamSynchronize");
  *(void **)&cuda.copy = dlsym(library, "cuMemcpyAsync");
  cuda.is_there = cuda.get_attribute && cuda.retain && cuda.enter &&
                  cuda.make_stream && cuda.synchronize && cuda.copy;
}

/// Copies on a stream of device 0, and waits. Under the lock.
static void copy(uintptr_t to, uintptr_t from, size_t bytes) {
  static void *context, *stream;
  if (!context && cuda.retain(&context, 0))
    abort();
  if (cuda.enter(context) || (!stream && cuda.make_stream(&stream, 1)) ||
      cuda.copy(to, from, bytes, stream) || cuda.synchronize(stream))
    abort();
}

int MPIX_Query_cuda_support(void) {
  pthread_once(&cuda.once, open_cuda);
  return cuda.is_there;
}

/// What the library is to be given for `pointer`.
static void *reflect(const void *pointer, int count, MPI_Datatype type,
                     mirror *out) {
  unsigned kind = 0;
  *out = (mirror){0};
  // CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_MEMORYTYPE_DEVICE
  if (!MPIX_Query_cuda_support() || count == 0 || pointer == MPI_IN_PLACE ||
      cuda.get_attribute(&kind, 2, (uintptr_t)pointer) || kind != 2)
    return (void *)pointer;
  MPI_Aint low, extent, first, bytes;
  PMPI_Type_get_extent(type, &low, &extent);
  PMPI_Type_get_true_extent(type, &first, &bytes);
  bytes += (count - 1) * extent;
  *out = (mirror){.device = (uintptr_t)pointer + (uintptr_t)first,
                  .bytes = (size_t)bytes,
                  .now = malloc((size_t)bytes),
                  .before = malloc((size_t)bytes)};
  if (!out->now || !out->before)
    abort();
  pthread_mutex_lock(&shim.lock);
  copy((uintptr_t)out->now, out->device, out->bytes);
  pthread_mutex_unlock(&shim.lock);
  memcpy(out->before, out->now, out->bytes);
  return out->now - first;
}

/// Writes what has come to the device, and nothing beside it.
static void write_back(const mirror *of) {
  if (!of->device)
    return;
  for (size_t i = 0, end; i < of->bytes; i = end) {
    for (end = i; end < of->bytes && of->now[end] != of->before[end];)
      ++end;
    if (end == i)
      ++end;
    else
      copy(of->device + i, (uintptr_t)(of->now + i), end - i);
  }
}

static void drop(const mirror *of) {
  free(of->now);
  free(of->before);
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

/// A request has begun, or not.
static int begin_with(int code, const MPI_Request *request, mirror from,
                      mirror to) {
  pthread_mutex_lock(&shim.lock);
  read_settings();
  bool is_of_device = from.device || to.device;
  device_calls += is_of_device;
  if (code) {
    drop(&from);
    drop(&to);
  }
  if (!code && (shim.latency || shim.random || is_of_device)) {
    int64_t late = shim.latency;
    if (shim.random) {
      shim.random = shim.random * 6364136223846793005u + 1442695040888963407u;
      late += (int64_t)(shim.random >> 40) % 3000000;
    }
    if (shim.count == shim.capacity) {
      shim.capacity = shim.capacity ? 2 * shim.capacity : 64;
      shim.list = realloc(shim.list, shim.capacity * sizeof *shim.list);
      if (!shim.list)
        abort();
    }
    shim.list[shim.count++] = (pending){*request, now() + late, from, to};
  }
  pthread_mutex_unlock(&shim.lock);
  return code;
}

static int begin(int code, const MPI_Request *request) {
  return begin_with(code, request, (mirror){0}, (mirror){0});
}

/// Whether the library may say that it has ended.
static bool is_due(MPI_Request request) {
  bool due = true;
  pthread_mutex_lock(&shim.lock);
  for (size_t i = 0; i < shim.count; ++i)
    if (shim.list[i].request == request) {
      due = shim.list[i].due <= now();
      break;
    }
  pthread_mutex_unlock(&shim.lock);
  return due;
}

/// A library may have given the handle to the next request by now, which comes
/// behind this one: the list keeps its order.
static void forget(MPI_Request request) {
  pthread_mutex_lock(&shim.lock);
  for (size_t i = 0; i < shim.count; ++i)
    if (shim.list[i].request == request) {
      write_back(&shim.list[i].to);
      drop(&shim.list[i].from);
      drop(&shim.list[i].to);
      --shim.count;
      memmove(&shim.list[i], &shim.list[i + 1],
              (shim.count - i) * sizeof *shim.list);
      break;
    }
  pthread_mutex_unlock(&shim.lock);
}

static atomic_bool is_initializing;
static pthread_t initializer;

char *secure_getenv(const char *name) {
  if (atomic_load(&is_initializing) && !strncmp(name, "ASYNC_GPU_", 10) &&
      !pthread_equal(pthread_self(), initializer)) {
    fprintf(stderr, "shim: %s is read while MPI is initialized\n", name);
    _exit(1);
  }
  char *(*get)(const char *);
  void *address = dlsym(RTLD_NEXT, "secure_getenv");
  memcpy(&get, &address, sizeof get);
  return get(name);
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  if (fails("Init"))
    return MPI_ERR_OTHER;
  if (shim.threads && shim.threads < required)
    required = shim.threads;
  const long ms = number("MPI_SHIM_INIT_MS", 0);
  initializer = pthread_self();
  atomic_store(&is_initializing, ms > 0);
  (void)nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
  int code = PMPI_Init_thread(argc, argv, required, provided);
  atomic_store(&is_initializing, false);
  if (shim.threads && shim.threads < *provided)
    *provided = shim.threads;
  return code;
}

int MPI_Finalize(void) {
  if (getenv("MPI_SHIM_PIECES") && own_rank() == 0)
    fprintf(stderr, "shim: %d pieces were sent\n", shim.pieces);
  if (MPIX_Query_cuda_support() && own_rank() == 0)
    fprintf(stderr, "shim: %d calls were given device memory\n", device_calls);
  return fails("Finalize") ? MPI_ERR_OTHER : PMPI_Finalize();
}

int MPI_Comm_rank(MPI_Comm comm, int *rank) {
  return fails("Comm_rank") ? MPI_ERR_COMM : PMPI_Comm_rank(comm, rank);
}

int MPI_Comm_size(MPI_Comm comm, int *size) {
  return fails("Comm_size") ? MPI_ERR_COMM : PMPI_Comm_size(comm, size);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made) {
  return fails("Comm_split") ? MPI_ERR_OTHER
                             : PMPI_Comm_split(comm, color, key, made);
}

int MPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag,
              MPI_Comm comm, MPI_Request *request) {
  if (fails("Isend"))
    return MPI_ERR_OTHER;
  mirror out;
  from = reflect(from, count, type, &out);
  return begin_with(PMPI_Isend(from, count, type, to, tag, comm, request),
                    request, out, (mirror){0});
}

/// Pieces of messages are sent so: what the runtime gives is the host's.
int MPI_Issend(const void *from, int count, MPI_Datatype type, int to, int tag,
               MPI_Comm comm, MPI_Request *request) {
  if (fails("Issend"))
    return MPI_ERR_OTHER;
  pthread_mutex_lock(&shim.lock);
  ++shim.pieces;
  pthread_mutex_unlock(&shim.lock);
  return begin(PMPI_Issend(from, count, type, to, tag, comm, request), request);
}

int MPI_Irecv(void *to, int count, MPI_Datatype type, int from, int tag,
              MPI_Comm comm, MPI_Request *request) {
  if (fails("Irecv"))
    return MPI_ERR_OTHER;
  mirror in;
  to = reflect(to, count, type, &in);
  return begin_with(PMPI_Irecv(to, count, type, from, tag, comm, request),
                    request, (mirror){0}, in);
}

int MPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type,
                   MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  if (fails("Iallreduce"))
    return MPI_ERR_OTHER;
  mirror out, in;
  from = reflect(from, count, type, &out);
  to = reflect(to, count, type, &in);
  return begin_with(PMPI_Iallreduce(from, to, count, type, op, comm, request),
                    request, out, in);
}

int MPI_Ireduce_scatter(const void *from, void *to, const int counts[],
                        MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                        MPI_Request *request) {
  if (fails("Ireduce_scatter"))
    return MPI_ERR_OTHER;
  int ranks, rank, all = 0;
  PMPI_Comm_size(comm, &ranks);
  PMPI_Comm_rank(comm, &rank);
  for (int i = 0; i < ranks; ++i)
    all += counts[i];
  mirror out, in;
  from = reflect(from, all, type, &out);
  to = reflect(to, counts[rank], type, &in);
  return begin_with(
      PMPI_Ireduce_scatter(from, to, counts, type, op, comm, request), request,
      out, in);
}

int MPI_Ialltoallw(const void *from, const int from_counts[],
                   const int from_offsets[], const MPI_Datatype from_types[],
                   void *to, const int to_counts[], const int to_offsets[],
                   const MPI_Datatype to_types[], MPI_Comm comm,
                   MPI_Request *request) {
  if (fails("Ialltoallw"))
    return MPI_ERR_OTHER;
  return begin(PMPI_Ialltoallw(from, from_counts, from_offsets, from_types, to,
                               to_counts, to_offsets, to_types, comm, request),
               request);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request) {
  if (fails("Ibarrier"))
    return MPI_ERR_OTHER;
  return begin(PMPI_Ibarrier(comm, request), request);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  MPI_Request was = *request;
  *flag = 0;
  if (!is_due(was))
    return MPI_SUCCESS;
  int code = PMPI_Test(request, flag, status);
  if (!*flag)
    return code;
  forget(was);
  return fails("Done") ? MPI_ERR_OTHER : code;
}

/// Those that are due go to the library, and what it says comes back.
int MPI_Testsome(int count, MPI_Request *requests, int *done, int *indices,
                 MPI_Status *statuses) {
  MPI_Request due[count ? count : 1];
  int places[count ? count : 1];
  int some = 0;
  for (int i = 0; i < count; ++i)
    if (is_due(requests[i])) {
      places[some] = i;
      due[some++] = requests[i];
    }
  *done = 0;
  if (!some)
    return MPI_SUCCESS;
  int code = PMPI_Testsome(some, due, done, indices, statuses);
  bool in_status = code == MPI_ERR_IN_STATUS;
  for (int i = 0; i < *done; ++i) {
    int place = places[indices[i]];
    forget(requests[place]);
    requests[place] = due[indices[i]];
    indices[i] = place;
    if (!in_status)
      statuses[i].MPI_ERROR = MPI_SUCCESS;
    if (fails("Done")) {
      statuses[i].MPI_ERROR = MPI_ERR_OTHER;
      code = MPI_ERR_IN_STATUS;
    }
  }
  return code;
}

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses) {
  for (int i = 0; i < count; ++i)
    while (requests[i] != MPI_REQUEST_NULL) {
      int flag;
      MPI_Status status;
      int code = MPI_Test(&requests[i], &flag, &status);
      if (code)
        return code;
      if (flag && statuses != MPI_STATUSES_IGNORE)
        statuses[i] = status;
      // Ranks share the machine's CPUs with each other.
      if (!flag)
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
  return MPI_SUCCESS;
}

// What upstream's lowering calls.

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  return MPI_Waitall(
      1, request, status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status);
}

int MPI_Send(const void *from, int count, MPI_Datatype type, int to, int tag,
             MPI_Comm comm) {
  MPI_Request request;
  int code = MPI_Isend(from, count, type, to, tag, comm, &request);
  return code ? code : MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int MPI_Recv(void *to, int count, MPI_Datatype type, int from, int tag,
             MPI_Comm comm, MPI_Status *status) {
  MPI_Request request;
  int code = MPI_Irecv(to, count, type, from, tag, comm, &request);
  return code ? code : MPI_Wait(&request, status);
}
