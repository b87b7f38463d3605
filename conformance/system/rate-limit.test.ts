import { useServer } from '@crewhall/testkit/test-server.ts'
import { expect, test } from 'vitest'

const server = useServer('product', { HTTP_RATE_LIMIT_PER_MINUTE: '5' })

const statusesOf = async (path: string, calls: number) => {
  const answers = await Promise.all(Array.from({ length: calls }, () => server.get(path)))
  return answers.map(({ status }) => status)
}

test('SYS-06 SYS-G8 health is not limited while other routes answer 429 with a detail', async () => {
  expect(new Set(await statusesOf('/api/v1/system/health', 50))).toEqual(new Set([200]))

  const info = await statusesOf('/api/v1/system/info', 8)
  expect(info.filter((status) => status === 200)).toHaveLength(5)
  expect(info.filter((status) => status === 429)).toHaveLength(3)

  const refused = await server.get('/api/v1/system/info')
  expect(refused.status).toBe(429)
  expect(await refused.json()).toEqual({ detail: 'Too many requests' })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)

  expect(new Set(await statusesOf('/api/v1/system/health', 50))).toEqual(new Set([200]))
})
