// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The list of backends that are linked in.

#include "backends/backend.h"

const Backend *const backends[] = {&backend_cpu, &backend_mirror, NULL};
