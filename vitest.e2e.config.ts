import { defineConfig } from 'vitest/config'

/** Whole machines of their own; `npm run test:e2e` prepares what they need. */
export default defineConfig({
  test: {
    name: 'e2e',
    include: ['e2e/**/*.test.ts'],
    reporters: [
      ['./tools/test-times/failure-reporter.ts', { file: '.reports/failed-e2e' }],
      'default',
      ['json', { outputFile: '.reports/e2e.json' }],
    ],
    globalSetup: [
      'tools/build/bundle-programs.ts',
      'packages/testkit/src/templates.ts',
      'packages/testkit/src/hosts/host-cleaning.ts',
    ],
    // They mostly wait. Machines, networks and devices have names of their own, so that two files do not meet.
    maxWorkers: 2,
    // They end what would never end, on a slow machine too.
    testTimeout: process.env.ROUNDS === 'full' ? 3_600_000 : 300_000,
    hookTimeout: 360_000,
  },
})
