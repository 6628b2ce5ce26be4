//===- cupti_layout.c - CUPTI's records as its headers have them ----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled where the headers are found, of whatever release. That it compiles
// is most of the test: the records of all releases that they declare are
// compared. Where the library is there too, it has the functions.
//
//===----------------------------------------------------------------------===//

// Names that both sides have for the same.
#define CUptiResult ours_result
#define CUPTI_SUCCESS ours_success
#define CUPTI_ERROR_MAX_LIMIT_REACHED ours_no_more
#define CUPTI_ERROR_MULTIPLE_SUBSCRIBERS ours_subscribers
#include "gpu/trace/cupti_api.h"
#undef CUptiResult
#undef CUPTI_SUCCESS
#undef CUPTI_ERROR_MAX_LIMIT_REACHED
#undef CUPTI_ERROR_MULTIPLE_SUBSCRIBERS

#include <cuda.h>
#include <cupti.h>
#include <cupti_activity_deprecated.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>

#define SAME(a, b) _Static_assert((int)(a) == (int)(b), #a)
#define TIMES(record)                                                          \
  SAME(offsetof(record, kind), offsetof(agpu__cupti_work, kind));              \
  SAME(offsetof(record, start), offsetof(agpu__cupti_work, start));            \
  SAME(offsetof(record, end), offsetof(agpu__cupti_work, end))
#define WORK(record, at)                                                       \
  TIMES(record);                                                               \
  SAME(offsetof(record, correlationId), at)

WORK(CUpti_ActivityKernel4, AGPU__CUPTI_KERNEL_CORRELATION);
WORK(CUpti_ActivityKernel5, AGPU__CUPTI_KERNEL_CORRELATION);
WORK(CUpti_ActivityKernel8, AGPU__CUPTI_KERNEL_CORRELATION);
WORK(CUpti_ActivityKernel9, AGPU__CUPTI_KERNEL_CORRELATION);
WORK(CUpti_ActivityMemcpy, AGPU__CUPTI_COPY_CORRELATION);
WORK(CUpti_ActivityMemcpy4, AGPU__CUPTI_COPY_CORRELATION);
WORK(CUpti_ActivityMemcpy5, AGPU__CUPTI_COPY_CORRELATION);
WORK(CUpti_ActivityMemcpyPtoP3, AGPU__CUPTI_PEER_COPY_CORRELATION);
WORK(CUpti_ActivityMemcpyPtoP4, AGPU__CUPTI_PEER_COPY_CORRELATION);
WORK(CUpti_ActivityMemset, AGPU__CUPTI_FILL_CORRELATION);
WORK(CUpti_ActivityMemset4, AGPU__CUPTI_FILL_CORRELATION);
#if CUPTI_API_VERSION >= 130000
WORK(CUpti_ActivityKernel10, AGPU__CUPTI_KERNEL_CORRELATION);
WORK(CUpti_ActivityMemcpy6, AGPU__CUPTI_COPY_CORRELATION);
#endif

#define EXTERNAL(theirs, ours)                                                 \
  SAME(offsetof(CUpti_ActivityExternalCorrelation, theirs),                    \
       offsetof(agpu__cupti_external, ours))
EXTERNAL(externalKind, external_kind);
EXTERNAL(externalId, external_id);
EXTERNAL(correlationId, correlation);

SAME(CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_KIND_MEMCPY);
SAME(CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_KIND_MEMSET);
SAME(CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_KIND_DRIVER);
SAME(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_KIND_CONCURRENT_KERNEL);
SAME(CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_KIND_MEMCPY_PEER);
SAME(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, CUPTI_KIND_EXTERNAL_CORRELATION);
SAME(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, CUPTI_EXTERNAL_KIND_CUSTOM0);
SAME(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED, CUPTI_FLUSH_FORCED);
SAME(CUPTI_SUCCESS, ours_success);
SAME(CUPTI_ERROR_MAX_LIMIT_REACHED, ours_no_more);
SAME(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, ours_subscribers);

int main(void) {
  void *library = dlopen(CUPTI_LIBRARY, RTLD_NOW);
  if (!library) {
    printf("no library, so its functions were not looked for: %s\n",
           CUPTI_LIBRARY);
    return 0;
  }
  bool complete = true;
  static const char *const names[] = {
#define NAME(name, parameters) "cupti" #name,
      AGPU__CUPTI_FUNCTIONS(NAME)
#undef NAME
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (!dlsym(library, names[i])) {
      fprintf(stderr, "the library has no %s\n", names[i]);
      complete = false;
    }
  return !complete;
}
