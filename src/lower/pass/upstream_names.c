//===- upstream_names.c - Which passes upstream has -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's C API cannot list passes. Their names come from the headers that the
// build uses (cmake/ListPasses.cmake); what the library at hand does not know
// is left out.
//
//===----------------------------------------------------------------------===//

#include "lower/pass/pipeline.h"

#include "lower/ir/embedded.h"

#include <stdlib.h>
#include <string.h>

void agpu__upstream_each_pass(MlirContext context,
                              void (*visit)(const char *name,
                                            const char *description,
                                            void *data),
                              void *data) {
  const char *line = agpu__embedded("upstream-passes.txt");
  while (line && *line) {
    size_t size = strcspn(line, "\n"), name_size = strcspn(line, "\t\n");
    AGPU__OWNED char *name = agpu__format("%.*s", (int)name_size, line);
    AGPU__OWNED char *description =
        agpu__format("%.*s", (int)(size - name_size - (name_size < size)),
                     line + name_size + (name_size < size));
    if (*name && agpu__pass_exists(context, name))
      visit(name, description, data);
    line += size + (line[size] == '\n');
  }
}
