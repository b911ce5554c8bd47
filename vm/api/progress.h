// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Telling the host how far a run has come.

#ifndef NACRE_VM_API_PROGRESS_H
#define NACRE_VM_API_PROGRESS_H

#include "vm/api/api.h"

// The outermost call begins: seconds between two such tales, 0 if the host does not want any; and ends.
double progress_begin(NacreVm *handle);
void progress_end(NacreVm *handle);

#endif
