//===- pool.c - Which streams are lent ------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/calls/loan.h"
#include "support.h"

/// A loan that has a stream: who enqueues nothing needs none.
static agpu_stream *acquire(void) {
  agpu_stream *loan = agpu_stream_acquire(NULL);
  CHECK(!loan->stream);
  CHECK(agpu__loan_begin(loan, &(agpu__op_name){.what = "work"}));
  CHECK(loan->stream);
  return loan;
}

// The test has ASYNC_GPU_STREAMS=3.
int main(void) {
  agpu_stream *loans[5];
  for (int i = 0; i < 3; ++i) {
    // Streams are created before any is used again, so that regions that are
    // enqueued one after another run side by side.
    loans[i] = acquire();
    for (int j = 0; j < i; ++j)
      CHECK(loans[i]->stream != loans[j]->stream);
  }
  // A free one before one that is lent; the one that was free for longest.
  agpu__pool_stream *first = loans[0]->stream, *last = loans[2]->stream;
  agpu_stream_release(loans[2]);
  agpu_stream_release(loans[0]);
  loans[0] = acquire();
  loans[2] = acquire();
  CHECK(loans[0]->stream == last);
  CHECK(loans[2]->stream == first);
  // All lent: shared, and not all by the same.
  loans[3] = acquire();
  loans[4] = acquire();
  CHECK(loans[3]->stream != loans[4]->stream);
  agpu_runtime_counters counters;
  agpu_runtime_get_counters(&counters);
  CHECK_EQ(counters.streams, 5);
  for (int i = 0; i < 5; ++i)
    agpu_stream_release(loans[i]);
  check_end();
  return 0;
}
