//===- location.c - Places in the source -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's locations are trees. One place is shown of each: the compiler's own
// diagnostics, errors of programs while they run, and the texts that compiled
// code carries all name the same.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ir.h"

#include "mlir-c/Diagnostics.h"

#include <stdlib.h>

static agpu__place first_place(MlirLocation fused) {
  agpu__place found = {0};
  unsigned count = mlirLocationFusedGetNumLocations(fused);
  AGPU__OWNED MlirLocation *parts = agpu__allocate(count, sizeof(*parts));
  mlirLocationFusedGetLocations(fused, parts);
  for (unsigned i = 0; i < count && !found.file.data; ++i)
    found = agpu__place_of(parts[i]);
  return found;
}

agpu__place agpu__place_of(MlirLocation location) {
  if (mlirLocationIsAFileLineColRange(location))
    return (agpu__place){
        mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(location)),
        mlirLocationFileLineColRangeGetStartLine(location),
        mlirLocationFileLineColRangeGetStartColumn(location)};
  if (mlirLocationIsAName(location))
    return agpu__place_of(mlirLocationNameGetChildLoc(location));
  if (mlirLocationIsACallSite(location))
    return agpu__place_of(mlirLocationCallSiteGetCallee(location));
  if (mlirLocationIsAFused(location))
    return first_place(location);
  return (agpu__place){0};
}

MlirStringRef agpu__name_of(MlirLocation location) {
  return mlirLocationIsAName(location)
             ? mlirIdentifierStr(mlirLocationNameGetName(location))
             : mlirStringRefCreate(NULL, 0);
}

char *agpu__location_text(MlirLocation location) {
  agpu__place place = agpu__place_of(location);
  if (!place.file.data)
    return agpu__format("%s", "");
  return agpu__format("%.*s:%d:%d", AGPU__STR(place.file), place.line,
                      place.column);
}

MlirLogicalResult agpu__error(MlirLocation location, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  AGPU__SCOPED(text) text = {0};
  agpu__text_vprintf(&text, format, arguments);
  va_end(arguments);
  mlirEmitError(location, agpu__text_get(&text));
  return mlirLogicalResultFailure();
}
