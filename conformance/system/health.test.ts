import { Health } from '@crewhall/contracts/system/system.ts'
import { bestOfThree } from '@crewhall/testkit/best-of-three.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { describe, expect, test } from 'vitest'

const path = '/api/v1/system/health'
const server = useSharedServer('product')

test('SYS-01 SYS-02 SYS-04 SYS-05 health answers 200 and healthy without a credential', async () => {
  const response = await server.get(path)
  expect(response.status).toBe(200)
  const body: unknown = await response.json()
  expect(body).toEqual({
    status: 'healthy',
    timestamp: expect.any(String),
    services: { database: 'connected', redis: 'connected' },
  })
  expect(Health.safeParse(body).success).toBe(true)
})

test('SYS-14 the timestamp of health is the time of the answer, in UTC', async () => {
  const before = Date.now()
  const { timestamp } = Health.parse(await (await server.get(path)).json())
  expect(timestamp).toMatch(/Z$/)
  expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(before)
  expect(Date.parse(timestamp)).toBeLessThanOrEqual(Date.now())
})

test('SYS-07 health answers in under 50 ms in most of 200 calls', async () => {
  const measure = async () => {
    const times: number[] = []
    for (let call = 0; call < 200; call += 1) {
      const start = performance.now()
      const response = await server.get(path)
      await response.arrayBuffer()
      times.push(performance.now() - start)
      expect(response.status).toBe(200)
    }
    return times.sort((a, b) => a - b)[100] ?? Number.NaN
  }
  // Others run their tests beside this one, and not at all times as many.
  expect(await bestOfThree(measure, (median) => median < 50)).toBeLessThan(50)
})

describe('SYS-G2 a bad credential on a public route is ignored', () => {
  const credentials: Record<string, Record<string, string>> = {
    'an unknown token': { authorization: 'Bearer chp_0000000000000000' },
    'a scheme nobody knows': { authorization: 'Negotiate !!!' },
    'an empty authorization': { authorization: '' },
    'an expired session': { cookie: 'crewhall_session=expired' },
    'a wrong admin key': { 'x-admin-key': 'wrong' },
  }
  test.each(Object.entries(credentials))('%s', async (_, headers) => {
    for (const target of [path, '/api/v1/system/info']) {
      expect((await server.get(target, { headers })).status).toBe(200)
    }
  })
})
