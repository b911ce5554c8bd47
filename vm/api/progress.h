// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Progress reports to the host.

#ifndef NACRE_VM_API_PROGRESS_H
#define NACRE_VM_API_PROGRESS_H

#include "vm/api/api.h"

// Called at the start and end of an outermost call. progress_begin returns the seconds between reports; 0: none.
double progress_begin(NacreVm *handle);
void progress_end(NacreVm *handle);

#endif
