import { expect, test } from 'vitest'
import type { CorpusMemory } from './corpus.ts'
import { readPrompt } from './shown-notes.ts'

const memory = (id: string, title: string): CorpusMemory => ({
  id,
  agent: 'a',
  kind: 'fact',
  title,
  body: 'One\nline.',
  tags: [],
})
const line = (id: number, note: string) => JSON.stringify({ id, kind: 'fact', note })

test('a prompt tells its question, and which notes it shows, also where they are cut', () => {
  const read = readPrompt([memory('x', 'Ports'), memory('y', 'Cranes'), memory('z', 'Cranes too')])
  const notes = [
    line(1, 'Cranes One line.'),
    line(2, 'Por…'),
    line(3, 'Nobody wrote this.'),
    line(4, 'Cranes t…'),
  ]
  const user = ['Question: "why \\"now\\""', 'Notes:', ...notes].join('\n')
  expect(read({ system: '', user, authorization: undefined })).toEqual({
    query: 'why "now"',
    names: ['y', 'x', undefined, 'z'],
  })
})
