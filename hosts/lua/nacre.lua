-- SPDX-License-Identifier: Apache-2.0
-- Copyright 2026 The Nacre Authors
--
-- require "nacre": arrays for Lua 5.4 and LuaJIT, with one VM for each Lua state.
--
--   local nd = require "nacre"
--   local a = nd.linspace(0, 1, 11)
--   print((a * 2 + 1):sum())
--
-- Names are NumPy's: nd.NAME is numpy.NAME. docs/lua.md has the rest.

local provider = jit and "nacre.ffi" or "nacre.raw"
return require("nacre.core")(require(provider))
