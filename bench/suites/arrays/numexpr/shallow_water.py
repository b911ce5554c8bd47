# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
import numexpr

LINES = {"kept": "({0}0 + {0}1) / 2 - DT / 2 * (",
         "pressed": "{0}0 * {0}0 / h0 + G / 2 * h0 * h0 - {0}1 * {0}1 / h1 - G / 2 * h1 * h1)",
         "carried": "{1}0 * {0}0 / h0 - {1}1 * {0}1 / h1)"}
PRESSED = {name: (LINES["kept"] + LINES["pressed"]).format(name) for name in "uv"}
CARRIED = {name: (LINES["kept"] + LINES["carried"]).format(name, other)
           for name, other in ("uv", "vu")}
WHOLE = "old - DT * (x1 - x0) - DT * (y1 - y0)"


def prepared(h, u, v, steps):
    n = h.shape[0] - 2
    rooms = [np.empty((n + 1, n)) for _ in range(4)] + [np.empty((n, n + 1)) for _ in range(4)]
    return h, u, v, steps, rooms


def whole(a, x, y):
    numexpr.evaluate(WHOLE, {"old": a, "DT": DT, "x0": x[:-1], "x1": x[1:], "y0": y[:, :-1],
                             "y1": y[:, 1:]}, out=a)


def step(h, u, v, hx, ux, vx, x, hy, uy, vy, y):
    reflect(h, u, v)
    h0, h1, u0, u1, v0, v1 = (a[i, 1:-1] for a in (h, u, v) for i in (slice(1, None), slice(-1)))
    numexpr.evaluate("(h0 + h1) / 2 - DT / 2 * (u0 - u1)", out=hx)
    numexpr.evaluate(PRESSED["u"], out=ux)
    numexpr.evaluate(CARRIED["v"], out=vx)
    h0, h1, u0, u1, v0, v1 = (a[1:-1, i] for a in (h, u, v) for i in (slice(1, None), slice(-1)))
    numexpr.evaluate("(h0 + h1) / 2 - DT / 2 * (v0 - v1)", out=hy)
    numexpr.evaluate(CARRIED["u"], out=uy)
    numexpr.evaluate(PRESSED["v"], out=vy)

    whole(h[1:-1, 1:-1], ux, vy)
    numexpr.evaluate("ux * ux / hx + G / 2 * hx * hx", out=x)
    numexpr.evaluate("vy * uy / hy", out=y)
    whole(u[1:-1, 1:-1], x, y)
    numexpr.evaluate("ux * vx / hx", out=x)
    numexpr.evaluate("vy * vy / hy + G / 2 * hy * hy", out=y)
    whole(v[1:-1, 1:-1], x, y)


def run(h, u, v, steps, rooms):
    h, u, v = h.copy(), u.copy(), v.copy()
    for _ in range(steps):
        step(h, u, v, *rooms)
    return h, u, v
