// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Reports about a record, as text: for the command and for notebooks.

#ifndef NACRE_HOSTS_CLI_REPORT_H
#define NACRE_HOSTS_CLI_REPORT_H

#include "record.h"

// What became of each line's array work; `code`: the text of a program in no file, whose name begins with '<', or NULL;
// `source`: with the text of machine code.
void explain_put(NacreVm *vm, const Record *record, const char *code, bool source, Text *out);

// Where the time of array work went, of `seconds` in all, beside what the machine can do with the VM's threads, which
// is measured; not beside a device's, which is not. `backend`: the VM's; NULL or "": the processor.
void profile_put(const NacreVm *vm, const Record *record, double seconds, const char *backend, const char *code, Text *out);

#endif
