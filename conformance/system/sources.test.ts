import { startProcess } from '@crewhall/testkit/server-process.ts'
import { entries, useServer } from '@crewhall/testkit/test-server.ts'
import { expect, test } from 'vitest'

const server = useServer('product')

// All other tests start bundles, which is what makes them quick.
// A hub changes the network of its machine, so e2e/ starts it, on machines of its own.
test.each(['api', 'worker'] as const)(
  '%s starts from its sources, as an operator starts it',
  async (name) => {
    const entry = entries.product[name]
    const started = await startProcess({ entry, database_url: server.database.url, is_source: true })
    expect(started.child.spawnargs).toContainEqual(expect.stringMatching(/\/apps\/server\/src\/\w+\.ts$/))
    expect(await started.stop()).toBe(0)
  },
)
