//===- picture_parts.c - Graphs in pictures of the plan -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts are found when the plan has been applied, and is gone. So a picture
// is told of each part alone, as a note at the region where it stands.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/picture.h"

#include <stdlib.h>

/// What agpu__picture_on_part was told.
static _Thread_local struct {
  void (*found)(const agpu__picture_part *part, void *data);
  void *data;
} on_part;

void agpu__picture_on_part(void (*found)(const agpu__picture_part *part,
                                         void *data),
                           void *data) {
  on_part.found = found;
  on_part.data = data;
}

void agpu__picture_tell_part(const agpu__picture_part *part) {
  if (on_part.found)
    on_part.found(part, on_part.data);
}

char *agpu__picture_part_text(const agpu__picture_part *part) {
  AGPU__OWNED char *rounds =
      part->rounds > 1
          ? agpu__format(", %lld rounds a graph", (long long)part->rounds)
          : agpu__format("%s", "");
  return agpu__format("%lld %s of work a round%s%s", (long long)part->work,
                      part->work == 1 ? "piece" : "pieces",
                      part->is_fixed ? ", always the same" : "", rounds);
}

void agpu__picture_print_part_dot(const agpu__picture_part *part,
                                  agpu__text *out) {
  AGPU__OWNED char *text = agpu__picture_part_text(part);
  // Where it is in a large plan; else Graphviz finds a place.
  agpu__text_printf(
      out,
      "  p%zu [pos=\"%zu,100\" shape=note id=\"part-%zu\" color=\"#5c6370\" "
      "label=\"graph %zu%s: %s",
      part->number, part->number * 400, part->number, part->number,
      part->is_certain ? "" : " (if it runs often enough)", text);
  if (part->place.file.data)
    agpu__text_printf(out, "\\nline %d", part->place.line);
  agpu__text_puts(out, "\"];\n");
  if (part->region >= 0)
    agpu__text_printf(out,
                      "  p%zu -> r%lld [style=dotted arrowhead=none "
                      "color=\"#5c6370\"];\n",
                      part->number, (long long)part->region);
}

void agpu__picture_print_part_json(const agpu__picture_part *part,
                                   agpu__text *out) {
  agpu__text_printf(out,
                    "{\"id\": %zu, \"work\": %lld, \"rounds\": %lld, "
                    "\"fixed\": %s, \"certain\": %s, \"region\": ",
                    part->number, (long long)part->work,
                    (long long)part->rounds, part->is_fixed ? "true" : "false",
                    part->is_certain ? "true" : "false");
  if (part->region >= 0)
    agpu__text_printf(out, "%lld", (long long)part->region);
  else
    agpu__text_puts(out, "null");
  agpu__text_puts(out, ", \"place\": ");
  if (part->place.file.data) {
    agpu__text_puts(out, "{\"file\": ");
    agpu__text_json(out, part->place.file.data, part->place.file.length);
    agpu__text_printf(out, ", \"line\": %d, \"column\": %d}", part->place.line,
                      part->place.column);
  } else {
    agpu__text_puts(out, "null");
  }
  agpu__text_puts(out, "}");
}
