-- SPDX-License-Identifier: Apache-2.0
-- Copyright 2026 The Nacre Authors
--
-- Prints how many seconds a chain of five operations on 10^7 numbers takes in Lua, and as a script in the same VM: one
-- whose operations each need the last one's result, and one in which two of them are needed at the end. Of the
-- second, Lua still has one in a register when the result is looked at, so it is held, and stored.

local nd = require "nacre"
nd.run [[
import time
import numpy as np
n = 10**7
a, b = np.arange(n, dtype=np.float64), np.ones(n)

def straight():
    r = ((a * 2 + b) * a - b) / 3
    return float(r[5])

def forked():
    r = (a * 2 + b) * a - b / 3
    return float(r[5])

def seconds(f):
    t = time.perf_counter()
    f()
    return time.perf_counter() - t
]]
local a, b, seconds = nd.globals.a, nd.globals.b, nd.globals.seconds

local chains = {
  straight = function()
    local r = ((a * 2 + b) * a - b) / 3
    return r[6]
  end,
  forked = function()
    local r = (a * 2 + b) * a - b / 3
    return r[6]
  end,
}

for name, chain in pairs(chains) do
  local in_lua = nd.callback("in_lua", "", function() chain() end)
  local ours, theirs = {}, {}
  for turn = 1, 12 do
    ours[turn], theirs[turn] = seconds(in_lua), nd.eval("seconds(" .. name .. ")")
  end
  table.remove(ours, 1)
  table.remove(theirs, 1)
  table.sort(ours)
  table.sort(theirs)
  print(("%s %.9f"):format(name, ours[6]))
  print(("%s_script %.9f"):format(name, theirs[6]))
end
