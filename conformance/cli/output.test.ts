import { spawnSync } from 'node:child_process'
import type { ServerResponse } from 'node:http'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { systemPackages } from '@crewhall/testkit/system-packages.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Board, BoardWorkspace } from '../boards/board-workspace.ts'
import { type CommandLine, useCommandLine } from './command-line.ts'
import { sendJson as json, useStandIns } from './stand-in.ts'

const server = useSharedServer('product')
const newPerson = useCommandLine()
const startStandIn = useStandIns()
let workspace: BoardWorkspace
let board: Board
let person: CommandLine
const wide = '日本語の長い題名がここにあります、とても長いので切られます'
const combining = `Zu${'\u0308'}rich cafe${'\u0301'} 👩‍👩‍👧‍👦 family`
const hostile = 'x\u001b[31mred\u009b2J\u202egnol\u2066 end'
const titles = ['Plain', wide, combining, hostile, `Long ${'word '.repeat(60)}end`]
beforeAll(async () => {
  await systemPackages('jq', 'python3')
  workspace = await BoardWorkspace.open(server)
  board = await workspace.board()
  for (const title of titles) await workspace.card(board, { title })
  person = newPerson({
    CREWHALL_HOST: server.api.url,
    CREWHALL_TOKEN: workspace.token,
    CREWHALL_BOARD: board.key,
  })
})

async function standIn(answer: (response: ServerResponse, path: string) => void): Promise<CommandLine> {
  const url = await startStandIn(({ url: path = '' }, response) => answer(response, path))
  return newPerson({ CREWHALL_HOST: url, CREWHALL_TOKEN: 'x'.repeat(40) })
}

/** Columns of a terminal, counted by another program. */
function columnsOf(lines: readonly string[]): number[] {
  const program = `
import sys, unicodedata, json
def width(line):
    total = 0; joined = False
    for char in line:
        if unicodedata.combining(char) or char == '\\ufe0f': continue
        if char == '\\u200d': joined = True; continue
        if joined: joined = False; continue
        total += 2 if unicodedata.east_asian_width(char) in 'WF' else 1
    return total
print(json.dumps([width(line) for line in json.load(sys.stdin)]))`
  const { stdout } = spawnSync('python3', ['-c', program], { input: JSON.stringify(lines), encoding: 'utf8' })
  return JSON.parse(stdout) as number[]
}

const withoutBold = (text: string): string => text.replaceAll('\u001b[1m', '').replaceAll('\u001b[22m', '')
/** What a terminal would obey or hide, but for ends of lines and tabs. */
const unseenIn = (text: string): string[] =>
  text.replaceAll(/[\n\t]/g, '').match(/[\p{Cc}\p{Bidi_Control}]/gu) ?? []

test.each([40, 80, 200])(
  'a table fits a terminal of %i columns, whatever the characters',
  async (columns) => {
    const { code, out } = await person.onTerminal(['card', 'list'], columns)
    const lines = withoutBold(out).trimEnd().split('\n')
    expect([code, lines.length]).toEqual([0, titles.length + 1])
    expect(lines[0]).toMatch(/^REF +TITLE/)
    expect(out).toContain('\u001b[1m')
    for (const width of columnsOf(lines)) expect(width).toBeLessThanOrEqual(columns)
    // Nothing of a title reaches the terminal as a command.
    expect(unseenIn(withoutBold(out))).toEqual([])
    if (columns === 200) expect(out).toContain('x\\e[31mred\\u{009b}2J\\u{202e}gnol')
  },
)

test('NO_COLOR is kept to', async () => {
  const { out } = await person.with({ NO_COLOR: '1' }).onTerminal(['card', 'list'])
  expect(out).not.toContain('\u001b')
})

test('piped, a list is lines of tabs without a head, without colours and with nothing invisible', async () => {
  const { code, out, err } = await person.run(['card', 'list'])
  const lines = out.replace(/\n$/, '').split('\n')
  expect([code, err, lines.length]).toEqual([0, '', titles.length])
  for (const line of lines) expect(line.split('\t').length).toBe(5)
  expect(lines[0]).toMatch(/^[A-Z]+-1\tPlain\tpending\tTo do\t$/)
  expect(unseenIn(out)).toEqual([])
})

test('--json without a value lists the fields, and with some prints exactly those', async () => {
  const fields = (await person.run(['card', 'list', '--json'])).out.trim().split('\n')
  expect(fields).toEqual(expect.arrayContaining(['ref', 'title', 'status', 'assignee', 'due_at']))
  const { out } = await person.run(['card', 'list', '--json', 'ref,column.name'])
  const read = JSON.parse(out) as object[]
  expect(read.length).toBe(titles.length)
  expect(read[0]).toEqual({ ref: expect.stringMatching(/-1$/), 'column.name': 'To do' })
  const unknown = await person.run(['card', 'list', '--json', 'ref,nothing'])
  expect(unknown.code).toBe(1)
  expect(JSON.parse(unknown.err)).toMatchObject({ error: expect.stringContaining('nothing') })
})

test('JSON and YAML hold hostile text in full and in visible form', async () => {
  const { out } = await person.run(['card', 'list', '-o', 'json'])
  expect(unseenIn(out)).toEqual([])
  const { items } = JSON.parse(out) as { items: { title: string }[] }
  expect(items.map(({ title }) => title)).toEqual(titles.map((title) => title.trim()))
  const yaml = await person.run(['card', 'list', '-o', 'yaml'])
  expect(unseenIn(yaml.out)).toEqual([])
  expect(yaml.out).toContain('title: Plain')
})

test('--template and Markdown', async () => {
  const filled = await person.run([
    'card',
    'list',
    '--template',
    '{{range .items}}{{.ref}} {{.column.name}}{{"\\n"}}{{end}}',
  ])
  expect(filled.out.split('\n')[0]).toMatch(/^[A-Z]+-1 To do$/)
  const md = (await person.run(['card', 'list', '-o', 'md'])).out.split('\n')
  expect(md.slice(0, 2)).toEqual([
    '| ref | title | status | column | assignee |',
    '| --- | --- | --- | --- | --- |',
  ])
})

test('--limit and --all read as many as are wanted, over pages and cursors', async () => {
  const many = await workspace.board()
  for (let from = 0; from < 130; from += 65)
    await Promise.all(
      Array.from({ length: 65 }, (_, n) => workspace.card(many, { title: `Card ${from + n}` })),
    )
  const count = async (...args: string[]) =>
    Number((await person.run([...args, '--board', many.key, '--jq', '.items | length'])).out)
  const counts = await Promise.all([
    count('card', 'list'),
    count('card', 'list', '--limit', '120'),
    count('card', 'list', '--all'),
    count('card', 'search', 'Card', '--all', '--board-ids', many.id),
  ])
  expect(counts).toEqual([30, 120, 130, 130])
})

// Each on the list of methods, which needs no service.
const filters = [
  '.',
  '.methods | length',
  '.methods[0]',
  '.methods[0:2][].name',
  '.methods[-1].path',
  '[.methods[] | select(.method == "GET")] | length',
  '.methods | map(.method) | unique',
  '.methods | group_by(.method) | map({(.[0].method): length}) | add',
  '.methods | sort_by(.path) | .[0].path',
  '.methods[] | select(.name | test("^boards\\\\.claim")) | .name',
  '.methods | map(.name | split(".")[0]) | unique | join(",")',
  '.methods[3] | keys',
  '.methods[3] | to_entries | map(.key)',
  '.methods | any(.path == "/api/v1/me")',
  '.methods | all(.path | startswith("/api/v1/"))',
  '.methods[0] | with_entries(.value |= ascii_upcase)',
  '[.methods[] | .path | length] | max',
  '[.methods[] | .path | length] | add',
  '.methods[0] | has("name"), has("nothing")',
  '.nothing // "none"',
  '.methods[0].name as $n | $n + "!"',
  'reduce .methods[] as $m (0; . + ($m.name | length))',
  '[limit(3; .methods[].name)]',
  '.methods | first, last | .name',
  '.methods[0] | "\\(.method) \\(.path)"',
  '[.methods[].method] | index("POST")',
  '.methods[0].path | ltrimstr("/api") | @uri, @base64, @json',
  '[.methods[] | {name, method}][1] | tostring',
  'path(.methods[0].name)',
  '[range(0; 5; 2)], (1, null, 2.5, "x\\u00e9" | tojson), ([3, 1, 2] | sort | reverse)',
]

/** Several in one program: each in brackets of its own, and a line between them. */
const joined = (some: readonly string[]): string =>
  some.map((filter, at) => `(${filter})${at < some.length - 1 ? `, "-- ${at}"` : ''}`).join(', ')

test.each([0, 10, 20])(`--jq is what jq does, on ${filters.length} filters, from %i on`, async (from) => {
  expect(filters.length).toBe(30)
  const whole = (await person.run(['call', '-o', 'json'])).out
  const filter = joined(filters.slice(from, from + 10))
  const real = spawnSync('jq', ['-r', '-c', filter], { input: whole, encoding: 'utf8' })
  expect([real.status, real.stdout.match(/^-- \d$/gm)?.length]).toEqual([0, 9])
  expect((await person.run(['call', '--jq', filter])).out.split('\n')).toEqual(real.stdout.split('\n'))
})

test('--jq prints what came before an error, and tells of it', async () => {
  const wrong = await person.run(['call', '--jq', '.methods['])
  expect([wrong.code, wrong.out, wrong.err.startsWith('crewhall: --jq: ')]).toEqual([1, '', true])
  const later = await person.run(['call', '--jq', '"first", error("then")'])
  expect([later.code, later.out, later.err.includes('then')]).toEqual([1, 'first\n', true])
})

describe('exit code', () => {
  const codes: readonly (readonly [number, string, number, Readonly<Record<string, string>>])[] = [
    [4, 'of 401', 401, {}],
    [4, 'of 403', 403, {}],
    [5, 'of 404', 404, {}],
    [5, 'of 410', 410, {}],
    [7, 'of 409', 409, {}],
    [7, 'of 412', 412, {}],
    [8, 'of 429 that asks for too long a wait', 429, { 'retry-after': '3600' }],
    [9, 'of 502', 502, { 'retry-after': '0' }],
    [9, 'of 503', 503, { 'retry-after': '0' }],
    [9, 'of 504', 504, { 'retry-after': '0' }],
    [1, 'of 400', 400, {}],
    [1, 'of 500', 500, {}],
  ]
  test.each(codes)('%i %s, with the error as JSON where that is wanted', async (code, _, status, headers) => {
    const refusing = await standIn((response) => json(response, status, { detail: 'No, because' }, headers))
    const ended = await refusing.run(['card', 'show', 'CORE-1', '--json', 'ref'])
    expect([ended.code, ended.out]).toEqual([code, ''])
    expect(JSON.parse(ended.err)).toEqual({
      error: 'No, because',
      detail: 'No, because',
      status,
      request_id: 'req-12345',
    })
  })

  test('0 of what went well, 9 of a service that is not there, 4 without a sign-in', async () => {
    expect((await person.run(['board', 'list'])).code).toBe(0)
    const away = newPerson({ CREWHALL_HOST: 'http://127.0.0.1:2', CREWHALL_TOKEN: 'x'.repeat(40) })
    expect(await away.run(['board', 'list'])).toEqual({
      code: 9,
      out: '',
      err: 'crewhall: http://127.0.0.1:2 cannot be reached: nothing listens there\n',
    })
    const nobody = await newPerson().run(['board', 'list'])
    expect(nobody.code).toBe(4)
    expect(nobody.err).toContain('auth login')
    const session = await person.run(['call', 'fleet.listDesks'])
    expect(session.code).toBe(4)
    expect(session.err).toContain('needs the session of a person')
  })

  test('1 where a script would have to be asked, 2 of a question that was declined', async () => {
    const card = await workspace.card(board, { title: 'Stays' })
    const piped = await person.run(['card', 'archive', card.ref])
    expect([piped.code, piped.err.includes('--yes')]).toEqual([1, true])
    const asked = await person.onTerminal(['card', 'archive', card.ref], 80, 'n')
    expect(asked.code).toBe(2)
    expect((await workspace.read(card)).archived_at).toBe(null)
    expect((await person.run(['card', 'archive', card.ref, '--yes', '-q'])).code).toBe(0)
    expect((await workspace.read(card)).archived_at).not.toBe(null)
  })

  test('every code is documented in the help', async () => {
    const { out } = await person.run(['--help'])
    for (const code of [0, 1, 2, 4, 5, 7, 8, 9]) expect(out).toMatch(new RegExp(`^ {2}${code} {2}\\S`, 'm'))
    expect(out).not.toMatch(/^ {2}6 {2}/m)
  })
})

test('a newer service: fields that are not known are kept', async () => {
  const newer = await standIn((response) =>
    json(response, 200, { ref: 'CORE-1', title: 'x', mood: 'new', nested: { deep: [1] } }),
  )
  const { out } = await newer.run(['card', 'show', 'CORE-1', '-o', 'json'])
  expect(JSON.parse(out)).toEqual({ ref: 'CORE-1', title: 'x', mood: 'new', nested: { deep: [1] } })
  expect(JSON.parse((await newer.run(['card', 'show', 'CORE-1', '--json', 'mood'])).out)).toEqual({
    mood: 'new',
  })
})

test('an older service: a route that it does not have is told with both versions', async () => {
  const older = await standIn((response, path) =>
    path === '/api/v1/system/info'
      ? json(response, 200, { name: 'crewhall', version: '0.0.9' })
      : json(response, 404, { detail: 'Not found' }),
  )
  const { code, err } = await older.run(['card', 'search', 'x'])
  expect(code).toBe(5)
  expect(err).toMatch(
    /does not have GET \/api\/v1\/board\/tasks:search \(it is version 0\.0\.9, the command line \d+\.\d+\.\d+\)/,
  )
})

test('a reader that has seen enough ends it quietly', () => {
  const { stdout, stderr } = spawnSync(
    'sh',
    ['-c', `'${process.execPath}' '${person.file}' call | head -1`],
    {
      env: person.environment(),
      encoding: 'utf8',
    },
  )
  expect([stdout.split('\n').length, stderr]).toEqual([2, ''])
})
