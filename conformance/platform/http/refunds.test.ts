import { useServer } from '@crewhall/testkit/test-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { BoardWorkspace } from '../../boards/board-workspace.ts'

const perCredential = 1000
const server = useServer('product', { HTTP_RATE_LIMIT_PER_CREDENTIAL: String(perCredential) })
let workspace: BoardWorkspace
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
})

/** Statuses of many reads, eight at a time. */
async function read(times: number, tag: string): Promise<Map<number, number>> {
  const found = new Map<number, number>()
  const numbers = Array.from({ length: times }).keys()
  const ask = async () => {
    for (const _ of numbers) {
      const { status } = await workspace.call('GET', '/boards', undefined, { 'if-none-match': tag })
      found.set(status, (found.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: 8 }, ask))
  return found
}

test('S11 of 4,000 reads with If-None-Match: * as many pass as of any others', async () => {
  const startedAt = performance.now()
  const found = await read(4000, '*')
  // Each minute that began meanwhile had a limit of its own.
  const minutes = 1 + Math.ceil((performance.now() - startedAt) / 60_000)
  expect((found.get(304) ?? 0) + (found.get(429) ?? 0)).toBe(4000)
  expect(found.get(304)).toBeLessThanOrEqual(perCredential * minutes)
})

test('S11 an address pays for what is unchanged, also with a tag that was read', async () => {
  const api = await server.start('api', {
    HTTP_RATE_LIMIT_PER_MINUTE: '20',
    HTTP_RATE_LIMIT_PER_CREDENTIAL: '0',
  })
  const ask = (headers: Record<string, string> = {}) =>
    fetch(`${api.url}/api/v1/board/boards`, {
      headers: { authorization: `Bearer ${workspace.token}`, ...headers },
    })
  const tag = (await ask()).headers.get('etag') ?? ''
  const statuses: number[] = []
  for (let n = 0; n < 20; n += 1) statuses.push((await ask({ 'if-none-match': tag })).status)
  expect(statuses.filter((status) => status === 304)).toHaveLength(19)
  expect(statuses.at(-1)).toBe(429)
})
