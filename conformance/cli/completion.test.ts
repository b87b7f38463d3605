import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { systemPackages } from '@crewhall/testkit/system-packages.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from '../boards/board-workspace.ts'
import { type CommandLine, useCommandLine } from './command-line.ts'

const server = useSharedServer('product')
const newPerson = useCommandLine()
let workspace: BoardWorkspace
let board: Board
let card: Card
let person: CommandLine
let cache: string
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  board = await workspace.board()
  card = await workspace.card(board, { title: 'To complete' })
  await systemPackages('bash', 'zsh', 'fish')
  const first = newPerson()
  const bin = join(first.home, 'bin')
  mkdirSync(bin)
  symlinkSync(first.file, join(bin, 'crewhall'))
  person = first.with({
    PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
    CREWHALL_HOST: server.api.url,
    CREWHALL_TOKEN: workspace.token,
  })
  cache = join(person.home, '.cache/crewhall/cli/completion.json')
  // The first key finds nothing and has it read in the background.
  expect((await complete('open', '')).length).toBe(0)
  await waitFor(() => existsSync(cache), 60_000)
})

const complete = async (...words: string[]): Promise<string[]> =>
  (await person.run(['__complete', ...words])).out.split('\n').filter((line) => line !== '')

/** Types into a shell on a terminal, and returns what the commands have written to `out`. */
async function typed(shell: readonly string[], lines: readonly string[]): Promise<string> {
  const out = join(person.home, `out-${shell[0]}`)
  const child = spawn('script', ['-qefc', shell.join(' '), '/dev/null'], {
    cwd: person.home,
    env: { ...person.environment(), TERM: 'xterm', OUT: out },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.stdin.on('error', () => undefined)
  const ended = new Promise((resolve) => child.on('close', resolve))
  child.stdin.write([...lines, 'exit', ''].join('\n'))
  await ended
  return readFileSync(out, 'utf8')
}

/** Half of each word and a tab: the group, the verb, and a board or card that only the service knows. */
const keys = () => [
  `crewhall boa\tsho\t${board.key.slice(0, -1)}\t--jq .key >> "$OUT"`,
  `crewhall card show ${card.ref.slice(0, -1)}\t--jq .ref >> "$OUT"`,
]

test('bash completes commands, boards and cards', async () => {
  const out = await typed(
    ['bash', '--norc', '--noprofile', '-i'],
    ['source <(crewhall completion bash)', ...keys()],
  )
  expect(out).toBe(`${board.key}\n${card.ref}\n`)
})

test('zsh completes commands, boards and cards', async () => {
  const set = ['autoload -Uz compinit && compinit -u', 'source <(crewhall completion zsh)']
  expect(await typed(['zsh', '-f', '-i'], [...set, ...keys()])).toBe(`${board.key}\n${card.ref}\n`)
})

test('fish completes commands, boards and cards', () => {
  const asked = [
    `crewhall boa`,
    `crewhall board sho`,
    `crewhall board show ${board.key.slice(0, -1)}`,
    `crewhall card show ${card.ref}`,
  ]
  const script = ['crewhall completion fish | source', ...asked.map((line) => `complete -C '${line}'`)].join(
    '\n',
  )
  const out = execFileSync('fish', ['--no-config', '-c', script], {
    env: person.environment(),
    encoding: 'utf8',
  })
  expect(out.split('\n')).toEqual(['board', 'show', board.key, card.ref, ''])
})

test('what the service says is kept for 60 seconds and then read again, while nobody waits', async () => {
  const later = await workspace.board()
  expect(await complete('open', later.key)).toEqual([])
  const [before, old] = [readFileSync(cache, 'utf8'), new Date(Date.now() - 61_000)]
  utimesSync(cache, old, old)
  expect(await complete('open', later.key)).toEqual([])
  await waitFor(() => readFileSync(cache, 'utf8') !== before, 60_000)
  expect(await complete('open', later.key)).toEqual([later.key])
})

test('flags, forms of output and profiles are completed as well, and the token is nowhere in the cache', async () => {
  expect(await complete('card', 'list', '--ass')).toEqual(['--assignee'])
  expect(await complete('card', 'list', '-o', 'y')).toEqual(['yaml'])
  expect(readFileSync(cache, 'utf8')).not.toContain(workspace.token)
})

// There is no PowerShell in Debian: its script is looked at, and the words that it hands over are tried.
test('the script of PowerShell is whole, and an empty word in its spelling completes as one', async () => {
  const { out } = await person.run(['completion', 'powershell'])
  expect(out).toMatch(/^Register-ArgumentCompleter -Native -CommandName crewhall -ScriptBlock \{\n/)
  const open: string[] = []
  const pairs: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }
  for (const sign of out.replaceAll(/'[^'\n]*'|"[^"\n]*"/g, '').match(/[()[\]{}'"]/g) ?? []) {
    if (pairs[sign] === undefined) open.push(sign)
    else expect(open.pop()).toBe(pairs[sign])
  }
  expect(open).toEqual([])
  expect(out).toContain(`$words += '""'`)
  expect(await complete('card', '""')).toEqual(await complete('card', ''))
  expect(await complete('card', '""')).toContain('list')
})
