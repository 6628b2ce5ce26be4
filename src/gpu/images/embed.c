//===- embed.c - Descriptors of kernels in the program --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Globals of the program: the bytes of images, tables of kernels and of images,
// the module over them, and a descriptor for each kernel, which launches name.
//
//===----------------------------------------------------------------------===//

#include "gpu/images/images.h"

#include "gpu/kernels/kernels.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Building globals
//===----------------------------------------------------------------------===//

/// Where globals go.
typedef struct writer {
  agpu__builder builder;
  MlirOperation host_module;
} writer;

/// A global of the program's own, with `value` unless that is null. Its region
/// is empty.
static MlirOperation build_global(writer *to, const char *symbol, MlirType type,
                                  MlirAttribute value) {
  MlirContext context = to->builder.context;
  MlirOperation global =
      agpu__build_global(&to->builder, symbol, type, false, NULL, 0);
  agpu__set_attr(global, "linkage",
                 mlirLLVMLinkageAttrGet(context, MlirLLVMLinkageInternal));
  if (!mlirAttributeIsNull(value))
    agpu__set_attr(global, "value", value);
  return global;
}

static void make_constant(MlirOperation global) {
  agpu__set_attr(global, "constant",
                 mlirUnitAttrGet(mlirOperationGetContext(global)));
}

enum { ONE = -1, ONE_CHANGING = -2 };

/// The agpu_program_desc, and the function that returns it.
#define PROGRAM "agpu_program"
#define GET_PROGRAM "agpu_get_program"

/// A global that is a structure of kernel.h, or an array of them, in the
/// making.
typedef struct table {
  writer *to;
  agpu__builder at;    ///< in its initialiser
  const char *members; ///< 'i' (i32), 'l' (i64), 'p' (symbol), 's' (string)
  MlirType row_type;   ///< without padding of its own
  MlirValue rows;      ///< null: it is one structure
  int64_t count;
} table;

/// Begins the constant `symbol` of `count` rows; of no array, but one
/// structure, which the runtime may change, with ONE_CHANGING, or may not, with
/// ONE.
static table begin_table(writer *to, const char *symbol, const char *members,
                         int64_t count) {
  MlirContext context = to->builder.context;
  table self = {.to = to, .members = members};
  MlirType types[8];
  intptr_t width = 0;
  for (; members[width]; ++width)
    types[width] = members[width] == 'i'   ? agpu__i32_type(context)
                   : members[width] == 'l' ? agpu__i64_type(context)
                                           : agpu__ptr_type(context);
  self.row_type = mlirLLVMStructTypeLiteralGet(context, width, types, false);
  MlirType type = count < 0
                      ? self.row_type
                      : mlirLLVMArrayTypeGet(self.row_type, (unsigned)count);
  MlirOperation global = build_global(to, symbol, type, mlirAttributeGetNull());
  MlirBlock block = agpu__append_block(mlirOperationGetRegion(global, 0));
  self.at = agpu__builder_at_end(block, to->builder.location);
  if (count != ONE_CHANGING)
    make_constant(global);
  if (count >= 0)
    self.rows = agpu__llvm_undef(&self.at, type);
  return self;
}

/// Adds a row, or sets the one structure: for each member a uint32_t, an
/// int64_t, or a const char *, NULL for a null pointer.
static void add_row(table *self, ...) {
  MlirValue values[8];
  size_t count = strlen(self->members);
  va_list members;
  va_start(members, self);
  for (size_t i = 0; i < count; ++i) {
    char member = self->members[i];
    if (member == 'i') {
      values[i] = agpu__llvm_i32(&self->at, (int32_t)va_arg(members, uint32_t));
    } else if (member == 'l') {
      values[i] = agpu__llvm_i64(&self->at, va_arg(members, int64_t));
    } else {
      const char *text = va_arg(members, const char *);
      values[i] =
          !text ? agpu__llvm_null(&self->at)
          : member == 'p'
              ? agpu__llvm_address(&self->at, text)
              : agpu__string_constant(&self->at, self->to->host_module, text);
    }
  }
  va_end(members);
  MlirValue row = agpu__llvm_undef(&self->at, self->row_type);
  for (size_t i = 0; i < count; ++i)
    row = agpu__llvm_insert(&self->at, row, values[i], (int64_t)i);
  self->rows =
      mlirValueIsNull(self->rows)
          ? row
          : agpu__llvm_insert(&self->at, self->rows, row, self->count++);
}

static void end_table(table *self) { agpu__llvm_return(&self->at, self->rows); }

/// Begins the function `name` of the program's own, without parameters.
static agpu__builder begin_function(writer *to, const char *name,
                                    MlirType result) {
  const agpu__function_spec spec = {
      .op = "llvm.func",
      .name = name,
      .type = mlirLLVMFunctionTypeGet(result, 0, NULL, false),
      .with_body = true,
      .is_internal = true};
  MlirOperation function = agpu__build_function(&to->builder, &spec);
  return agpu__builder_at_end(agpu__entry_block(function),
                              to->builder.location);
}

/// The function `name` returns the address of `symbol`. LLVM looks at all
/// functions that a function reaches through globals: without it that would be
/// all kernels of the program, for each function that launches one.
static void build_getter(writer *to, const char *name, const char *symbol) {
  agpu__builder at =
      begin_function(to, name, agpu__ptr_type(to->builder.context));
  agpu__llvm_return(&at, agpu__llvm_address(&at, symbol));
}

//===----------------------------------------------------------------------===//
// The parts
//===----------------------------------------------------------------------===//

/// The bytes of one image; returns the symbol, which the caller frees.
static char *embed_image(writer *to, const agpu__embedding *self,
                         const agpu__image *image) {
  MlirContext context = to->builder.context;
  bool is_ptx = image->format == AGPU_IMAGE_PTX;
  char *symbol =
      agpu__embed_symbol(is_ptx ? "agpu_ptx" : "agpu_cubin", self->module_name,
                         agpu__str(image->chip->name));
  MlirType type =
      mlirLLVMArrayTypeGet(agpu__i8_type(context), (unsigned)image->size);
  MlirOperation global =
      build_global(to, symbol, type,
                   mlirStringAttrGet(
                       context, mlirStringRefCreate(image->data, image->size)));
  make_constant(global);
  agpu__set_attr(global, is_ptx ? AGPU__PTX_ATTR : AGPU__CUBIN_ATTR,
                 mlirStringAttrGet(context, self->module_name));
  return symbol;
}

/// The sizes of a kernel's parameters; NULL if it has none. The caller frees
/// the symbol.
static char *embed_param_sizes(writer *to, const agpu__embedding *self,
                               const agpu__kernel *kernel) {
  if (!kernel->param_count)
    return NULL;
  char *symbol =
      agpu__embed_symbol("agpu_param_sizes", self->module_name, kernel->name);
  MlirType i32 = agpu__i32_type(to->builder.context);
  int64_t count = (int64_t)kernel->param_count;
  MlirType shape =
      mlirRankedTensorTypeGet(1, &count, i32, mlirAttributeGetNull());
  make_constant(build_global(
      to, symbol, mlirLLVMArrayTypeGet(i32, (unsigned)count),
      mlirDenseElementsAttrUInt32Get(shape, count, kernel->param_sizes)));
  return symbol;
}

/// The parameters that are addresses, agpu_native_pointer[], likewise.
static char *embed_pointers(writer *to, const agpu__embedding *self,
                            const agpu__kernel *kernel) {
  if (!kernel->pointer_count)
    return NULL;
  char *symbol =
      agpu__embed_symbol("agpu_pointers", self->module_name, kernel->name);
  // The third member is two of 16 bits.
  table rows = begin_table(to, symbol, "iiiil", (int64_t)kernel->pointer_count);
  for (size_t i = 0; i < kernel->pointer_count; ++i) {
    const agpu_native_pointer *of = &kernel->pointers[i];
    add_row(&rows, of->param, of->argument,
            (uint32_t)of->kind | (uint32_t)of->alignment << 16,
            of->element_bytes, of->offset);
  }
  end_table(&rows);
  return symbol;
}

/// agpu_native_kernel[], the agpu_native_image over it, and the function
/// `getter` that returns that. `sizes` are the symbols of the parameters'
/// sizes.
static void embed_native(writer *to, const agpu__embedding *self,
                         const char *getter, char **sizes) {
  size_t count = self->kernel_count;
  AGPU__OWNED char *symbol = agpu__embed_symbol(
      "agpu_native_image", self->module_name, mlirStringRefCreate(NULL, 0));
  AGPU__OWNED char *kernels = agpu__embed_symbol(
      "agpu_native_kernels", self->module_name, mlirStringRefCreate(NULL, 0));
  AGPU__OWNED char **pointers = agpu__allocate(count, sizeof(*pointers));
  for (size_t i = 0; i < count; ++i)
    pointers[i] = embed_pointers(to, self, &self->kernels[i]);
  table rows = begin_table(to, kernels, "sppiipii", (int64_t)count);
  for (size_t i = 0; i < count; ++i) {
    const agpu__kernel *kernel = &self->kernels[i];
    add_row(&rows, kernel->image_name, kernel->native_symbol, sizes[i],
            (uint32_t)kernel->param_count, (uint32_t)kernel->shared_bytes,
            pointers[i], (uint32_t)kernel->pointer_count,
            kernel->most_shared_bytes);
    free(pointers[i]);
  }
  end_table(&rows);
  table image = begin_table(to, symbol, "iip", ONE);
  agpu__set_attr(mlirBlockGetParentOperation(image.at.block),
                 AGPU__NATIVE_IMAGE_ATTR,
                 mlirStringAttrGet(to->builder.context, self->module_name));
  add_row(&image, (uint32_t)AGPU_NATIVE_MAGIC, (uint32_t)count,
          count ? kernels : NULL);
  end_table(&image);
  build_getter(to, getter, symbol);
}

/// Whether `text` stands in `image`, PTX or machine code, whose symbols have
/// their names.
static bool names(const agpu__image *image, const char *text) {
  size_t length = strlen(text);
  for (size_t i = 0; i + length <= image->size; ++i)
    if (!memcmp(image->data + i, text, length))
      return true;
  return false;
}

/// Of agpu_image_flags.
static uint32_t flags_of(const agpu__embedding *self, bool writes) {
  return (writes ? (uint32_t)AGPU_IMAGE_WRITES : 0u) |
         (self->is_unified ? (uint32_t)AGPU_IMAGE_UNIFIED : 0u);
}

/// agpu_image_desc[], and the agpu_module `symbol` over it. `images` are the
/// symbols of those for CUDA, `native` that of the other's function.
static void embed_module(writer *to, const agpu__embedding *self,
                         const char *symbol, char *const *images,
                         const char *native) {
  AGPU__OWNED char *list = agpu__embed_symbol("agpu_images", self->module_name,
                                              mlirStringRefCreate(NULL, 0));
  AGPU__OWNED char *name = agpu__format("%.*s", AGPU__STR(self->module_name));
  size_t count = self->image_count + self->has_native;
  table rows = begin_table(to, list, "iiiipl", (int64_t)count);
  for (size_t i = 0; i < self->image_count; ++i) {
    const agpu__image *image = &self->images[i];
    bool writes = names(image, "vprintf") || names(image, "__assertfail");
    add_row(&rows, (uint32_t)image->format, (uint32_t)image->chip->number,
            (uint32_t)image->chip->variant, flags_of(self, writes), images[i],
            (int64_t)image->size);
  }
  if (self->has_native)
    add_row(&rows, (uint32_t)AGPU_IMAGE_NATIVE, 0u, 0u,
            flags_of(self, self->native_writes) |
                (uint32_t)AGPU_IMAGE_BY_FUNCTION,
            native, (int64_t)sizeof(agpu_native_image));
  end_table(&rows);
  table module = begin_table(to, symbol, "iispp", ONE_CHANGING);
  add_row(&module, (uint32_t)AGPU_MODULE_VERSION, (uint32_t)count, name, list,
          self->kernel_count ? GET_PROGRAM : NULL);
  end_table(&module);
}

/// Declares the function through which a program gives a module back.
static void declare_release(const writer *to, const char *name) {
  if (!mlirOperationIsNull(agpu__lookup(to->host_module, name)))
    return;
  MlirContext context = to->builder.context;
  MlirType pointer = agpu__ptr_type(context);
  // Where the next look for it finds it at once.
  agpu__builder at = agpu__builder_at_start(agpu__module_body(to->host_module),
                                            to->builder.location);
  agpu__build_function(
      &at, &(agpu__function_spec){
               .op = "llvm.func",
               .name = name,
               .type = mlirLLVMFunctionTypeGet(mlirLLVMVoidTypeGet(context), 1,
                                               &pointer, false)});
}

/// A destructor of the program that gives the module back to the devices: other
/// code may lie where the program lay.
static void embed_release(writer *to, const agpu__embedding *self,
                          const char *module) {
  static const char release[] = "agpu_module_release";
  MlirContext context = to->builder.context;
  AGPU__OWNED char *name = agpu__embed_symbol("agpu_release", self->module_name,
                                              mlirStringRefCreate(NULL, 0));
  declare_release(to, release);
  agpu__builder at = begin_function(to, name, mlirLLVMVoidTypeGet(context));
  MlirValue given = agpu__llvm_address(&at, module);
  agpu__llvm_call(&at, release, &given, 1, (MlirType){NULL});
  agpu__llvm_return(&at, (MlirValue){NULL});
  MlirAttribute symbol = agpu__symbol_attr(context, name);
  const MlirNamedAttribute attributes[] = {
      agpu__named(context, "dtors", mlirArrayAttrGet(context, 1, &symbol)),
      agpu__named(context, "priorities",
                  agpu__parse_attr(context, "[65535 : i32]")),
      agpu__named(context, "data", agpu__parse_attr(context, "[#llvm.zero]"))};
  agpu__build_op(&to->builder, "llvm.mlir.global_dtors", NULL, 0,
                 (MlirType){NULL}, attributes, 3);
}

/// `is_known`: the program's list has it.
static void embed_kernel(writer *to, const agpu__embedding *self,
                         const agpu__kernel *kernel, const char *module,
                         const char *sizes, bool is_known) {
  char *symbol =
      agpu__embed_symbol("agpu_kernel", self->module_name, kernel->name);
  AGPU__OWNED char *location = agpu__location_text(kernel->location);
  to->builder.location = kernel->location;
  table row = begin_table(to, symbol, "pssppii", ONE_CHANGING);
  add_row(&row, module, kernel->image_name, *location ? location : NULL,
          (const char *)NULL, sizes, (uint32_t)kernel->param_count,
          (uint32_t)AGPU_KERNEL_KNOWS_PARAMS);
  end_table(&row);
  agpu__program *program = self->program;
  program->has_modules = true;
  if (!is_known) {
    free(symbol);
    return;
  }
  program->kernels = agpu__grow(program->kernels, program->count,
                                &program->capacity, sizeof(*program->kernels));
  program->kernels[program->count++] = symbol;
}

void agpu__embed(MlirOperation host_module, MlirOperation before,
                 const agpu__embedding *embedding) {
  const agpu__embedding *self = embedding;
  writer to = {agpu__builder_before(before), host_module};
  MlirStringRef none = mlirStringRefCreate(NULL, 0);
  AGPU__OWNED char *native =
      agpu__embed_symbol("agpu_get_native_image", self->module_name, none);
  AGPU__OWNED char *module =
      agpu__embed_symbol("agpu_module", self->module_name, none);
  char *symbols[2 * AGPU__MAX_CHIPS];
  for (size_t i = 0; i < self->image_count; ++i)
    symbols[i] = embed_image(&to, self, &self->images[i]);
  AGPU__OWNED char **sizes = agpu__allocate(self->kernel_count, sizeof(*sizes));
  for (size_t i = 0; i < self->kernel_count; ++i)
    sizes[i] = embed_param_sizes(&to, self, &self->kernels[i]);
  if (self->has_native)
    embed_native(&to, self, native, sizes);
  embed_module(&to, self, module, symbols, native);
  embed_release(&to, self, module);
  // A driver without conditions of graphs could not load kernels that set them.
  bool is_known = true;
  for (size_t i = 0; i < self->image_count; ++i)
    is_known &= !names(&self->images[i], "cudaGraphSetConditional");
  for (size_t i = 0; i < self->kernel_count; ++i) {
    embed_kernel(&to, self, &self->kernels[i], module, sizes[i], is_known);
    free(sizes[i]);
  }
  for (size_t i = 0; i < self->image_count; ++i)
    free(symbols[i]);
}

void agpu__embed_program(MlirOperation host_module, agpu__program *program) {
  static const char list[] = "agpu_program_kernels";
  if (program->has_modules) {
    writer to = {agpu__builder_at_end(agpu__module_body(host_module),
                                      mlirOperationGetLocation(host_module)),
                 host_module};
    table rows = begin_table(&to, list, "p", (int64_t)program->count);
    for (size_t i = 0; i < program->count; ++i)
      add_row(&rows, (const char *)program->kernels[i]);
    end_table(&rows);
    table self = begin_table(&to, PROGRAM, "lp", ONE);
    add_row(&self, (int64_t)program->count, list);
    end_table(&self);
    build_getter(&to, GET_PROGRAM, PROGRAM);
  }
  for (size_t i = 0; i < program->count; ++i)
    free(program->kernels[i]);
  free(program->kernels);
}
