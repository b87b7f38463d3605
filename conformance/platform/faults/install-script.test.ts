import { type FaultProxy, startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { changingPrograms, useStubbedShell } from '@crewhall/testkit/stubbed-shell.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'

const publicUrl = 'http://crewhall.example.com'
const server = useServer('product')
const shell = useStubbedShell(changingPrograms)
let proxy: FaultProxy
let url = ''

beforeAll(async () => {
  const { hostname, port } = new URL(server.database.url)
  proxy = await startFaultProxy({ host: hostname, port: Number(port) })
  const through = { DATABASE_URL: proxy.through(server.database.url), PUBLIC_URL: publicUrl }
  url = (await server.start('api', { ...through, HTTP_DEADLINE_MS: '2000' })).url
})
afterAll(() => proxy?.close())

test.each(['drop', 'half_open'] as const)(
  'check 4: with a database that is gone (%s), the install command gets a script that says so and does nothing',
  async (kind) => {
    proxy.set({ kind })
    try {
      const query = new URLSearchParams({
        pat: `dsk_${'A'.repeat(43)}`,
        env_id: '3f8a6c1e-52d4-4b7a-9c0e-1a2b3c4d5e6f',
        url: publicUrl,
        runtime: 'codex',
      })
      const response = await fetch(`${url}/install/sidecar?${query}`)
      expect([response.status, response.headers.get('content-type')]).toEqual([
        503,
        'text/plain; charset=utf-8',
      ])
      const { code, stdout, stderr, effects } = shell.run(await response.text())
      expect([code, stdout, effects]).toEqual([1, '', []])
      expect(stderr).toMatch(/^crewhall: .+\n$/)
    } finally {
      proxy.set({ kind: 'none' })
    }
  },
)
