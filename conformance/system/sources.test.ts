import { startProcess } from '@crewhall/testkit/server-process.ts'
import { entries, useServer } from '@crewhall/testkit/test-server.ts'
import { expect, test } from 'vitest'

const server = useServer('product')

// All other tests start bundles, which is what makes them quick.
test.each(Object.entries(entries.product))(
  '%s starts from its sources, as an operator starts it',
  async (_, entry) => {
    const started = await startProcess({ entry, database_url: server.database.url, is_source: true })
    expect(started.child.spawnargs).toContainEqual(expect.stringMatching(/\/apps\/server\/src\/\w+\.ts$/))
    expect(await started.stop()).toBe(0)
  },
)
