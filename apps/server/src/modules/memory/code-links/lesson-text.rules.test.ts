import { readAnchor } from '@crewhall/contracts/lessons/anchors.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { lessonTextOf } from './lesson-text.rules.ts'

const memory = {
  id: '0198c1de-0000-7000-8000-000000000001',
  agent_id: 'build-bot',
  kind: 'learning' as const,
  title: 'Rounding: half to even!',
  body: 'Use `Invoice.total`, never `sum`.\n',
}
const link = (place: string, project_id = 'p1', removed_in: string | null = null) => ({
  place,
  project_id,
  removed_in,
})
const plain = { area: 'billing', pinned: false }

test('a memory becomes a file with its code as anchors', () => {
  const made = lessonTextOf(memory, [link('src/invoice.ts#Invoice.total'), link('src/')], plain)
  expect(made).toEqual({
    project_id: 'p1',
    path: 'lessons/billing/rounding-half-to-even.md',
    text: [
      '---',
      'type: gotcha',
      'title: "Rounding: half to even!"',
      'anchors:',
      '  - "src/invoice.ts#Invoice.total"',
      '  - "src/"',
      'author: "build-bot"',
      '---',
      '',
      'Use `Invoice.total`, never `sum`.',
      '',
    ].join('\n'),
  })
})

test('code that is gone is no anchor, and without any there is no file', () => {
  expect(lessonTextOf(memory, [link('a.ts', 'p1', 'c1')], plain)).toBe(undefined)
  expect(lessonTextOf(memory, [], plain)).toBe(undefined)
  const made = lessonTextOf(memory, [link('a.ts', 'p1', 'c1'), link('b.ts', 'p2'), link('c.ts', 'p2')], plain)
  expect([made?.project_id, made?.text.includes('a.ts')]).toEqual(['p2', false])
})

test('whoever asks may choose name and type', () => {
  const made = lessonTextOf(memory, [link('a.ts')], { area: 'x', slug: 'y', type: 'rule', pinned: true })
  expect(made?.path).toBe('lessons/x/y.md')
  expect(made?.text).toMatch(/^---\ntype: rule\n[\s\S]*pinned: true\n/)
})

test('no title, path or agent breaks out of the front matter', () => {
  const texts = fc.string({ unit: 'binary', maxLength: 300 })
  fc.assert(
    fc.property(texts, texts, texts, (title, body, path) => {
      const place = path === '/' ? 'x' : path
      const made = lessonTextOf({ ...memory, title, body }, [link(place)], plain)
      const [, front = ''] = /^---\n([\s\S]*?)\n---\n/.exec(made?.text ?? '') ?? []
      const read = parse(front, { schema: 'core' })
      expect(read.anchors).toEqual([place])
      expect(read.author).toBe('build-bot')
      expect(Object.keys(read).sort()).toEqual(
        ['anchors', 'author', 'type', ...('title' in read ? ['title'] : [])].sort(),
      )
      expect(made?.path).toMatch(/^lessons\/billing\/[a-z0-9]+(?:-[a-z0-9]+)*\.md$/)
    }),
  )
  expect(typeof readAnchor('src/a.ts')).toBe('object')
})
