// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A picture of the communication between ranks.

#ifndef NACRE_HOSTS_CLI_RANK_MAP_H
#define NACRE_HOSTS_CLI_RANK_MAP_H

#include "figures.h"

// Appends the picture as SVG. Returns false if memory runs out.
bool rank_map_put(const Figures *figures, const char *title, Text *out);

#endif
