import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { describe, expect, test } from 'vitest'

const server = useSharedServer('probe')
const report = async (query: string) => {
  const response = await server.get(`/api/v1/probe/report?${query}`)
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    text: await response.text(),
  }
}

test('the first format of the contract is the default', async () => {
  expect((await report('')).type).toBe('application/yaml; charset=utf-8')
})

test.each([
  ['yaml', 'application/yaml; charset=utf-8'],
  ['md', 'text/markdown; charset=utf-8'],
])('format=%s answers as %s', async (format, type) => {
  expect(await report(`format=${format}`)).toMatchObject({ status: 200, type })
})

test.each(['json', 'YAML', '', 'yml', 'md&format=yaml', '__proto__', 'toString'])(
  'format=%s is refused, as JSON, with what there is',
  async (format) => {
    const { status, type, text } = await report(`format=${format}`)
    expect([status, type]).toEqual([422, 'application/json; charset=utf-8'])
    expect(JSON.parse(text)).toEqual({ detail: 'format: must be one of yaml, md' })
  },
)

test.each([
  'no',
  '1e3',
  'yes',
  'null',
  '~',
  '2024-01-01',
  '0o17',
  '1:30',
  'true',
  '- a',
  '# c',
  'a: b',
  '&a *a',
])('the text %s is quoted in YAML and stays a text', async (title) => {
  const { text } = await report(`format=yaml&title=${encodeURIComponent(title)}`)
  expect(text.split('\n')[0]).toBe(`title: ${JSON.stringify(title)}`)
})

describe('a value cannot forge Markdown', () => {
  const lineOf = async (title: string) => {
    const { text } = await report(`format=md&title=${encodeURIComponent(title)}`)
    const lines = text.split('\n')
    return { title: lines[0], headings: lines.filter((line) => line.startsWith('#')), text }
  }

  test.each(['\n# c', '\r\n## c\n', '\u2028# c', '\n\n---\n', '\n- **count**: 9', '\n| a | b |'])(
    '%j adds no line',
    async (title) => {
      const { headings, text } = await lineOf(`x${title}`)
      expect(headings).toEqual(['## rows'])
      expect(text.split('\n')).toHaveLength((await lineOf('x')).text.split('\n').length)
    },
  )

  test.each([
    ['# c', '\\# c'],
    ['a | b', 'a \\| b'],
    ['[a](javascript:x)', '\\[a\\](javascript:x)'],
    ['<img src=x>', '\\<img src=x\\>'],
    ['`a` *b* _c_', '\\`a\\` \\*b\\* \\_c\\_'],
    ['\\| x', '\\\\\\| x'],
  ])('%s is escaped', async (title, escaped) => {
    expect((await lineOf(title)).title).toBe(`- **title**: ${escaped}`)
  })

  test('a cell of a table stays one cell of one row', async () => {
    const { text } = await report('format=md')
    const rows = text.split('\n').filter((line) => line.startsWith('|'))
    expect(rows).toEqual(['| name | note |', '| --- | --- |', '| no | - |', '| 1e3 | a \\| b \\# c |'])
  })
})
