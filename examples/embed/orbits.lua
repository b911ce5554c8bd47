-- SPDX-License-Identifier: Apache-2.0
-- Copyright 2026 The Nacre Authors
--
-- A small system of planets in Lua, by arrays: runs under Lua 5.4 and LuaJIT.

local nd = require "nacre"

local rng = nd.random.default_rng(3)
local count, dt = 200, 0.001
local place = rng:uniform(-1, 1, {size = nd.tuple{count, 3}})
local speed = nd.zeros_like(place)
local mass = rng:uniform(0.5, 1.5, {size = count})

-- What costs the most is said in Nacre's own language.
local pull = nd.func [[
    import numpy as np

    def pull(place, mass, soft=0.2):
        d = place[None, :, :] - place[:, None, :]
        r2 = (d * d).sum(axis=2) + soft * soft
        return (d * (mass / (r2 * np.sqrt(r2)))[:, :, None]).sum(axis=1)
]]

local function energy()
  return (mass * (speed * speed):sum{axis = 1}):sum() / 2
end

for step = 1, 20 do
  speed = speed + pull(place, mass) * dt
  place = place + speed * dt
  if step % 10 == 0 then print(("step %d: %.6f"):format(step, energy())) end
end
print(("drift of the centre %.1e"):format(nd.abs((mass["..., None"] * speed):sum{axis = 0}):max() / count))
