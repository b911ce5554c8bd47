#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""A notebook in JupyterLab in headless Chromium, as a person uses it: opens it, runs all cells, interrupts one that does
not end, completes a name, asks for documentation, answers input(), restarts the kernel. Pictures of the page go to a
folder.

usage: lab.py NACRE PICTURES [CHROMIUM]
"""

import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

from playwright.sync_api import expect, sync_playwright

WAIT = 120  # seconds

CELLS = (
    "import numpy as np\nprint('hello from', 6 * 7)",
    "x, y = np.meshgrid(np.linspace(-3, 3, 200), np.linspace(-3, 3, 200))\nnp.exp(-x**2 - y**2) * np.sin(4 * x)",
    "import matplotlib.pyplot as plt\nt = np.linspace(0, 10, 200)\nplt.plot(t, np.sin(t), label='sin')\nplt.legend()\nplt.show()",
    "def broken(a):\n    return a / 0\nbroken(1)",
)

# What the page says of the notebook's session, once it has one: before, its indicator is idle too.
READY = """async () => {
    const notebook = window.jupyterapp.shell.currentWidget;
    await notebook.context.ready;
    await notebook.sessionContext.ready;
    await notebook.sessionContext.session.kernel.info;
}"""


def write_notebook(path, cells):
    def cell(source):
        return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
    path.write_text(json.dumps({"cells": [cell(source) for source in cells], "nbformat": 4, "nbformat_minor": 5, "metadata": {
        "kernelspec": {"name": "nacre", "display_name": "Nacre", "language": "python"}}}))


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextlib.contextmanager
def lab_server(folder, nacre):
    """A server of JupyterLab whose settings, workspaces and kernels are in a folder; gives its port."""
    port = free_port()
    subprocess.run([nacre, "kernel", "install", "--prefix", str(folder)], check=True, stdout=subprocess.DEVNULL)
    quiet = folder / "settings" / "@jupyterlab" / "apputils-extension"  # or it asks whether to show news
    quiet.mkdir(parents=True)
    (quiet / "notification.jupyterlab-settings").write_text('{"fetchNews": "false", "checkForUpdates": false}')
    environment = {**os.environ, "JUPYTER_PATH": str(folder / "share" / "jupyter"), "JUPYTER_CONFIG_DIR": str(folder / "config"),
                   "JUPYTER_RUNTIME_DIR": str(folder / "runtime"), "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
                   "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"), "XDG_DATA_HOME": str(folder / "data")}
    command = [pathlib.Path(sys.executable).parent / "jupyter", "lab", "--no-browser", "--expose-app-in-browser", "--allow-root",
               "--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0", "--IdentityProvider.token=",
               "--ServerApp.password=", "--ServerApp.disable_check_xsrf=True", f"--ServerApp.root_dir={folder / 'work'}"]
    with open(folder / "server.log", "w", encoding="utf-8") as log:
        server = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=environment, start_new_session=True)
    try:
        end = time.monotonic() + WAIT
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/api/status", timeout=2)
                break
            except OSError:
                assert server.poll() is None and time.monotonic() < end, (folder / "server.log").read_text()
                time.sleep(0.1)
        yield port
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(30)


class Page:
    """The notebook's page."""

    def __init__(self, page, pictures):
        self.page, self.pictures, self.number = page, pictures, 0

    def picture(self, name):
        self.page.screenshot(path=self.pictures / f"{self.number}-{name}.png")
        self.number += 1

    def command(self, name):
        """Gives one of JupyterLab's commands, which does not depend on where the focus is."""
        self.page.evaluate("name => { window.jupyterapp.commands.execute(name); }", name)

    def wait_for_state(self, state):
        indicator = self.page.locator(".jp-Notebook-ExecutionIndicator:visible").first
        expect(indicator).to_have_attribute("data-status", state, timeout=1000 * WAIT)

    def new_cell(self, text, run=True):
        self.page.locator(".jp-Notebook .jp-Cell .cm-content").last.click()
        for key in ("Escape", "b", "Enter"):
            self.page.keyboard.press(key)
        self.page.keyboard.insert_text(text)
        if run:
            self.page.keyboard.press("Control+Enter")

    def outputs(self):
        return self.page.locator(".jp-Notebook .jp-OutputArea-output")


@contextlib.contextmanager
def timed(times, name):
    start = time.monotonic()
    yield
    times[name] = time.monotonic() - start


def check(page, port, times):
    with timed(times, "notebook open, kernel ready"):
        page.page.goto(f"http://127.0.0.1:{port}/lab/tree/n.ipynb?reset", wait_until="domcontentloaded")
        page.page.locator(".jp-Notebook .jp-Cell").first.wait_for()
        page.page.wait_for_function("window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel")
        page.page.evaluate(READY)
        page.wait_for_state("idle")
    page.picture("open")

    with timed(times, "all cells run"):
        page.command("notebook:run-all-cells")
        page.page.locator(".jp-Notebook :text('ZeroDivisionError')").first.wait_for()
        page.wait_for_state("idle")
    expect(page.outputs().nth(0)).to_have_text("hello from 42\n")
    expect(page.page.locator(".jp-Notebook table td").first).to_be_visible()
    expect(page.page.locator(".jp-Notebook img[alt='heat map']")).to_be_visible()
    expect(page.page.locator(".jp-Notebook .jp-RenderedImage img")).to_be_visible()
    page.picture("all-cells")

    page.new_cell("print('runs')\nwhile True: pass")
    page.wait_for_state("busy")
    page.page.locator(".jp-Notebook .jp-OutputArea-output:has-text('runs')").first.wait_for()
    with timed(times, "interrupted"):
        page.command("notebook:interrupt-kernel")
        page.wait_for_state("idle")
    page.page.locator(".jp-Notebook :text('KeyboardInterrupt')").first.wait_for()
    page.picture("interrupted")

    page.new_cell("np.lin", run=False)
    with timed(times, "completed"):
        page.command("completer:invoke-notebook")
        items = page.page.locator(".jp-Completer:not(.lm-mod-hidden) .jp-Completer-item")
        items.first.wait_for(state="visible")
    assert any("linspace" in text for text in items.all_inner_texts()), items.all_inner_texts()
    page.picture("completion")
    page.page.keyboard.press("Escape")

    page.new_cell("np.linspace(", run=False)
    page.command("tooltip:launch-notebook")
    page.page.locator(".jp-Tooltip:has-text('linspace(')").wait_for()
    page.picture("documentation")
    page.page.keyboard.press("Escape")

    page.new_cell("name = input('Name? ')\nprint('Hello,', name)")
    box = page.page.locator(".jp-Stdin-input")
    box.wait_for()
    box.fill("Ada")
    box.press("Enter")
    page.page.locator(".jp-OutputArea-output:has-text('Hello, Ada')").first.wait_for()
    page.picture("input")

    with timed(times, "restarted"):
        page.command("kernelmenu:restart")
        page.page.click(".jp-Dialog .jp-mod-accept:has-text('Restart')")
        page.page.evaluate(READY)
        page.wait_for_state("idle")
    page.new_cell("x")
    page.page.locator(".jp-Notebook :text(\"name 'x' is not defined\")").first.wait_for()
    page.picture("restarted")


def main():
    nacre, pictures = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    chromium = sys.argv[3] if len(sys.argv) > 3 else "/usr/bin/chromium"
    pictures.mkdir(parents=True, exist_ok=True)
    times, errors = {}, []
    with tempfile.TemporaryDirectory(prefix="nacre-lab-", ignore_cleanup_errors=True) as name, sync_playwright() as playwright:
        folder = pathlib.Path(name)
        (folder / "work").mkdir()
        write_notebook(folder / "work" / "n.ipynb", CELLS)
        with lab_server(folder, nacre) as port:
            browser = playwright.chromium.launch(executable_path=chromium, headless=True,
                                                 args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"])
            page = Page(browser.new_page(viewport={"width": 1280, "height": 1400}), pictures)
            page.page.set_default_timeout(1000 * WAIT)
            page.page.on("pageerror", lambda error: errors.append(str(error)))
            try:
                check(page, port, times)
            except BaseException:
                page.picture("failed")
                print((folder / "server.log").read_text()[-3000:])
                raise
            browser.close()
    assert not errors, errors
    for what, seconds in times.items():
        print(f"{what:32} {seconds:6.2f} s")
    print("pictures are in", pictures)


main()
