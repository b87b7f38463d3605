import type { Import } from '@crewhall/contracts/boards/imports.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import { takeOverNow } from '@crewhall/testkit/take-over.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { verifyData } from '@crewhall/testkit/verify-data.ts'
import { beforeAll, expect, test } from 'vitest'
import { dumpOf } from '../../boards/board-dump.ts'
import { BoardWorkspace } from '../../boards/board-workspace.ts'
import { ended, githubIssues, importOf, upload } from '../../boards/import-calls.ts'

const server = useServer('product', { JOBS_SUPERVISE_SECONDS: '1' })
let workspace: BoardWorkspace
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
})

const issues = scaled(5000, 300)
/** Every tenth is a pull request. */
const cards = issues - Math.floor(issues / 10)

/** Rows of every table of the workspace but the feed and the imports themselves, which tell what happened. */
async function rowsOf(): Promise<Record<string, number>> {
  const dump = Object.entries(await dumpOf(workspace))
  const told = ['boards.activity', 'boards.imports', 'webhooks.deliveries']
  return Object.fromEntries(
    dump
      .filter(([table]) => !told.includes(table))
      .map(([table, rows]) => [table, rows === '' ? 0 : rows.split('\n').length]),
  )
}

/** A worker that dies in the step that its fault point counts, before that step is committed. */
async function dieAt(point: string): Promise<void> {
  const doomed = await server.start('worker', { TEST_FAULT_POINTS: point })
  await doomed.ended
  await takeOverNow(server.database.name)
}

test(`an import of ${issues} issues that is killed goes on without doubles, and its undo leaves no row`, {
  timeout: 600_000,
}, async () => {
  const board = await workspace.board()
  await workspace.card(board, { title: 'Own', labels: ['bug'] })
  const before = await rowsOf()
  const { status, body } = await upload(workspace, board, githubIssues(issues))
  expect(status).toBe(201)
  expect(body).toMatchObject({
    source: 'github',
    rows_total: cards,
    rows_ignored: issues - cards,
    people: [{ name: 'octocat', user_id: null }],
  })
  await workspace.call<Import>('POST', `/imports/${body.id}:start`, {})
  await dieAt('boards.import:kill@2')
  // The second step was under way, so only the first one counts.
  expect(await importOf(workspace, body.id)).toMatchObject({
    state: 'running',
    rows_done: 100,
    cards_made: 100,
  })
  expect((await workspace.list(board)).body.total).toBe(101)
  const worker = await server.start('worker')
  expect(await ended(workspace, body.id, 300_000)).toMatchObject({ state: 'done', cards_made: cards })
  await worker.stop()
  const [made] = await server.sql<{ cards: number; refs: number }>(
    `select count(*)::int as cards, count(distinct client_ref)::int as refs from boards.cards
       where board_id = $1 and source = 'import'`,
    [board.id],
  )
  expect(made).toEqual({ cards, refs: cards })
  expect(await server.sql('select 1 from boards.import_rows where import_id = $1', [body.id])).toEqual([])
  expect((await verifyData(server.database.url)).code).toBe(0)

  await workspace.call<Import>('POST', `/imports/${body.id}:undo`, {})
  await dieAt('boards.import-undo:kill@2')
  expect(await importOf(workspace, body.id)).toMatchObject({ state: 'undoing', cards_removed: 50 })
  const last = await server.start('worker')
  expect(await ended(workspace, body.id, 300_000)).toMatchObject({
    state: 'undone',
    cards_removed: cards,
    kept_count: 0,
  })
  await last.stop()
  expect(await rowsOf()).toEqual(before)
  expect((await verifyData(server.database.url)).code).toBe(0)
})
