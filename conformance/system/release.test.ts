import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expect, onTestFinished, test } from 'vitest'
import { migrate } from '../../apps/server/src/platform/db/migrate.ts'
import { createLog } from '../../apps/server/src/platform/log/log.ts'
import { BoardWorkspace } from '../boards/board-workspace.ts'

// A release changes tables while the version before it still answers.

const server = useServer('product', {
  HTTP_RATE_LIMIT_PER_MINUTE: '0',
  HTTP_RATE_LIMIT_PER_CREDENTIAL: '0',
})

// Without a length a type is changed in the catalogue alone. What rewrites a table looks empty to snapshots meanwhile.
const release = [
  'alter table boards.cards alter branch type varchar, alter base_branch type varchar, add shade text;',
  'alter table boards.boards alter name type varchar, add shade text;',
  'alter table identity.people alter full_name type varchar, add shade text;',
]

/** The migrations of this version, and those of the next. */
function nextVersion(): string {
  const folder = mkdtempSync(join(tmpdir(), 'next-version-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  cpSync(join(root, 'apps/server/migrations'), folder, { recursive: true })
  const newest = Number(readdirSync(folder).toSorted().at(-1)?.slice(0, 4))
  for (const [at, sql] of release.entries())
    writeFileSync(join(folder, `${String(newest + at + 1).padStart(4, '0')}_release.sql`), sql)
  return folder
}

test('K8: a migration changes hot tables under readers and writers, and nobody gets a 5xx', async () => {
  const workspace = await BoardWorkspace.open(server)
  const board = await workspace.board()
  const card = await workspace.card(board)
  const statuses = new Map<number, number>()
  const answers = () => statuses.values().reduce((sum, count) => sum + count, 0)
  const calls: [string, string, ((n: number) => object)?][] = [
    ['GET', `/tasks/${card.id}`],
    ['GET', `/boards/${board.id}/tasks`],
    ['GET', `/boards/${board.id}`],
    ['GET', `/tasks/${card.id}/context`],
    ['GET', `/boards/${board.id}/export`],
    ['GET', `/activity/boards/${board.id}`],
    ['PATCH', `/tasks/${card.id}`, (n) => ({ title: `Title ${n}` })],
    ['POST', `/boards/${board.id}/tasks`, (n) => ({ title: `Card ${n}` })],
  ]
  let isOver = false
  const callers = calls.map(async ([method, path, body]) => {
    for (let n = 0; !isOver; n += 1) {
      const { status } = await workspace.call(method, path, body?.(n))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  })
  await waitFor(() => answers() > 120, 60_000)
  const log = createLog({ level: 'silent', process_name: 'test' })
  const { applied } = await migrate(server.database.owner_url, nextVersion(), log, '0.2.0')
  const before = answers()
  await waitFor(() => answers() > before + 120, 60_000)
  isOver = true
  await Promise.all(callers)
  console.log(`answers by status: ${JSON.stringify(Object.fromEntries(statuses))}`)
  expect(applied).toBe(release.length)
  expect([...statuses.keys()].toSorted()).toEqual([200, 201])
})
