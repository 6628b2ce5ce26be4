//===- target_options.c - What machine to compile for ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "target_options.h"

#include <sys/stat.h>

static bool is_folder(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool agpu__target_options_check(agpu__opt_options *o) {
  bool code = o->emit == AGPU_EMIT_LLVM || o->emit == AGPU_EMIT_ASM ||
              o->emit == AGPU_EMIT_OBJ;
  const char *sysroot = o->link_settings.sysroot;
  if (o->target.triple && !code) {
    agpu__tool_error(AGPU_OPT_NAME, "'--target' is about code: '--emit' says "
                                    "llvm, asm, obj or exe");
    return false;
  }
  if (sysroot && !o->link) {
    agpu__tool_error(AGPU_OPT_NAME,
                     "'--sysroot' is what '--emit=exe' links with");
    return false;
  }
  if (sysroot && !is_folder(sysroot)) {
    agpu__tool_error(AGPU_OPT_NAME, "'--sysroot': '%s' is no folder", sysroot);
    return false;
  }
  agpu__text error = {0};
  bool ok = agpu__target_check(&o->target, &error);
  if (ok)
    o->link_settings.multiarch = agpu__target_multiarch(&o->target);
  else
    agpu__tool_error(AGPU_OPT_NAME, "%s", error.data);
  agpu__text_free(&error);
  return ok;
}
