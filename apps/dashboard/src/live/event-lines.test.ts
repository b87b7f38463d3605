import { expect, test } from 'vitest'
import { EventLines } from './event-lines.ts'

test('events are cut where blank lines are, however the text arrives', () => {
  const text =
    'event: ready\nid: 7\ndata: {}\n\n: still here\n\nid: 8\n\nevent: created\nid: 9\ndata: a\ndata: b\n\n'
  const expected = [
    { event: 'ready', id: '7', data: '{}' },
    { event: 'message', id: '8', data: '' },
    { event: 'created', id: '9', data: 'a\nb' },
  ]
  for (const size of [1, 2, 5, 1000]) {
    const lines = new EventLines()
    const found = []
    for (let at = 0; at < text.length; at += size) found.push(...lines.push(text.slice(at, at + size)))
    expect(found).toEqual(expected)
  }
})

test('an event that has not ended is not told', () => {
  expect(new EventLines().push('event: created\ndata: {}\n')).toEqual([])
})
