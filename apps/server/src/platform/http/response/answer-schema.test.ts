import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { withoutNullUnions } from './answer-schema.ts'

const Person = z.object({ kind: z.literal('person'), name: z.string() }).meta({ id: 'Person' })
const Answer = z.object({
  text: z.string().nullable(),
  when: z.iso.datetime().nullable(),
  count: z.int().nullable(),
  share: z.number().nullable(),
  yes: z.boolean().nullable(),
  one_of: z.enum(['a', 'b']).nullable(),
  always: z.literal('x').nullable(),
  list: z.array(z.string().nullable()).nullable(),
  map: z.record(z.string(), z.unknown()).nullable(),
  owner: Person.nullable(),
  other: Person.nullable().optional(),
  either: z.union([z.string(), z.int(), z.null()]),
  inside: z.union([
    z.object({ state: z.enum(['open']).nullable(), at: Person.nullable() }),
    z.array(z.int()),
  ]),
})
const schemaOf = () => {
  const { $schema: _, ...json } = z.toJSONSchema(Answer, { io: 'output' })
  return JSON.parse(JSON.stringify(json), (key, value) =>
    key === 'id' && typeof value === 'string' ? undefined : value,
  )
}

async function written(schema: unknown, body: unknown): Promise<string> {
  const app = Fastify()
  app.get('/', { schema: { response: { 200: schema } } }, async () => body)
  const { payload } = await app.inject('/')
  await app.close()
  return payload
}

const present = {
  text: 'a "b"\n😀',
  when: '2026-01-02T03:04:05.678901Z',
  count: 3,
  share: 0.5,
  yes: false,
  one_of: 'b',
  always: 'x',
  list: ['x', null],
  map: { a: [1, { b: null }] },
  owner: { kind: 'person', name: 'Ann' },
  other: { kind: 'person', name: 'Bob' },
  either: 7,
  inside: { state: null, at: { kind: 'person', name: 'Cay' } },
}
const absent = Object.fromEntries(Object.keys(present).map((name) => [name, null]))
const nothing = { ...absent, inside: { state: null, at: null } }

test.each([
  ['values', present],
  ['null everywhere', nothing],
  ['empty values', { ...present, text: '', count: 0, list: [], map: {}, other: undefined }],
])('an answer with %s is written byte for byte as before', async (_, body) => {
  expect(await written(withoutNullUnions(schemaOf()), body)).toBe(await written(schemaOf(), body))
})

test('a field that the contract does not list stays out of a nullable object', async () => {
  const body = { ...present, owner: { ...present.owner, secret: 'not in the contract' } }
  expect(await written(withoutNullUnions(schemaOf()), body)).toBe(await written(schemaOf(), present))
})

test('what may be null is no union any more, and other unions still are', () => {
  const { properties } = withoutNullUnions(schemaOf()) as { properties: Record<string, { anyOf?: unknown }> }
  const unions = Object.entries(properties).filter(([, schema]) => schema.anyOf !== undefined)
  expect(unions.map(([name]) => name)).toEqual(['always', 'either', 'inside'])
})
