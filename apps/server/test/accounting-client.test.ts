import { type ApiError, clientOf } from '@crewhall/client/client.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { expect, test } from 'vitest'
import { probeRoutes } from './probe/probe.contract.ts'

const server = useSharedServer('probe')
const probe = () => clientOf(probeRoutes, { base_url: server.api.url }).probe
const failed = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: ApiError) => error,
  )

test('there is a method for every contract', () => {
  expect(Object.keys(probe())).toEqual(Object.keys(probeRoutes.probe))
})

test('a path value reaches its route and the answer has the type of the contract', async () => {
  const { status, body } = await probe().readRow({ params: { id: '7' } })
  expect([status, body.id, body.name]).toEqual([200, 7, 'row 7'])
})

test.each(['1/../2', '1?x=1', '1#x', '1%2f', '..%2f', 'é 1', '1&limit=1'])(
  'the path value %s stays one value of the path',
  async (id) => {
    expect(await failed(probe().readRow({ params: { id } }))).toMatchObject({
      status: 404,
      detail: 'Row not found',
    })
  },
)

test('query values are encoded, and those that are undefined are left out', async () => {
  const { body } = await probe().listRows({ query: { limit: '3', name: 'a&limit=9 +%', newest: undefined } })
  expect(body.rows).toHaveLength(3)
})

test('a body arrives as it was given', async () => {
  const name = '😀 "quoted" \\ \u2028'
  const { status, body } = await probe().addRow({ body: { name } })
  expect([status, body.name]).toEqual([201, name])
})

test('params and body of one call both arrive', async () => {
  const thing_id = 'A7B3C9D1-52E4-4F68-9A0B-1C2D3E4F5A6B'
  const { body } = await probe().putThing({ params: { thing_id }, body: { on: true, tags: ['a'] } })
  expect(body).toEqual({ thing_id: thing_id.toLowerCase(), on: true, limit_value: null, tags: ['a'] })
})

test('a refusal of the server is an error with its status and its detail', async () => {
  const error = await failed(probe().listRows({ query: { limit: '0' } }))
  expect(error).toMatchObject({
    name: 'ApiError',
    status: 422,
    detail: 'limit: must be a whole number from 1 to 50',
  })
})
