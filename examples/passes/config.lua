-- SPDX-License-Identifier: Apache-2.0
-- Copyright 2026 The Nacre Authors
--
-- A configuration: nacre --config config.lua power.ncr, or as ~/.config/nacre/config.lua for all programs. What the
-- command line and the environment say counts more.

backend = {"cpu"}                -- or {"opencl", "cpu"}: the first that has a device
tier = "auto"                    -- machine code for what costs enough
threads = 2
memory_limit = "8G"
time_limit = 600                 -- seconds
operations = {sort = "cpu", argsort = "cpu"} -- on the host, whatever the backend
use = {algebra = true}           -- the engine's own passes
passes = {"tune.lua"}            -- beside this file
