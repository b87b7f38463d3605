import { readFileSync } from 'node:fs'
import { actions } from '@crewhall/contracts/boards/activity.ts'
import { eventTypes, workspaceEvents } from '@crewhall/contracts/events.ts'
import { root } from '@crewhall/testkit/server-process.ts'
import { expect, test } from 'vitest'
import { z } from 'zod'

const page = readFileSync(`${root}/docs/events.md`, 'utf8')
const rows = page.split('\n').filter((line) => line.startsWith('| `'))
const idForm = '^[A-Za-z0-9_-]{1,255}$'
const specs = Object.entries(workspaceEvents)

test('E1: docs/events.md lists every type of event, and none besides', () => {
  const told = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([a-z_.]+)`/g)].map(([, type]) => type),
  )
  expect(told.toSorted()).toEqual(eventTypes.toSorted())
})

test.each(specs)(
  'E1: docs/events.md tells subject, scope and data of %s',
  (type, { subject, scope, data }) => {
    const row = rows.find((line) => line.startsWith(`| \`${type}\``)) ?? ''
    const { properties = {} } = z.toJSONSchema(data)
    for (const word of [subject, scope, ...Object.keys(properties)]) expect(row).toContain(`\`${word}\``)
  },
)

test.each(specs)('E1: %s takes nothing that its contract does not name, and no free text', (_, { data }) => {
  const { properties = {}, additionalProperties } = z.toJSONSchema(data) as {
    properties?: Record<string, { type?: string; enum?: unknown[]; format?: string; pattern?: string }>
    additionalProperties?: boolean
  }
  expect(additionalProperties).toBe(false)
  const free = Object.entries(properties).filter(
    // An id that a workspace chooses has a form without blanks.
    ([, { type, enum: words, format, pattern }]) =>
      type === 'string' && !words && format !== 'uuid' && pattern !== idForm,
  )
  expect(free).toEqual([])
})

test('types are `<noun>.<past participle>`, and none is both of boards and outside of them', () => {
  for (const type of eventTypes) expect(type).toMatch(/^[a-z_]+\.[a-z_]+$/)
  expect(new Set(eventTypes).size).toBe(eventTypes.length)
  expect(eventTypes).toHaveLength(actions.length + specs.length)
})
