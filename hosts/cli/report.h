// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Reports about a record as text, for the command and for notebooks.

#ifndef NACRE_HOSTS_CLI_REPORT_H
#define NACRE_HOSTS_CLI_REPORT_H

#include "record.h"

// Appends how each line's array work was run. `code`: text of a program that is not in a file, whose file name begins
// with '<', or NULL. `source`: include the text of machine code.
void explain_put(NacreVm *vm, const Record *record, const char *code, bool source, Text *out);

// Appends where the time of array work went, out of `seconds` in all. With the backend "cpu" (`backend` NULL or ""), it
// measures the machine's limits with the VM's threads, and compares the work with them; limits of devices are not
// measured.
void profile_put(const NacreVm *vm, const Record *record, double seconds, const char *backend, const char *code, Text *out);

#endif
