import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from '../boards/board-workspace.ts'
import { type CommandLine, useCommandLine } from './command-line.ts'

const server = useServer('product')
const newPerson = useCommandLine()
let workspace: BoardWorkspace
let clock: VirtualClock
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  clock = createVirtualClock(server.database.name)
})
afterAll(() => clock.close())

const lease_s = 30

/** One address for the service, whichever process stands behind it. */
let behind = ''
const front = createServer((near) => {
  const far = connect({ host: '127.0.0.1', port: Number(new URL(behind).port) })
  for (const each of [near, far]) each.on('error', () => [near, far].map((socket) => socket.destroy()))
  near.pipe(far).pipe(near)
})
beforeAll(async () => {
  await once(front.listen(0, '127.0.0.1'), 'listening')
})
afterAll(() => {
  front.close()
})

interface Running {
  readonly person: CommandLine
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  /** Lets the command go on: it writes to its card and ends. */
  goOn(): void
  /** The code of that write. */
  written(): Promise<string>
}

const workerAt = (host: string, board: Board): CommandLine =>
  newPerson({ CREWHALL_HOST: host, CREWHALL_TOKEN: workspace.token, CREWHALL_BOARD: board.key })

/** `crewhall run` of a command that waits, and writes when it is told to go on or to end. */
async function startRun(host: string, board: Board): Promise<Running> {
  const person = workerAt(host, board)
  const at = (name: string) => join(person.home, name)
  const write = `'${process.execPath}' '${person.file}' progress 'Too late?' > /dev/null 2>&1; echo $? > code.new; mv code.new code`
  const script = `trap "${write.replaceAll('$', '\\$')}; exit 0" TERM
echo $$ > pid
while [ ! -e go ]; do sleep 0.1; done
${write}`
  const child = spawn(
    process.execPath,
    [person.file, 'run', '--lease', String(lease_s), '--', 'sh', '-c', script],
    { cwd: person.home, env: person.environment(), stdio: 'ignore' },
  )
  const ended = once(child, 'close').then(([code]) => code as number | null)
  await waitFor(() => existsSync(at('pid')) && readFileSync(at('pid'), 'utf8') !== '', 30_000)
  return {
    person,
    child,
    ended,
    goOn: () => writeFileSync(at('go'), ''),
    written: async () => {
      await waitFor(() => existsSync(at('code')), 60_000)
      return readFileSync(at('code'), 'utf8').trim()
    },
  }
}

interface Claimed extends Card {
  claim: { epoch: number } | null
  last_run_status: string
}
const read = (card: Card) => workspace.read(card) as Promise<Claimed>

const summaries = async (card: Card): Promise<(string | null)[]> =>
  (
    await workspace.call<{ items: { summary: string | null }[] }>('GET', `/tasks/${card.id}/runs`)
  ).body.items.map(({ summary }) => summary)

const claimBy = (person: CommandLine, card: Card) =>
  person.run(['card', 'claim', card.ref, '--json', 'epoch'])

async function newCard(): Promise<{ board: Board; card: Card }> {
  const board = await workspace.board()
  return { board, card: await workspace.card(board, { title: 'Contested' }) }
}

test('run is killed: nobody gets the card before its lease is over, and its orphan writes nothing after that', async () => {
  const { board, card } = await newCard()
  const first = await startRun(server.api.url, board)
  first.child.kill('SIGKILL')
  await first.ended
  expect((await claimBy(workerAt(server.api.url, board), card)).code).toBe(7)
  expect((await read(card)).claim).toMatchObject({ epoch: 1 })
  await clock.advance((lease_s + 1) * 1000)
  const second = await claimBy(workerAt(server.api.url, board), card)
  expect([second.code, second.out]).toEqual([0, '{"epoch":3}\n'])
  first.goOn()
  expect(await first.written()).toBe('7')
  expect(await summaries(card)).not.toContain('Too late?')
  expect((await read(card)).claim).toMatchObject({ epoch: 3 })
})

test('the server is killed: a worker that took over meanwhile keeps the card, and the first one is stopped', async () => {
  const { board, card } = await newCard()
  const other = await server.start('api')
  behind = other.url
  const first = await startRun(`http://127.0.0.1:${(front.address() as AddressInfo).port}`, board)
  await other.kill()
  await clock.advance((lease_s + 1) * 1000)
  const second = await claimBy(workerAt(server.api.url, board), card)
  expect([second.code, second.out]).toEqual([0, '{"epoch":3}\n'])
  behind = server.api.url
  expect(await first.ended).toBe(7)
  expect(await first.written()).toBe('7')
  expect(await summaries(card)).not.toContain('Too late?')
  expect((await read(card)).claim).toMatchObject({ epoch: 3 })
})

test('the server is killed and back before the lease is over: the work goes on', async () => {
  const { board, card } = await newCard()
  const other = await server.start('api')
  behind = other.url
  const first = await startRun(`http://127.0.0.1:${(front.address() as AddressInfo).port}`, board)
  await other.kill()
  behind = server.api.url
  first.goOn()
  expect([await first.written(), await first.ended]).toEqual(['0', 0])
  expect(await read(card)).toMatchObject({ claim: null, last_run_status: 'succeeded' })
})

test('the command is killed: run ends with 137 and the card is free at once', async () => {
  const { board, card } = await newCard()
  const first = await startRun(server.api.url, board)
  process.kill(Number(readFileSync(join(first.person.home, 'pid'), 'utf8')), 'SIGKILL')
  expect(await first.ended).toBe(137)
  expect(await read(card)).toMatchObject({ claim: null, last_run_status: 'failed' })
  expect((await workerAt(server.api.url, board).run(['next', '--claim'])).out).toMatch(/epoch=\d/)
})
