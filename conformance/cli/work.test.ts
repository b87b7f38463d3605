import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from '../boards/board-workspace.ts'
import { type CommandLine, useCommandLine } from './command-line.ts'

const server = useSharedServer('product')
const newPerson = useCommandLine()
let workspace: BoardWorkspace
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
})

/** Somebody with a board of their own, so that tests do not take each other's cards. */
async function worker(more: object = {}): Promise<{ person: CommandLine; board: Board }> {
  const board = await workspace.board(more)
  const person = newPerson({
    CREWHALL_HOST: server.api.url,
    CREWHALL_TOKEN: workspace.token,
    CREWHALL_BOARD: board.key,
  })
  return { person, board }
}

interface Claimed extends Card {
  claim: { claim_id: string; epoch: number } | null
}
const read = (card: Card) => workspace.read(card) as Promise<Claimed>

test('an agent finds work, tells of it and ends it with one command each', async () => {
  const { person, board } = await worker()
  const card = await workspace.card(board, { title: 'Mind the carry', instructions: 'Change src/carry.ts' })
  const shown = await person.run(['next'])
  expect([shown.code, (await read(card)).claim]).toEqual([0, null])
  const next = await person.run(['next', '--claim', '--budget', '2048'])
  expect(next.out).toMatch(/^claim_id=\S+ epoch=1 until /)
  expect(next.out).toContain('Change src/carry.ts')
  expect((await read(card)).claim).toMatchObject({ epoch: 1 })
  expect((await person.run(['context'])).out).toContain('Mind the carry')
  expect(await person.run(['progress', 'Two tests fail.'])).toEqual({
    code: 0,
    out: `${card.ref}: noted\n`,
    err: '',
  })
  const summary = join(person.home, 'summary.md')
  writeFileSync(summary, 'It carries.\n')
  const done = await person.run(['done', card.ref, '--summary-file', summary, '--branch', 'carry'])
  expect([done.code, done.out]).toEqual([0, `${card.ref}: done\n`])
  expect(await read(card)).toMatchObject({
    status: 'done',
    branch: 'carry',
    claim: null,
    last_run_status: 'succeeded',
  })
  expect((await person.run(['next', '--claim'])).code).toBe(5)
  expect((await person.run(['done', card.ref])).code).toBe(7)
})

test('a worker whose claim was taken away writes nothing with its old epoch', async () => {
  const { person, board } = await worker()
  const card = await workspace.card(board, { title: 'Contested' })
  await person.run(['next', '--claim'])
  const { claim } = await read(card)
  await workspace.call('POST', `/tasks/${card.id}/release`, {
    claim_id: claim?.claim_id,
    epoch: claim?.epoch,
  })
  const late = await person.run(['done', '--summary', 'Too late'])
  expect([late.code, (await read(card)).status]).toEqual([7, 'pending'])
  expect((await person.run(['progress', 'Still here'])).code).toBe(7)
})

test('what is blocked says why, and is not offered again where the board has a place for it', async () => {
  const { person, board } = await worker({
    columns: [
      { name: 'To do', status: 'pending' },
      { name: 'Blocked', status: 'blocked' },
      { name: 'Done', status: 'done' },
    ],
  })
  const card = await workspace.card(board, { title: 'Cannot go on' })
  expect((await person.run(['next', '--claim'])).out).toContain(card.ref)
  const blocked = await person.run(['block', '--reason', 'No access to the vault'])
  expect(blocked).toEqual({ code: 0, out: `${card.ref}: blocked\n`, err: '' })
  expect(await read(card)).toMatchObject({
    status: 'blocked',
    blocked_reason: 'No access to the vault',
    claim: null,
  })
  expect((await person.run(['next', '--claim'])).code).toBe(5)
})

test('run claims a card, gives its command a token of its own and ends with its code', async () => {
  const { person, board } = await worker()
  const card = await workspace.card(board, { title: 'To be run' })
  const script = `env > '${person.home}/seen'; '${process.execPath}' '${person.file}' progress 'From inside'; exit 3`
  const ended = await person.run(['run', '--', 'sh', '-c', script])
  expect([ended.code, ended.out]).toEqual([3, `${card.ref}: noted\n`])
  const seen = Object.fromEntries(
    readFileSync(join(person.home, 'seen'), 'utf8')
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
  expect(seen).toMatchObject({ CREWHALL_CARD: card.ref, CREWHALL_EPOCH: '1', CREWHALL_HOST: server.api.url })
  expect(JSON.stringify(seen)).not.toContain(workspace.token)
  expect(await read(card)).toMatchObject({ claim: null, last_run_status: 'failed' })
  // The token of the run has ended with it.
  const inside = newPerson({ CREWHALL_HOST: server.api.url, CREWHALL_TOKEN: seen.CREWHALL_TOKEN ?? '' })
  expect((await inside.run(['auth', 'status'])).code).toBe(4)
})

test('run lets its command end the work itself', async () => {
  const { person, board } = await worker()
  const card = await workspace.card(board, { title: 'Ends itself' })
  const inside = `'${process.execPath}' '${person.file}' done --summary Fine`
  expect((await person.run(['run', '--card', card.ref, '--', 'sh', '-c', inside])).code).toBe(0)
  expect(await read(card)).toMatchObject({ status: 'done', last_run_status: 'succeeded' })
})

test('run stops its command and ends with 7 when the claim is lost', async () => {
  const { person, board } = await worker()
  const card = await workspace.card(board, { title: 'Taken away' })
  const pid = join(person.home, 'pid')
  const running = person.run(['run', '--lease', '30', '--', 'sh', '-c', `echo $$ > '${pid}'; sleep 600`])
  await waitFor(() => existsSync(pid) && readFileSync(pid, 'utf8') !== '', 20_000)
  const { claim } = await read(card)
  await workspace.call('POST', `/tasks/${card.id}/release`, {
    claim_id: claim?.claim_id,
    epoch: claim?.epoch,
  })
  const ended = await running
  expect(ended.code).toBe(7)
  expect(ended.err).toContain('was lost')
  expect(() => process.kill(Number(readFileSync(pid, 'utf8')), 0)).toThrow('ESRCH')
})

test('a command that was killed is told by its code, and one that is not there by 1', async () => {
  const { person, board } = await worker()
  const card = await workspace.card(board, { title: 'Killed' })
  expect((await person.run(['run', '--card', card.ref, '--', 'sh', '-c', 'kill -9 $$'])).code).toBe(137)
  const missing = await person.run(['run', '--card', card.ref, '--', './not-there'])
  expect([missing.code, missing.err.includes('cannot be started')]).toEqual([1, true])
  expect(await read(card)).toMatchObject({ claim: null, status: 'pending' })
})

test('watch prints what happens, one line each, and goes on where it stopped', async () => {
  const { person, board } = await worker()
  const following = spawn(
    process.execPath,
    [person.file, 'watch', '--limit', '2', '--json', 'action,title,id'],
    {
      env: person.environment(),
      cwd: person.home,
    },
  )
  let out = ''
  following.stdout.on('data', (bytes: Buffer) => {
    out += bytes
  })
  const closed = new Promise<number | null>((resolve) => following.on('close', resolve))
  // A stream begins with what comes after its connection: cards are made until one was seen.
  let made = 0
  await waitFor(async () => {
    made += 1
    if (out === '') await workspace.card(board, { title: `Seen ${made}` })
    return out !== ''
  }, 20_000)
  await workspace.card(board, { title: 'The last' })
  expect(await closed).toBe(0)
  const [first, second] = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; title: string })
  expect(first).toMatchObject({ action: 'task.created', title: expect.stringContaining('Seen') })
  const again = await person.run(['watch', '--limit', '1', '--since', first?.id ?? '', '--jq', '.title'])
  expect(again.out.trim()).toBe(second?.title)
})

test('mcp is a bridge for clients that start a program', async () => {
  const { person } = await worker()
  const messages = [
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} },
    { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'whoami', arguments: {} } },
  ]
  const { code, out } = await person.run(['mcp'], {
    input: messages.map((message) => `${JSON.stringify(message)}\n`).join(''),
  })
  const answers = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number; result?: Record<string, unknown> })
  expect([code, answers.map(({ id }) => id).toSorted()]).toEqual([0, [1, 2, 3]])
  const tools = answers.find(({ id }) => id === 2)?.result?.tools as { name: string }[]
  expect(tools.map(({ name }) => name)).toContain('card_claim')
})

test('api calls any path, reads fields and files, and stays with its service', async () => {
  const { person, board } = await worker()
  expect((await person.run(['api', `board/boards/${board.id}`, '--jq', '.key'])).out).toBe(`${board.key}\n`)
  const path = `board/boards/${board.id}/tasks`
  const made = await person.run([
    'api',
    path,
    '-f',
    'title=12',
    '-F',
    'estimate=3',
    '--jq',
    '[.title, .estimate]',
  ])
  expect(made.out).toBe('["12",3]\n')
  const read = await person.run(['api', path, '--body-file', '-', '--jq', '.title'], {
    input: '{"title":"Piped"}',
  })
  expect(read.out).toBe('Piped\n')
  expect(await person.run(['api', '//elsewhere.example/x'])).toMatchObject({ code: 1, out: '' })
  expect((await person.run(['api', 'board/boards', '-X', 'DELETE'])).code).not.toBe(0)
})
