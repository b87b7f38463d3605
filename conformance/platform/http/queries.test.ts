import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { describe, expect, test } from 'vitest'

const server = useSharedServer('probe')
const list = async (query: string) => {
  const response = await server.get(`/api/v1/probe/rows?${query}`)
  return { status: response.status, body: (await response.json()) as { rows: unknown[]; detail: string } }
}

const notWhole = [
  '1e1',
  '%2010',
  '10%20',
  '+10',
  '%2b10',
  '-0',
  '0',
  '-1',
  '00',
  '01',
  '0x1',
  '10.0',
  '1_0',
  '',
  '%D9%A1',
  '51',
  '2147483648',
  '9007199254740993',
  '99999999999999999999',
  '1e400',
  'NaN',
  'Infinity',
  '1;limit=2',
]
test.each(notWhole)('limit=%s is refused with its rule', async (text) => {
  const { status, body } = await list(`limit=${text}`)
  expect([status, body.detail]).toEqual([422, 'limit: must be a whole number from 1 to 50'])
})

test.each(['1', '50'])('limit=%s is taken', async (text) => {
  const { status, body } = await list(`limit=${text}`)
  expect([status, body.rows.length]).toEqual([200, Number(text)])
})

test('a parameter sent twice is refused, also when both are the same', async () => {
  for (const query of ['limit=10&limit=10', 'limit=10&limit=20']) {
    const { status, body } = await list(query)
    expect(status).toBe(422)
    expect(body.detail).toMatch(/^limit: /)
  }
})

test.each(['1', '0', 'TRUE', 'yes', '', 'on'])('newest=%s is not a boolean', async (text) => {
  expect((await list(`newest=${text}`)).status).toBe(422)
})

test('a NUL in a query is refused', async () => {
  const { status, body } = await list('name=a%00b')
  expect([status, body.detail]).toEqual([422, 'name: must not contain NUL or unpaired surrogates'])
})

describe('escapes that decode to nothing', () => {
  test.each(['%zz', '%', '%ff', '%ed%a0%80', '%c0%80'])('%s is never a fault of ours', async (text) => {
    expect((await list(`name=${text}`)).status).toBeLessThan(500)
    expect((await list(`${text}=1`)).status).toBeLessThan(500)
    expect((await list(`limit=${text}`)).status).toBe(422)
  })
})

test.each(['__proto__=1', '__proto__[limit]=1', 'constructor=1', 'toString=1', 'hasOwnProperty=1'])(
  '%s is an unknown parameter like any other',
  async (query) => {
    const { status, body } = await list(`${query}&limit=3`)
    expect([status, body.rows.length]).toEqual([200, 3])
  },
)

test('two thousand parameters are answered', async () => {
  expect((await list(`${'a=1&'.repeat(2000)}limit=1`)).status).toBe(200)
})
