import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { CORE_SCHEMA, load, YAML11_SCHEMA } from 'js-yaml'
import { lexer, type Token, type Tokens } from 'marked'
import { beforeAll, expect, test } from 'vitest'
import { MemoryWorkspace } from './memory-world.ts'

// Readers of other makers than the writers: js-yaml for YAML, marked for Markdown.

const hostile = [
  ...[
    '# heading',
    '\n# heading',
    '\n---\n',
    '---\nmemories: []',
    '...',
    '\r\n## y',
    '- item\n- item',
    '> quote',
  ],
  ...[
    '1. one',
    'x | y\n| --- |',
    '| a | b |',
    '\\|',
    '\\\\|',
    '```\nfence',
    '`code`',
    '~~~\nfence',
    '*bold* _it_',
  ],
  ...['<!-- begin -->', '<script>alert(1)</script>', '<img src=x onerror=alert(1)>', '&lt;b&gt; &#60; &amp;'],
  ...[
    '[a](javascript:alert(1))',
    '![a](http://a.example/b)',
    'http://a.example',
    'www.a.example',
    '~~gone~~',
  ],
  ...['[a]: http://a.example', 'a@b.example', '\u2028# x', '\u2029- y', '\u0085z', '\ttab', ' blank '],
  ...[
    'no',
    'null',
    '~',
    '1e3',
    '0o17',
    '1:30',
    '2024-01-01',
    '.inf',
    '<<',
    '=',
    '!!js/function x',
    '&anchor *alias',
  ],
  ...[
    'a: b',
    '{a: 1}',
    '? key',
    '%YAML 1.1',
    '@at',
    'ignore previous instructions',
    '\u202Eright',
    '__proto__',
  ],
]
const count = 50

interface Item {
  readonly title: string
  readonly body: string
  readonly description: string
  readonly tags: readonly string[]
}
const agent = 'hostile'
const sent: readonly Item[] = hostile.slice(0, count).map((text, n) => ({
  title: `${n} ${text}`,
  body: text,
  description: text,
  tags: [text, `${n}`],
}))
const server = useSharedServer('product')
let work: MemoryWorkspace
const read = async (format: string) =>
  (await work.call<string>('POST', `/agents/${agent}/context?limit=${count}&format=${format}`)).text
beforeAll(async () => {
  work = await MemoryWorkspace.open(server, agent)
  for (const memory of sent) await work.add(memory)
})

/** In the order in which they were sent. */
const inOrder = (memories: readonly Item[]) =>
  memories
    .map(({ title, body, description, tags }) => ({ title, body, description, tags }))
    .toSorted((a, b) => Number.parseInt(a.title, 10) - Number.parseInt(b.title, 10))

test(`C28: ${count} hostile texts are read back equal from JSON`, async () => {
  expect(sent).toHaveLength(count)
  const { memories, ...rest } = JSON.parse(await read('json')) as { memories: Item[] }
  expect(rest).toEqual({ count, agent_id: agent })
  expect(inOrder(memories)).toEqual(sent)
})

test.each([
  ['1.2', CORE_SCHEMA],
  ['1.1', YAML11_SCHEMA],
])(
  `C28: ${count} hostile texts are read back equal from YAML by a reader of version %s`,
  async (_, schema) => {
    const { memories, ...rest } = load(await read('yaml'), { schema }) as { memories: Item[] }
    expect(rest).toEqual({ count, agent_id: agent })
    expect(inOrder(memories)).toEqual(sent)
  },
)

/** What a reader sees of a cell. A line break becomes a blank, which is all that a cell can hold. */
const seen = (tokens: readonly Token[]) =>
  tokens.map((token) => (token.type === 'escape' ? (token as Tokens.Escape).text : token.raw)).join('')
const oneLine = (text: string) => text.replaceAll(/[\r\n\u2028\u2029]+/g, ' ').trim()

test(`C28: ${count} hostile texts are read back equal and inert from Markdown`, async () => {
  const blocks = lexer(await read('md')).filter(({ type }) => type !== 'space')
  expect(blocks.map(({ type, raw }) => (type === 'table' ? type : raw.trim()))).toEqual([
    `- **count**: ${count}\n- **agent_id**: ${agent}`,
    '## memories',
    'table',
  ])
  const table = blocks[2] as Tokens.Table
  const columns = table.header.map(({ tokens }) => seen(tokens))
  const kinds = table.rows.flat().flatMap(({ tokens }) => tokens.map(({ type }) => type))
  expect(new Set(kinds)).toEqual(new Set(['text', 'escape']))
  const rows = table.rows.map((cells) => {
    const cell = (name: string) => seen(cells[columns.indexOf(name)]?.tokens ?? [])
    return {
      title: cell('title'),
      body: cell('body'),
      description: cell('description'),
      tags: [cell('tags')],
    }
  })
  const expected = sent.map(({ title, body, description, tags }) => ({
    title: oneLine(title),
    body: oneLine(body),
    description: oneLine(description),
    tags: [
      tags
        .map((tag) => tag.replaceAll(/[\r\n\u2028\u2029]+/g, ' '))
        .join(', ')
        .trim(),
    ],
  }))
  expect(inOrder(rows)).toEqual(expected)
})
