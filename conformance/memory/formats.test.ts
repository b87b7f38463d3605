import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { MemoryWorkspace } from './memory-world.ts'

const server = useSharedServer('product')
let work: MemoryWorkspace
beforeAll(async () => {
  work = await MemoryWorkspace.open(server)
  await work.add()
})

const yaml = 'application/yaml; charset=utf-8'
const json = 'application/json; charset=utf-8'
const md = 'text/markdown; charset=utf-8'
const routes = {
  search: ['POST', () => `/agents/${work.agent}/context?query=build`, yaml],
  recall: ['POST', () => `/agents/${work.agent}/context/relevant?query=build`, yaml],
  stats: ['GET', () => '/memories/stats?', json],
} as const

describe.each(Object.entries(routes))('%s', (_, [method, path, standard]) => {
  test('MEMO-25 MEMO-26 MEMO-27 MEMO-G6: without format, the default, whatever the client accepts', async () => {
    const headers = { accept: 'application/json' }
    const answer = await work.call(method, path(), undefined, undefined, headers)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, standard])
  })

  test.each([
    ['yaml', yaml],
    ['json', json],
    ['md', md],
  ])('MEMO-25 MEMO-26 MEMO-27 MEMO-G6: format=%s returns %s', async (format, type) => {
    const answer = await work.call(method, `${path()}&format=${format}`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
  })

  test.each(['xml', 'YAML', '', 'html'])('MEMO-G6: format=%j is refused as JSON', async (format) => {
    const answer = await work.call(method, `${path()}&format=${format}`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([422, json])
  })
})

test('MEMO-25: YAML has the keys of JSON in the same order', async () => {
  const found = await work.call('POST', `/agents/${work.agent}/context`)
  expect(found.text.match(/^ *-? *[a-z_]+(?=:)/gm)?.map((key) => key.replace(/[ -]/g, ''))).toEqual([
    'memories',
    'id',
    'kind',
    'title',
    'body',
    'description',
    'confidence',
    'tags',
    'count',
    'agent_id',
  ])
})
