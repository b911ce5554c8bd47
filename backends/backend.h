// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The backends that are part of the library. Their table of functions is described in vm/plugin/backend.h, which the
// scheduler includes.

#ifndef NACRE_BACKENDS_BACKEND_H
#define NACRE_BACKENDS_BACKEND_H

#include "vm/plugin/backend.h"

extern const Backend backend_cpu, backend_mirror;

#endif
