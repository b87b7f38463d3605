import { openApiDocument } from '@crewhall/contracts/openapi.ts'
import { type AnyRoute, anyone, route } from '@crewhall/contracts/route.ts'
import { allRoutes } from '@crewhall/contracts/routes.ts'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { documentInfo } from '#platform/http/docs.ts'
import { version } from '../src/version.ts'

type Json = Record<string, unknown>
interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly 'x-tenant-resource'?: string
}

/** Names of the fields that a schema takes, also those inside objects, lists and unions: `a`, `a.b`. */
function fieldsOf(schema: z.ZodType | undefined): string[] {
  if (!schema) return []
  const json = z.toJSONSchema(schema, { io: 'input', reused: 'inline', unrepresentable: 'any' }) as Json
  const definitions = (json.$defs ?? {}) as Record<string, Json>
  const walk = (part: Json, above: string, depth: number): string[] => {
    if (depth > 8) return []
    const inside = [part.items, ...[part.anyOf, part.oneOf, part.allOf].flat()].filter(Boolean) as Json[]
    const named = definitions[String(part.$ref).replace('#/$defs/', '')]
    return [
      ...Object.entries((part.properties ?? {}) as Record<string, Json>).flatMap(([name, field]) => [
        `${above}${name}`,
        ...walk(field, `${above}${name}.`, depth + 1),
      ]),
      ...[...inside, ...(named ? [named] : [])].flatMap((each) => walk(each, above, depth + 1)),
    ]
  }
  return [...new Set(walk(json, '', 0))]
}

const inPath = ({ path }: AnyRoute) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
const outside = ({ query, body, admin_body }: AnyRoute) => [
  ...fieldsOf(query).map((name) => `query.${name}`),
  ...new Set([...fieldsOf(body), ...fieldsOf(admin_body)].map((name) => `body.${name}`)),
]
const namesAThing = (name: string) => /_ids?$/.test(name)
/** Ids that the caller gives to what it makes: nothing stands under them yet, or only in the source that is named. */
const given = [
  'identity.createAgent body.agent_id',
  'conversations.sendConversation body.conversation_id',
  'conversations.sendConversation body.messages.message_id',
]

/** What a route would let a caller name without the tenant matrix knowing of it, and the other way round. */
function faultsOf(spec: AnyRoute): string[] {
  const declared = Object.keys(spec.resources ?? {})
  const named = outside(spec).filter((name) => namesAThing(name) && !given.includes(`${spec.id} ${name}`))
  const needed = [...inPath(spec), ...named]
  const known = [...inPath(spec), ...outside(spec)]
  return [
    ...needed.filter((name) => !declared.includes(name)).map((name) => `${spec.id}: ${name} is not declared`),
    ...declared.filter((name) => !known.includes(name)).map((name) => `${spec.id}: there is no ${name}`),
  ]
}

/** Fields with their marks, also those inside lists and unions. */
function markedIn(part: Json, above: string): [string, unknown][] {
  const inside = [part.items, part.anyOf, part.oneOf].flat().filter(Boolean) as Json[]
  const fields = Object.entries((part.properties ?? {}) as Record<string, Json>)
  return [
    ...inside.flatMap((each) => markedIn(each, above)),
    ...fields.flatMap(([name, field]): [string, unknown][] => [
      [`${above}.${name}`, field['x-tenant-resource']],
      ...markedIn(field, `${above}.${name}`),
    ]),
  ]
}

/** The same names, read from the document. */
function documented(routes: readonly AnyRoute[]): string[] {
  const { paths } = openApiDocument(routes, documentInfo(version)) as { paths: Record<string, Json> }
  return Object.values(paths).flatMap((methods) =>
    Object.values(methods as Record<string, Json>).flatMap((operation) => {
      const parameters = ((operation.parameters ?? []) as Parameter[]).map((each) => [
        each.in === 'path' ? each.name : `query.${each.name}`,
        each['x-tenant-resource'],
      ])
      const content = ((operation.requestBody as Json | undefined)?.content ?? {}) as Record<string, Json>
      const fields = markedIn((content['application/json']?.schema ?? {}) as Json, 'body')
      const marked = [...parameters, ...fields]
        .filter(([, resource]) => resource !== undefined)
        .map(([name, resource]) => `${operation.operationId} ${name} ${resource}`)
      // A field of several cases of a union is marked in each.
      return [...new Set(marked)]
    }),
  )
}

test('every id that a route takes is declared as a resource, and nothing else is', () => {
  expect(allRoutes.flatMap(faultsOf)).toEqual([])
})

test('the document marks every resource of every route', () => {
  const declared = allRoutes.flatMap(({ id, resources = {} }) =>
    Object.entries(resources).map(([name, resource]) => `${id} ${name} ${resource}`),
  )
  expect(declared.length).toBeGreaterThan(0)
  expect(documented(allRoutes).sort()).toEqual(declared.sort())
})

describe('a planted route is found when', () => {
  const planted = (more: Partial<AnyRoute>): AnyRoute => ({
    ...route({
      id: 'planted.read',
      method: 'POST',
      path: '/api/v1/planted/{thing_id}',
      summary: 'Planted',
      auth: anyone(),
      responses: { 200: z.object({}) },
    }),
    resources: { thing_id: 'thing' },
    ...more,
  })
  const list = z.array(z.object({ other_id: z.int() }))

  test.each<[string, Partial<AnyRoute>, string]>([
    ['a value of the path is not declared', { resources: {} }, 'thing_id is not declared'],
    [
      'an id of the query is not declared',
      { query: z.object({ other_id: z.string() }) },
      'query.other_id is not declared',
    ],
    [
      'an id of the body is not declared',
      { body: z.object({ other_id: z.int() }) },
      'body.other_id is not declared',
    ],
    [
      'a list of ids is not declared',
      { body: z.object({ other_ids: z.array(z.int()) }) },
      'body.other_ids is not declared',
    ],
    [
      'an id inside a list is not declared',
      { body: z.object({ list }) },
      'body.list.other_id is not declared',
    ],
    [
      'a name is declared that it lacks',
      { resources: { thing_id: 'thing', 'body.x': 'x' } },
      'there is no body.x',
    ],
  ])('%s', (_, more, fault) => {
    expect(faultsOf(planted(more))).toEqual([`planted.read: ${fault}`])
  })
})
