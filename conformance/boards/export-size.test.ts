import { createHash } from 'node:crypto'
import { readdirSync, readlinkSync } from 'node:fs'
import { isFull } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { watchMemory } from '../workspaces/photos/process-memory.ts'
import { type Board, BoardWorkspace } from './board-workspace.ts'

const server = useServer('product')
let workspace: BoardWorkspace
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
})
const { sql } = server

const many = 50_000
/** The longest export has 100 MB, which are in memory at least twice if it is not sent piece by piece. */
const mostExtraMb = 150

/** A board with so many cards in its first column, by one statement. Not to be found by words, which would take minutes. */
async function boardOf(title: string): Promise<Board> {
  const board = await workspace.board()
  const admin = await server.connection('superuser')
  await admin.query('set session_replication_role = replica')
  await admin.query(
    `with made as (
       insert into boards.cards (brand_id, board_id, number, column_id, rank, title, status, task_type, reporter,
         created_by, updated_by)
       select b.brand_id, b.id, n, $2, lpad(n::text, 8, '0'), $3, 'pending', 'coding', '{}', '{}', '{}'
       from boards.boards b, generate_series(1, $4::int) n where b.id = $1 returning 1
     ), counted as (
       update boards.columns set card_count = $4 where id = $2
     )
     update boards.boards set card_count = $4, next_number = $4 + 1 where id = $1`,
    [board.id, board.columns[0]?.id, title, many],
  )
  return board
}

const ask = (board: Board, query: string, headers: Record<string, string> = {}) =>
  server.get(`/api/v1/board/boards/${board.id}/export${query}`, {
    headers: { authorization: `Bearer ${workspace.token}`, ...headers },
  })

/** Reads an answer without keeping it, and looks at the memory of the process that sends it. */
async function measured(board: Board, query: string) {
  const memory = watchMemory(server.api.pid)
  const hash = createHash('sha256')
  let bytes = 0
  let lines = 0
  try {
    const { status, headers, body } = await ask(board, query)
    for await (const chunk of body ?? []) {
      hash.update(chunk)
      bytes += chunk.length
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1
    }
    const extra_mb = memory.most_mb - memory.before_mb
    console.log(
      `${status}, ${bytes} bytes: ${extra_mb.toFixed(0)} MB above ${memory.before_mb.toFixed(0)} MB`,
    )
    return { status, headers, bytes, lines, digest: hash.digest('hex'), extra_mb }
  } finally {
    memory.stop()
  }
}

/** Files that the process has open and that have no name any more. */
const filesKept = (): number =>
  readdirSync(`/proc/${server.api.pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${server.api.pid}/fd/${fd}`).endsWith('(deleted)')
    } catch {
      // Closed meanwhile.
      return false
    }
  }).length

describe('a board of 50,000 cards', () => {
  const titles = { usual: 'x'.repeat(80), longest: '\u{1F600}'.repeat(500) }
  const boards = new Map<string, Board>()
  const boardWith = (which: keyof typeof titles): Board => {
    const board = boards.get(which)
    if (!board) throw new Error('there is no such board')
    return board
  }
  beforeAll(async () => {
    for (const [which, title] of Object.entries(titles)) boards.set(which, await boardOf(title))
  })

  test.each(['usual', 'longest'] as const)(
    'BRD-46: with titles of the %s length is exported as a summary, with less than 150 MB of memory',
    async (which) => {
      const { status, bytes, lines, digest, headers, extra_mb } = await measured(
        boardWith(which),
        '?detail=summary',
      )
      expect(status).toBe(200)
      expect(bytes).toBeGreaterThan(many * Buffer.byteLength(titles[which]))
      expect(headers.get('content-length')).toBe(String(bytes))
      expect(lines).toBeGreaterThan(many)
      expect(headers.get('etag')).toBe(`"${digest}"`)
      expect(extra_mb).toBeLessThan(mostExtraMb)
    },
    120_000,
  )

  test.runIf(isFull)(
    'is exported as CSV, with less than 150 MB of memory',
    async () => {
      const { status, lines, extra_mb } = await measured(boardWith('longest'), '?format=csv')
      expect([status, lines]).toEqual([200, many + 1])
      expect(extra_mb).toBeLessThan(mostExtraMb)
    },
    120_000,
  )

  test('BRD-45: is refused as a whole, with less than 150 MB of memory', async () => {
    const { status, bytes, extra_mb } = await measured(boardWith('longest'), '')
    expect(status).toBe(413)
    expect(bytes).toBeLessThan(1000)
    expect(extra_mb).toBeLessThan(mostExtraMb)
  })

  test('a caller that reads slowly keeps no transaction open, and one that goes away leaves no file', async () => {
    const response = await ask(boardWith('longest'), '?detail=summary')
    const reader = response.body?.getReader()
    expect((await reader?.read())?.value?.length).toBeGreaterThan(0)
    const open = await sql<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
         and backend_type = 'client backend'`,
    )
    expect(open).toEqual([{ count: 0 }])
    expect(filesKept()).toBe(1)
    await reader?.cancel()
    await waitFor(() => filesKept() === 0, 30_000)
  })

  test('a caller that has it already is not sent it again', async () => {
    const first = await measured(boardWith('usual'), '?detail=summary')
    const again = await ask(boardWith('usual'), '?detail=summary', {
      'if-none-match': first.headers.get('etag') ?? '',
    })
    expect([again.status, await again.text()]).toEqual([304, ''])
    await waitFor(() => filesKept() === 0, 30_000)
  })
})
