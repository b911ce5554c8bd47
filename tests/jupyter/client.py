# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""A kernel of the program that is tested, and its client: what the tests of this folder share."""

import os
import subprocess
import sys
import tempfile
import time

try:
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_client.manager import KernelManager
except ImportError:
    print("jupyter_client is not installed")
    sys.exit(77)

NACRE = os.path.abspath(sys.argv[1])
WAIT = 60  # seconds; what takes them has failed


def install(folder):
    """Installs the kernel below a folder, for this process's clients; returns False where it was not built."""
    done = subprocess.run([NACRE, "kernel", "install", "--prefix", folder], capture_output=True, text=True)
    if "cannot be opened" in done.stderr:
        return False
    assert done.returncode == 0, done.stderr
    os.environ["JUPYTER_PATH"] = os.path.join(folder, "share", "jupyter")
    os.environ["JUPYTER_RUNTIME_DIR"] = os.path.join(folder, "runtime")
    os.environ["XDG_DATA_HOME"] = os.path.join(folder, "data")
    return True


_folder = tempfile.TemporaryDirectory(prefix="nacre-jupyter-")
if not install(_folder.name):
    print("the kernel was not built")
    sys.exit(77)
FOLDER = _folder.name


class Kernel:
    """A kernel that runs, with a client whose channels are open. To be used in a `with` statement."""

    def __init__(self, name="nacre", **options):
        self.manager = KernelManager(kernel_name=name, **options)
        self.manager.start_kernel(cwd=FOLDER)
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=WAIT)

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    @property
    def process(self):
        return self.manager.provisioner.process

    def until_idle(self, request):
        """All messages on IOPub that answer a request, up to idle."""
        messages = []
        while True:
            message = self.client.get_iopub_msg(timeout=WAIT)
            if message["parent_header"].get("msg_id") != request:
                continue
            messages.append(message)
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return messages

    def reply_to(self, request, get=None):
        """The answer to a request on the shell channel, or where `get` takes it from."""
        while True:
            message = (get or self.client.get_shell_msg)(timeout=WAIT)
            if message["parent_header"].get("msg_id") == request:
                return message

    def run(self, code, **options):
        """Runs a cell: (content of the reply, messages on IOPub)."""
        request = self.client.execute(code, **options)
        messages = self.until_idle(request)
        return self.reply_to(request)["content"], messages

    def text(self, code, stream="stdout", **options):
        """What a cell writes; it has to end well."""
        reply, messages = self.run(code, **options)
        assert reply["status"] == "ok", "\n".join(reply["traceback"])
        return text_of(messages, stream)

    def value(self, code):
        """The text of a cell's value."""
        reply, messages = self.run(code)
        assert reply["status"] == "ok", "\n".join(reply["traceback"])
        return next(m["content"]["data"]["text/plain"] for m in messages if m["msg_type"] == "execute_result")

    def wait_busy(self, request):
        """Until a cell runs, and has written a line."""
        while True:
            message = self.client.get_iopub_msg(timeout=WAIT)
            if message["parent_header"].get("msg_id") == request and message["msg_type"] == "stream":
                return

    def control(self, kind, content=None):
        """Sends a request on the control channel; returns its number."""
        message = self.client.session.msg(kind, content or {})
        self.client.control_channel.send(message)
        return message["header"]["msg_id"]


def text_of(messages, stream="stdout"):
    return "".join(m["content"]["text"] for m in messages
                   if m["msg_type"] == "stream" and m["content"]["name"] == stream)


def of_type(messages, kind):
    return [m["content"] for m in messages if m["msg_type"] == kind]


def wait_for_end(process, seconds=WAIT):
    """Whether a process ends in time."""
    end = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < end:
        time.sleep(0.005)
    return process.poll() is not None
