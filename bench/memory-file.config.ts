import { defineConfig } from 'vitest/config'

// Without the databases of other tests, which may be in use elsewhere, and without a report over that of the gate.
export default defineConfig({
  test: {
    include: ['apps/server/src/modules/memory/export/memory-file.test.ts'],
    testNamePattern: /C25/,
    reporters: ['default'],
    testTimeout: 300_000,
  },
})
