// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The Jupyter kernel inside the command. It is in a library of its own (nacre-jupyter.so), so that the command runs
// without ZeroMQ. The library uses the command's copy of the functions of nacre.h.

#ifndef NACRE_HOSTS_JUPYTER_JUPYTER_H
#define NACRE_HOSTS_JUPYTER_JUPYTER_H

#include "nacre/nacre.h"

enum { JUPYTER_VERSION = 2 };

typedef enum JupyterPlace {
    JUPYTER_USER,       // the user's data folder
    JUPYTER_SYS_PREFIX, // the active Python environment
    JUPYTER_PREFIX      // FOLDER/share/jupyter
} JupyterPlace;

typedef struct JupyterInstall {
    const char *program; // absolute path of the command
    JupyterPlace place;
    const char *prefix;
    const char *name;    // NULL: "nacre", followed by the backend if there is one
    const char *backend; // NULL: the default backend
    int ranks;           // number of ranks that run each cell; 0: not given
} JupyterInstall;

// Functions of the library. Both return the exit status, and print errors to standard error.
typedef struct JupyterTable {
    int version;
    // Writes a kernelspec, by which clients find the kernel.
    int (*install)(const JupyterInstall *install);
    // Serves the clients of a connection file until a client shuts the kernel down or the parent process has ended. The
    // VM is created with `options`, whose callbacks are replaced. With `ranks` above 1, that many ranks run each cell,
    // in threads.
    int (*serve)(const NacreOptions *options, int ranks, const char *connection_file);
} JupyterTable;

// Type of "nacre_jupyter", the only function that the library exports.
typedef const JupyterTable *(*JupyterFn)(void);

#endif
