//===- standstill.c - What a program waits for in vain --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The report is one status. Its message says what is wrong in one line, and
// has a line for each wait, ordered by the objects waited for:
//
//   a.mlir:9:3: error: a group created for 3 members has 2, and nothing is ...
//   a.mlir:5:7: note: a suspended region waits for group 2 (declared: 3 ...)
//   a.mlir:9:3: note: the main thread waits for token 4
//
// An error that nobody has got so far is the more likely cause: then it comes
// first, and the rest is in notes.
//
//===----------------------------------------------------------------------===//

#include "async/standstill.h"

#include "async/awaiter.h"
#include "async/runtime.h"
#include "base/os/thread.h"
#include "base/report/fatal.h"
#include "base/report/settings.h"
#include "base/report/status_track.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Waits that the report lists; the others are counted.
#define LISTED 32

typedef struct wait_list {
  const agpu__awaiter *waits[LISTED]; // those for the oldest objects, in order
  int count;
  int64_t left_out;
  int64_t consumers;              // threads and coroutines, not groups
  const agpu__awaiter *unfilled;  // the first that waits for a group that
                                  // lacks members
  const agpu__awaiter *main_wait; // the first thread's, or NULL
} wait_list;

static const agpu_object *awaited(const agpu__awaiter *wait) {
  return atomic_load_explicit(&wait->object, memory_order_relaxed);
}

static bool lacks_members(const agpu_object *object) {
  return object->kind == AGPU__GROUP &&
         atomic_load_explicit(&object->added, memory_order_relaxed) <
             object->size;
}

static bool is_before(const agpu__awaiter *a, const agpu__awaiter *b) {
  return awaited(a)->number < awaited(b)->number;
}

static void add_wait(const agpu__awaiter *wait, void *argument) {
  wait_list *list = argument;
  if (wait->target != AGPU__TARGET_GROUP) {
    ++list->consumers;
    if (lacks_members(awaited(wait)) &&
        (!list->unfilled || is_before(wait, list->unfilled)))
      list->unfilled = wait;
  }
  // While it helps, the first thread may wait in tasks too.
  if (wait->target == AGPU__TARGET_THREAD && wait->is_main &&
      !(wait->in_task && list->main_wait))
    list->main_wait = wait;

  int at = list->count;
  while (at > 0 && is_before(wait, list->waits[at - 1]))
    --at;
  if (list->count == LISTED) {
    ++list->left_out;
    if (at == LISTED)
      return;
  } else {
    ++list->count;
  }
  memmove(&list->waits[at + 1], &list->waits[at],
          (size_t)(list->count - 1 - at) * sizeof(list->waits[0]));
  list->waits[at] = wait;
}

/// "token 5"; a group with its numbers.
static void print_object(FILE *text, const agpu_object *object) {
  static const char *const names[AGPU__OBJECT_KIND_COUNT] = {
      [AGPU__TOKEN] = "token",
      [AGPU__VALUE] = "value",
      [AGPU__GROUP] = "group",
  };
  (void)fprintf(text, "%s %" PRIu32, names[object->kind], object->number);
  if (object->kind == AGPU__GROUP)
    (void)fprintf(text,
                  " (declared: %" PRId64 " members, added: %" PRId64
                  ", complete: %" PRId64 ")",
                  object->size,
                  atomic_load_explicit(&object->added, memory_order_relaxed),
                  object->size - agpu__group_missing(object));
}

static void print_wait(FILE *text, const char *who, const agpu__awaiter *wait) {
  (void)fputc('\n', text);
  if (wait->location)
    (void)fprintf(text, "%s: ", wait->location);
  (void)fprintf(text, "note: %s", who);
  switch ((agpu__target)wait->target) {
  case AGPU__TARGET_TASK: (void)fputs("a suspended region", text); break;
  case AGPU__TARGET_THREAD:
    if (wait->in_task)
      (void)fputs("a function called from a region", text);
    else
      (void)fputs(wait->is_main ? "the main thread" : "a thread", text);
    break;
  case AGPU__TARGET_GROUP:
    (void)fprintf(text, "group %" PRIu32, wait->as.group->number);
    break;
  }
  (void)fputs(" waits for ", text);
  if (wait->target == AGPU__TARGET_GROUP)
    (void)fputs("its member ", text);
  print_object(text, awaited(wait));
}

static void print_cause(FILE *text, const wait_list *list, bool at_end) {
  if (list->unfilled) {
    const agpu_object *group = awaited(list->unfilled);
    (void)fprintf(text,
                  "a group created for %" PRId64 " members has %" PRId64
                  ", and nothing is left that could add more",
                  group->size,
                  atomic_load_explicit(&group->added, memory_order_relaxed));
  } else if (at_end) {
    (void)fprintf(text,
                  "the program ended, and nothing is left that could end the "
                  "waits of %" PRId64 " suspended regions",
                  list->consumers);
  } else {
    (void)fputs("the program cannot go on: every thread is idle, and nothing "
                "is left that could end a wait",
                text);
  }
}

/// A new status. AGPU_OK if nothing is waited for.
static agpu_status describe(bool at_end) {
  wait_list list = {0};
  agpu__awaiter_visit(add_wait, &list);
  if (list.consumers == 0)
    return AGPU_OK;
  const agpu__awaiter *first = list.unfilled ? list.unfilled : list.main_wait;
  const char *location = first ? first->location : NULL;
  agpu_status error = agpu__status_find_unobserved();
  agpu__status_observe(error);

  char *message = NULL;
  size_t size = 0;
  FILE *text = open_memstream(&message, &size);
  if (text) {
    if (error)
      (void)fprintf(text, "%s\n%s%snote: ", agpu_status_get_message(error),
                    location ? location : "", location ? ": " : "");
    print_cause(text, &list, at_end);
    for (int i = 0; i < list.count; ++i)
      print_wait(text, "", list.waits[i]);
    if (list.left_out)
      (void)fprintf(text, "\nnote: and %" PRId64 " more waits", list.left_out);
    if (fclose(text) != 0) {
      free(message);
      message = NULL;
    }
  }
  agpu_status status = agpu_status_create(
      AGPU_STATUS_PROGRAM, error ? agpu_status_get_location(error) : location,
      "%s", message ? message : "the program cannot go on");
  agpu_status_release(error);
  free(message);
  return status;
}

static void end_standstill(void) {
  agpu_status status = describe(/*at_end=*/false);
  if (status)
    agpu__fatal(status, NULL, EXIT_FAILURE);
}

typedef struct unknown_waits {
  wait_list list;
  bool (*is_known)(const agpu_object *object, void *argument);
  void *argument;
} unknown_waits;

static void add_unknown(const agpu__awaiter *wait, void *argument) {
  unknown_waits *self = argument;
  if (!self->is_known(awaited(wait), self->argument))
    add_wait(wait, &self->list);
}

void agpu__standstill_list(const char *who,
                           bool (*is_known)(const agpu_object *object,
                                            void *argument),
                           void *argument, char *buffer, size_t size) {
  unknown_waits waits = {.is_known = is_known, .argument = argument};
  agpu__awaiter_visit(add_unknown, &waits);
  buffer[0] = '\0';
  for (int i = 0; i < waits.list.count; ++i) {
    // What does not fit as a whole is cut off again.
    size_t used = strlen(buffer);
    FILE *text = fmemopen(buffer + used, size - used, "w");
    if (!text)
      return;
    print_wait(text, who, waits.list.waits[i]);
    long end = ftell(text);
    if (fclose(text) || end < 0 || (size_t)end >= size - used) {
      buffer[used] = '\0';
      return;
    }
  }
}

void agpu__standstill_watch(const agpu__exec_watch *watch) {
  int choice;
  agpu__status_report(agpu__setting_word(AGPU__SETTING_WATCHDOG, &choice));
  agpu__runtime *runtime = &agpu__the_runtime;
  atomic_store_explicit(&runtime->is_watched, choice == 0,
                        memory_order_relaxed);
  if (choice != 0)
    return;
  // The executor reads it at any time once it has it.
  if (!runtime->watch.standstill) {
    runtime->watch = *watch;
    runtime->watch.standstill = end_standstill;
  }
  agpu__exec_set_watch(&runtime->watch);
}

agpu_status agpu__standstill_at_end(void) {
  return atomic_load_explicit(&agpu__the_runtime.is_watched,
                              memory_order_relaxed) &&
                 agpu__thread_only_known()
             ? describe(/*at_end=*/true)
             : AGPU_OK;
}
