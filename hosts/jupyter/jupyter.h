// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The Jupyter kernel inside the command. It is a library of its own (nacre-jupyter.so), so that the command runs
// without ZeroMQ; what it takes of nacre.h is the command's.

#ifndef NACRE_HOSTS_JUPYTER_JUPYTER_H
#define NACRE_HOSTS_JUPYTER_JUPYTER_H

#include "nacre/nacre.h"

enum { JUPYTER_VERSION = 2 };

typedef enum JupyterPlace {
    JUPYTER_USER,       // the folder of the user's data
    JUPYTER_SYS_PREFIX, // the environment of Python that is active
    JUPYTER_PREFIX      // FOLDER/share/jupyter
} JupyterPlace;

typedef struct JupyterInstall {
    const char *program; // absolute path of the command
    JupyterPlace place;
    const char *prefix;
    const char *name;    // NULL: "nacre", with the backend behind it
    const char *backend; // NULL: the default
    int ranks;           // that run each cell; 0: nobody has said
} JupyterInstall;

// Both functions return the exit status, and say on standard error what went wrong.
typedef struct JupyterTable {
    int version;
    // Writes a kernelspec, by which clients find the kernel.
    int (*install)(const JupyterInstall *install);
    // Serves the clients of a connection file until they end it or the parent process is gone. The VM is made with
    // `options`, whose callbacks are filled in; each cell is run by so many ranks, in threads.
    int (*serve)(const NacreOptions *options, int ranks, const char *connection_file);
} JupyterTable;

// The library's only function, "nacre_jupyter".
typedef const JupyterTable *(*JupyterFn)(void);

#endif
