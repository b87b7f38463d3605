import { expect, test } from 'vitest'
import { patternsOf, payloadOf } from './payload.rules.ts'

const created_at = '2026-01-01T00:00:00.000001Z'
const entry = { id: '7', action: 'task.moved', created_at, task_id: 't', board_id: 'b', actor: { name: 'A' } }
const told = (data: object) =>
  JSON.parse(payloadOf({ type: 'task.moved', created_at, data: { ...entry, ...data } })) as { data: object }

test('a payload is type, timestamp and data', () => {
  const data = { data: { from: 'To do', to: 'Done' } }
  expect(told(data)).toEqual({ type: 'task.moved', timestamp: created_at, data: { ...entry, ...data } })
})

test.each([
  ['details', { data: { text: 'ü'.repeat(20_000) } }],
  ['an actor', { actor: { name: 'ü'.repeat(20_000) }, data: {} }],
])('of an event with %s that are too long only what identifies it is told', (_, data) => {
  const { data: cut } = told(data)
  expect(cut).toMatchObject({
    id: '7',
    action: 'task.moved',
    board_id: 'b',
    task_id: 't',
    data: {},
    is_cut: true,
  })
})

test('a payload has at most 20,000 bytes, and uses them', () => {
  const bytes = (length: number) => {
    const text = payloadOf({
      type: 'a.b',
      created_at,
      data: { ...entry, data: { text: 'ü'.repeat(length) } },
    })
    return Buffer.byteLength(text)
  }
  const sizes = Array.from({ length: 200 }, (_, at) => bytes(9800 + at))
  expect(Math.max(...sizes)).toBeLessThanOrEqual(20_000)
  expect(Math.max(...sizes)).toBeGreaterThan(19_990)
})

test('an event is asked for by its name, its family or everything', () => {
  expect(patternsOf('task.moved')).toEqual(['task.moved', 'task.*', '*'])
})
