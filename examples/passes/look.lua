-- SPDX-License-Identifier: Apache-2.0
-- Copyright 2026 The Nacre Authors
--
-- Tells which operations follow a product at once, and where: nacre run --pass look.lua power.ncr

nacre.pass{name = "look", operations = {"matmul"}, run = function(plan)
  for node in plan:each() do
    for i = 1, node.operands do
      local writer = node:writer(i)
      if writer and writer.operation == "matmul" then
        print(("line %d: %s of a product of %d x %d"):format(node.line, node.operation, writer.shape[1], writer.shape[2] or 1))
      end
    end
  end
end}
