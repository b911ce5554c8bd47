-- SPDX-License-Identifier: Apache-2.0
-- Copyright 2026 The Nacre Authors
--
-- Arrays that are on a device: on the one that NACRE_TEST_DEVICE names, else the mirror.

local check = require "check"
local nd = require "nacre"
local same, raises = check.same, check.raises

local device = os.getenv("NACRE_TEST_DEVICE") or "mirror"
local x = nd.arange(100000.0)
local there = x:to(device)
same(x:device(), "cpu")
same(there:device(), device)

-- What is made of it is computed there, and what is made of others is not.
local y = there * 2 + 1
same(y:device(), device)
same((x * 2):device(), "cpu")
local before = nd.stats().bytes_device_to_host
same(y:sum(), 100000 * 100000)
same(y[2], 3)
check.is_true(nd.stats().bytes_device_to_host - before < 1000)

-- The copy is one, and comes back.
there[1] = 5
same(x[1], 0)
local back = there:to("cpu")
same(back:device(), "cpu")
same(back[1], 5)
same(there:to(device .. ":0"):device(), device)

raises("ValueError", function() return x:to("nowhere") end)
raises("TypeError", function() return x:to(3) end)
-- Only arrays have these words.
same(nd.eval("type('Thing', (), {'device': 'its own'})()").device, "its own")
check.done()
