// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Installation of the kernel (install.c).

#ifndef NACRE_HOSTS_JUPYTER_INSTALL_H
#define NACRE_HOSTS_JUPYTER_INSTALL_H

#include "jupyter.h"

int jupyter_install(const JupyterInstall *install); // see JupyterTable

#endif
