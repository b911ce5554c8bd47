// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Progress reports to the host.

#ifndef NACRE_VM_API_PROGRESS_H
#define NACRE_VM_API_PROGRESS_H

#include "vm/api/api.h"

// Start and end of the outermost call; seconds between reports, 0 for none.
double progress_begin(NacreVm *handle);
void progress_end(NacreVm *handle);

#endif
