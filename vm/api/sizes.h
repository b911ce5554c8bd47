// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Structures of nacre.h that begin with their size. A host that was built with an older header has shorter structures,
// with a newer header longer ones. Fields that the host's structure lacks are taken as zero. Bytes that the library
// does not know must be zero, as for Linux's copy_struct_from_user.

#ifndef NACRE_VM_API_SIZES_H
#define NACRE_VM_API_SIZES_H

#include <stdbool.h>

#include "vm/api/api.h"

// Copies a structure of the host to `to`, of `size` bytes. The host's must have at least `least` bytes. False: it is
// NULL, or invalid.
bool api_take(void *to, size_t size, size_t least, const void *given);
// api_can_give returns whether a structure of the host has a valid size. api_give fills the structure up to that size,
// and keeps its size field.
bool api_can_give(const void *to, size_t least);
void api_give(void *to, const void *from, size_t size);

// Size of a structure up to a field: the last field of its first release gives the smallest valid size.
#define API_UP_TO(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))
enum {
    FIRST_OPTIONS = API_UP_TO(NacreOptions, struct_size),
    FIRST_FEATURE = API_UP_TO(NacreFeature, detail),
    FIRST_GROUP = API_UP_TO(NacreGroupOptions, lost_step),
    FIRST_STATS = API_UP_TO(NacreStats, struct_size),
    FIRST_LOOP = API_UP_TO(NacreLoop, serial),
    FIRST_RANK_LINE = API_UP_TO(NacreRankLine, why),
    FIRST_DETOUR = API_UP_TO(NacreDetour, count),
    FIRST_FUNCTION = API_UP_TO(NacreFunction, drop),
    FIRST_FRAME = API_UP_TO(NacreFrame, end_column),
    FIRST_ARRAY = API_UP_TO(NacreArray, is_contiguous),
    FIRST_MEMORY = API_UP_TO(NacreMemory, ctx),
    FIRST_DLPACK = API_UP_TO(NacreDlpack, stream),
    FIRST_NODE = API_UP_TO(NacreNode, why_plain),
    FIRST_STORAGE = API_UP_TO(NacreStorage, data),
    FIRST_WATCH = API_UP_TO(NacreWatch, data),
    FIRST_GRAPH = API_UP_TO(NacreGraph, nodes),
    FIRST_BUILD = API_UP_TO(NacreBuild, ctx),
    FIRST_PASS = API_UP_TO(NacrePass, drop),
    FIRST_MATCH = API_UP_TO(NacreMatch, nodes),
    FIRST_HINT = API_UP_TO(NacreHint, threads),
    FIRST_OPERATION = API_UP_TO(NacreOperation, may_raise),
    FIRST_DRY_RUN = API_UP_TO(NacreDryRun, ctx),
    FIRST_HOST_OPERATION = API_UP_TO(NacreHostOperation, drop)
};
#define API_TAKE(to, first, given) api_take((to), sizeof *(to), (first), (given))
#define API_GIVE(to, from) api_give((to), (from), sizeof *(from))

#endif
