import { defineConfig } from 'vitest/config'

/** Whole machines of their own, one file at a time; `npm run test:e2e` prepares what they need. */
export default defineConfig({
  test: {
    name: 'e2e',
    include: ['e2e/**/*.test.ts'],
    reporters: [
      ['./tools/test-times/failure-reporter.ts', { file: '.reports/failed-e2e' }],
      'default',
      ['json', { outputFile: '.reports/e2e.json' }],
    ],
    globalSetup: ['packages/testkit/src/templates.ts', 'packages/testkit/src/hosts/host-cleaning.ts'],
    fileParallelism: false,
    // They end what would never end, on a slow machine too.
    testTimeout: 300_000,
    hookTimeout: 360_000,
  },
})
