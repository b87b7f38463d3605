import { asAdmin } from '@crewhall/testkit/databases.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { describe, expect, test } from 'vitest'

const server = useServer('probe')
const json = (method: string, body: unknown) => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
const rows = '/api/v1/probe/rows'
const thing = (id: string) => `/api/v1/probe/things/${id}`
const upper = 'A7B3C9D1-52E4-4F68-9A0B-1C2D3E4F5A6B'

test('SYS-14 timestamps are written in UTC whatever zone the process and the database think in', async () => {
  await asAdmin(`alter database ${server.database.name} set timezone to 'Asia/Kolkata'`)
  const api = await server.start('api', { TZ: 'Pacific/Kiritimati' })
  const before = Date.now()
  const response = await fetch(`${api.url}${rows}`, json('POST', { name: 'zone' }))
  const { created_at } = (await response.json()) as { created_at: string }
  expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
  expect(Math.abs(Date.parse(created_at) - before)).toBeLessThan(30_000)
})

describe('SYS-15 a UUID', () => {
  test('in upper case in a path is the same and comes out in lower case', async () => {
    const response = await server.get(thing(upper), json('PUT', { on: true }))
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ thing_id: upper.toLowerCase() })
  })

  test('in upper case in a body comes out in lower case and names the same thing', async () => {
    const first = await server.get('/api/v1/probe/marks', json('POST', { key: upper }))
    expect(await first.json()).toEqual({ key: upper.toLowerCase() })
    const { length: rowCount } = await server.sql('select from probe.marks where key = $1', [
      upper.toLowerCase(),
    ])
    expect(rowCount).toBe(1)
  })

  test.each([`{${upper}}`, `urn:uuid:${upper}`, upper.replaceAll('-', ''), ` ${upper}`, `${upper}0`])(
    'is not written %s',
    async (key) => {
      expect((await server.get('/api/v1/probe/marks', json('POST', { key }))).status).toBe(422)
    },
  )
})

describe('SYS-G5 what a contract does not know', () => {
  test('is ignored in a query', async () => {
    const response = await server.get(`${rows}?limit=2&unknown=1&limit_value=x`)
    expect(response.status).toBe(200)
    expect(((await response.json()) as { rows: unknown[] }).rows).toHaveLength(2)
  })

  test('is ignored in a body', async () => {
    const response = await server.get(rows, json('POST', { name: 'n', unknown: { deep: [1] }, id: 5 }))
    expect(response.status).toBe(201)
    const body = (await response.json()) as object
    expect(Object.keys(body)).toEqual(['id', 'name', 'created_at'])
    expect(body).not.toMatchObject({ id: 5 })
  })

  test('is refused by name where the contract is strict', async () => {
    const strict = await server.get('/api/v1/probe/entries:near', json('POST', { depth: 1, unknown: 1 }))
    expect(strict.status).toBe(422)
    expect(await strict.json()).toEqual({ detail: 'unknown: unknown field' })
  })
})

describe('SYS-G10 a path value that cannot name anything', () => {
  test.each(['abc', '0', '-1', '1.0', '1e3', '99999999999', '%20', "1'--"])(
    '%s gets the 404 of its route',
    async (id) => {
      const response = await server.get(`${rows}/${id}`)
      expect(response.status).toBe(404)
      expect(await response.json()).toEqual({ detail: 'Row not found' })
    },
  )

  test('gets the same answer as one that nothing bears', async () => {
    const missing = await server.get(`${rows}/999999999`)
    const malformed = await server.get(`${rows}/not-a-number`)
    expect([malformed.status, await malformed.text()]).toEqual([missing.status, await missing.text()])
  })

  test('is 404 even when the body is malformed too', async () => {
    const response = await server.get(thing('not-a-uuid'), json('PUT', { on: 'x' }))
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({ detail: 'Not found' })
  })
})
