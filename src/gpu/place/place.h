//===- place.h - Where memory lies that kernels are given -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_PLACE_H
#define ASYNC_GPU_GPU_PLACE_H

#include "gpu/memory/accesses.h"

//===----------------------------------------------------------------------===//
// Where arguments of functions lie
//===----------------------------------------------------------------------===//

/// What memory is, as bits.
enum {
  AGPU__SPACE_HOST = 1,
  /// The device reaches it: from gpu.alloc, with or without host_shared, or
  /// registered by the program.
  AGPU__SPACE_DEVICE = 2,
};

/// The spaces that arguments of a module's functions come from.
typedef struct agpu__spaces {
  agpu__summaries *summaries;
  agpu__map numbers;    ///< of functions, by their address
  unsigned **of;        ///< for each function the spaces of each argument
  unsigned **results;   ///< and of each result
  agpu__map registered; ///< memrefs and symbols that the program registers
  bool **together; ///< and whether it may be the same memory as another one
  size_t count;
} agpu__spaces;

/// Looks at all calls, and marks the arguments of private functions that no
/// call gives the same memory as another one as AGPU__NOALIAS_ATTR. Free with
/// agpu__spaces_free.
void agpu__spaces_create(agpu__summaries *summaries, const agpu__ops *functions,
                         agpu__spaces *out_spaces);
void agpu__spaces_free(agpu__spaces *spaces);

/// Of an object of the function, without others of the same name; 0: not known.
unsigned agpu__space_of_member(const agpu__spaces *spaces,
                               const agpu__summary *function, size_t object);

/// Of all objects that go by the name of this one.
unsigned agpu__space_of(const agpu__spaces *spaces,
                        const agpu__summary *function, size_t object);

//===----------------------------------------------------------------------===//
// Where a function touches memory, and from which side
//===----------------------------------------------------------------------===//

/// An op that touches an object, from the host or from the device.
typedef struct agpu__event {
  MlirOperation op;
  bool on_device;
  bool reads; ///< needs what is there: it reads, or writes a part
  bool writes;
  bool by_other_name; ///< or so it may be: it is not given the object
} agpu__event;

/// All of them, in program order.
typedef struct agpu__events {
  agpu__event *data;
  size_t count, capacity;
} agpu__events;

/// What a function does with each of its objects.
typedef struct agpu__touches {
  agpu__summaries *summaries;
  const agpu__summary *function;
  agpu__events *of; ///< for each object
  agpu__ops *uses;  ///< ops with an operand of it, outside of launches
  agpu__ops *inner; ///< the same in a gpu.launch
  size_t *open;     ///< objects that may be reached by another name
  size_t open_count;
} agpu__touches;

/// Free with agpu__touches_free.
void agpu__touches_create(agpu__summaries *summaries,
                          const agpu__summary *function,
                          agpu__touches *out_touches);
void agpu__touches_free(agpu__touches *touches);

/// Of an object with several members, or that control flow hands on: what
/// touches that one or may do so, in program order. False if the device is
/// given what control flow gives, which may be it or not. Free
/// `out_events->data`.
bool agpu__touches_of_member(const agpu__touches *touches, size_t member,
                             agpu__events *out_events);

/// True for gpu.launch and gpu.launch_func.
bool agpu__is_launch(MlirOperation op);

/// True for the exchange of a halo.
bool agpu__is_halo(MlirOperation op);

/// True if `op` holds work for the device, so that what is in it is looked at
/// one by one.
bool agpu__holds_device_work(MlirOperation op);

//===----------------------------------------------------------------------===//
// A function whose data is placed
//===----------------------------------------------------------------------===//

#define AGPU__PLACING_FIX                                                      \
  "copy it to the device (gpu.memcpy), register it (gpu.host_register), or "   \
  "allocate it for both (gpu.alloc host_shared)"

/// A function that is looked at.
typedef struct agpu__placing {
  const agpu__spaces *spaces;
  const agpu__touches *touches;
  const agpu__summary *function;
  agpu__ops *dead; ///< ops that go when the function is done
  bool remarks;
  bool is_unified; ///< the device reaches the host's memory
  MlirLogicalResult result;
} agpu__placing;

/// "the memref.alloc in line 3"; the caller frees it.
char *agpu__placing_name(const agpu__placing *self, size_t member);

/// The first launch that is given the object; a null op: there is none.
MlirOperation agpu__placing_launch(const agpu__placing *self, size_t object);

/// Where remarks are asked for, one that begins with the member's name.
void agpu__placing_remark(const agpu__placing *self, size_t member,
                          const char *text);

/// An error at the launch; the pass fails.
void agpu__placing_fail(agpu__placing *self, size_t object, const char *reason,
                        const char *fix);

/// Gives the object a place, if it has to have one.
void agpu__place_object(agpu__placing *self, size_t object);

//===----------------------------------------------------------------------===//
// Where an object is copied to and fro
//
// An object of which the device has a copy is valid on the host, on the device,
// or on both. Each event needs it on its side. This finds the copies that see
// to that, as few as it can: in front of loops instead of in them.
//===----------------------------------------------------------------------===//

/// Sides on which the contents are valid, as bits.
enum { AGPU__ON_HOST = 1, AGPU__ON_DEVICE = 2, AGPU__ON_BOTH = 3 };

/// One copy, in front of `before`.
typedef struct agpu__transfer {
  MlirOperation before;
  bool to_device;
} agpu__transfer;

typedef struct agpu__transfers {
  agpu__transfer *data;
  size_t count, capacity;
  size_t in_loops; ///< of them
  bool fails;      ///< an event stands in control flow that is not followed
} agpu__transfers;

/// For the events of one object, which all stand in `block` or below, and which
/// is valid where `begin` says at its beginning and has to be where `end` says
/// at its end. Free with agpu__transfers_free.
void agpu__transfers_find(MlirBlock block, const agpu__events *events,
                          unsigned begin, unsigned end,
                          agpu__transfers *out_transfers);
void agpu__transfers_free(agpu__transfers *transfers);

//===----------------------------------------------------------------------===//
// Memory gets its place
//===----------------------------------------------------------------------===//

/// True if a buffer for all of the memref can be allocated on the device: its
/// layout is the identity, or strides.
bool agpu__can_mirror(MlirType memref);

/// Gives the object, or one of its members, a buffer on the device, which takes
/// its place in launches, copies and fills, and the copies between the two.
void agpu__place_mirror(const agpu__touches *touches, size_t member,
                        const agpu__events *events,
                        const agpu__transfers *transfers);

/// A memref of the whole of an argument, a global or what an op has made, that
/// all of its uses can see, and where what is made beside it goes.
MlirValue agpu__place_base(const agpu__touches *touches, size_t object,
                           agpu__builder *out_at);

MlirValue agpu__place_build_alloc(agpu__builder *at, MlirType type,
                                  const agpu__values *sizes, bool host_shared);

/// A buffer for the device, or for both, of the size of `base`, and of its
/// type.
MlirValue agpu__place_build_buffer(agpu__builder *at, MlirValue base,
                                   bool host_shared);

/// Memory of the host of the size and type of `base`, which has no layout.
MlirValue agpu__place_build_host(agpu__builder *at, MlirValue base);

//===----------------------------------------------------------------------===//
// Memory that is one for host and device
//
// For memory that control flow hands on: which buffer a memref is of is known
// only when the program runs. All that it may be of becomes memory that the
// device reaches, so that every memref is right as it is.
//===----------------------------------------------------------------------===//

/// An object, whose members all get a place of one kind.
typedef struct agpu__sharing {
  const agpu__spaces *spaces;
  const agpu__touches *touches;
  size_t object;
  agpu__ops *dead; ///< ops that are to go when the function is done
} agpu__sharing;

/// True if the host does nothing to the object but free it, hand it on, return
/// it, and copy it as the device can.
bool agpu__share_is_for_device(const agpu__sharing *sharing);

/// Why that cannot be done, or NULL; the caller frees it.
char *agpu__share_obstacle(const agpu__sharing *sharing);

/// Allocations are the device's, or both's; what the function does not allocate
/// itself has a buffer as long as the function, or the block that has got it.
/// Results become memory of the host.
void agpu__share(const agpu__sharing *sharing, bool host_shared);

/// Why it cannot be registered, or NULL; the caller frees it.
char *agpu__share_registration_obstacle(const agpu__sharing *sharing);

/// Registers each allocation from there to where it is freed, returned, or
/// where its block ends.
void agpu__share_register(const agpu__sharing *sharing);

//===----------------------------------------------------------------------===//
// Whether memory can be one for host and device
//===----------------------------------------------------------------------===//

const agpu__object *agpu__sharing_object(const agpu__sharing *self,
                                         size_t member);

/// True if `value` is a memref of the object.
bool agpu__sharing_has(const agpu__sharing *self, MlirValue value);

/// True if the member is on the host, and so is to get another place.
bool agpu__sharing_places(const agpu__sharing *self, size_t member);

/// Memory from memref.alloc, and from memref.alloca.
bool agpu__is_host_allocation(const agpu__object *it);
bool agpu__is_frame_allocation(const agpu__object *it);

/// True if an op of that name, outside of launches, has an operand of it.
bool agpu__sharing_is_used_by(const agpu__sharing *self, const char *name);

/// True if no memref of it leaves the block of `op`.
bool agpu__sharing_ends_with_block(const agpu__sharing *self, MlirOperation op);

/// True for an op that only reads the object, and runs once at most: the host
/// can do that to a copy.
bool agpu__sharing_reads_once(const agpu__sharing *self, MlirOperation op);

/// True if the program may write to the member.
bool agpu__sharing_writes(const agpu__sharing *self, size_t member);

/// True for a memref.copy that the device can do.
bool agpu__sharing_copies_on_device(const agpu__sharing *self,
                                    MlirOperation op);

#endif // ASYNC_GPU_GPU_PLACE_H
