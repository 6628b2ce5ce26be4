//===- temporary.h - Files that are gone afterwards -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder in TMPDIR (or /tmp) for what goes to another program and comes back.
// It goes with agpu__temporary_destroy, and in a tool, which asks for that,
// also when SIGINT, SIGTERM or SIGHUP ends the process. A folder is used by one
// thread; each may have its own.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_TEMPORARY_H
#define ASYNC_GPU_LOWER_TEMPORARY_H

#include "lower/ir/text.h"

typedef struct agpu__temporary agpu__temporary;

/// For the main function of a tool, before it makes any: signals that end the
/// process remove the folders first. A signal that is ignored stays so.
void agpu__temporary_remove_on_signals(void);

/// Removes all folders that there are. For a signal handler, of whatever
/// signal, before it ends the process.
void agpu__temporary_remove_all(void);

/// A new empty folder; NULL after a message is appended to `error`.
agpu__temporary *agpu__temporary_create(agpu__text *error);

/// The path of the file `name` in the folder, which is the folder's. The file
/// itself is the caller's to make. At most four for each folder.
const char *agpu__temporary_file(agpu__temporary *self, const char *name);

/// Runs a command, looked for in PATH, to its end, with its output in the file
/// `log` or, for NULL, where ours goes. Returns 0 with the wait status in
/// `*out_status`, or the errno for which it did not start. If a signal ends a
/// tool meanwhile, the command ends as well.
int agpu__temporary_run(agpu__temporary *self, char *const *arguments,
                        const char *log, int *out_status);

/// A new empty file beside `path`, for what is to be written whole or not at
/// all, open in `*out_file`, which the caller closes. NULL with errno set.
agpu__temporary *agpu__temporary_beside(const char *path, int *out_file);

/// Puts that file in the place of `path`. False with errno set; the file is
/// then removed by agpu__temporary_destroy, as one that has not become anything
/// is.
bool agpu__temporary_become(agpu__temporary *self, const char *path);

/// Removes the files and the folder. NULL is allowed.
void agpu__temporary_destroy(agpu__temporary *self);

#endif // ASYNC_GPU_LOWER_TEMPORARY_H
