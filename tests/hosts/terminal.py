# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""A pseudo-terminal with a program at its other end, for the tests of prompts."""

import os
import pty
import select


def environment(extra):
    env = {k: v for k, v in os.environ.items() if not k.startswith("NACRE_")}
    return dict(env, **extra)


class Terminal:
    """A program at a terminal, and what it shows there."""

    def __init__(self, command, env):
        self.process, self.fd = pty.fork()
        if self.process == 0:
            os.execve(command[0], command, environment(env))
        self.shown = ""

    def read(self):
        """Waits for more; False at the end."""
        if not select.select([self.fd], [], [], 60)[0]:
            raise AssertionError("nothing more after:\n" + self.shown)
        try:
            data = os.read(self.fd, 10000)
        except OSError:  # how Linux tells that the other side is closed
            return False
        self.shown += data.decode(errors="surrogateescape").replace("\r\n", "\n")
        return bool(data)

    def wait_for(self, text):
        while text not in self.shown:
            if not self.read():
                raise AssertionError("ended without %r:\n%s" % (text, self.shown))
        seen, _, self.shown = self.shown.partition(text)
        return seen

    def type(self, text):
        os.write(self.fd, text.encode(errors="surrogateescape"))

    def end(self):
        """What is shown until the process ends, and its status."""
        while self.read():
            pass
        os.close(self.fd)
        return self.shown, os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
