import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { BoardWorkspace } from './board-workspace.ts'

// Calls without new parameters are answered byte for byte as they always were. A change of these files is a
// change of the interface: add an opt-in parameter instead. `UPDATE_GOLDEN=1` writes files that are missing;
// they are no `.json`, because formatters would touch them.

const server = useServer('product', { SIGNING_KEY: 'a-key-for-golden-files-of-32-bytes' })
let workspace: BoardWorkspace

const board = '10000000-0000-4000-8000-000000000001'
const card = '30000000-0000-4000-8000-000000000001'

beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  await server.sql(rowsOf(workspace.owner.brand_id))
})

const at = "'2026-01-02T03:04:05.678901Z'"
const ann = `'{"kind":"member","id":"7","name":"Ann Example","on_behalf_of":null}'`
const bot = `'{"kind":"agent","id":"builder","name":"Builder"}'`

const rowsOf = (brand: number) => `
  insert into boards.boards (brand_id, id, key, name, board_type, description, next_number, card_count, created_at, updated_at, last_activity_at)
  values (${brand}, '${board}', 'CORE', 'Core & "more"', 'product', 'The <main> board', 4, 3, ${at}, ${at}, '2026-01-02T03:04:06Z');
  insert into boards.board_ids (id) values ('${board}');
  insert into boards.columns (brand_id, board_id, id, name, name_key, status, rank, wip_limit, card_count) values
    (${brand}, '${board}', '20000000-0000-4000-8000-000000000001', 'To do', 'to do', 'pending', 'a0', null, 2),
    (${brand}, '${board}', '20000000-0000-4000-8000-000000000002', 'Grüße', 'grüsse', 'in_progress', 'a1', 3, 1);
  insert into boards.cards (brand_id, board_id, id, number, column_id, rank, title, status, task_type, priority, labels,
    estimate, description, assignee, reporter, created_by, updated_by, repository, branch, base_branch, commit_sha,
    pr_number, pr_url, pr_state, agent_context, created_at, updated_at, moved_at, started_at, due_at, client_ref) values
    (${brand}, '${board}', '${card}', 1, '20000000-0000-4000-8000-000000000001', 'a0', 'First # card', 'pending', 'coding',
     'high', '{api,"two words"}', 2.5, E'Line one\\n# not a heading', ${bot}, ${ann}, ${ann}, ${ann}, 'core', 'fix/first',
     'main', 'abcdef1', 12, 'https://git.example/pr/12', 'open', '{"profile": "claude.hard"}', ${at}, ${at}, ${at}, null,
     '2026-02-03T00:00:00Z', 'mine-1'),
    (${brand}, '${board}', '30000000-0000-4000-8000-000000000002', 2, '20000000-0000-4000-8000-000000000001', 'a1',
     'Second 😀', 'pending', 'docs', 'none', '{}', null, '', null, ${ann}, ${ann}, ${ann}, null, null, null, null, null,
     null, null, '{}', ${at}, ${at}, ${at}, null, null, null),
    (${brand}, '${board}', '30000000-0000-4000-8000-000000000003', 3, '20000000-0000-4000-8000-000000000002', 'a0',
     'Third', 'in_progress', 'test', 'low', '{}', 0, 'Short', null, ${ann}, ${ann}, ${ann}, null, null, null, null, null,
     null, null, '{}', ${at}, ${at}, ${at}, ${at}, null, null);
  insert into boards.card_texts (brand_id, card_id, instructions)
  select brand_id, id, 'Do it' from boards.cards where brand_id = ${brand};
  insert into boards.activity (brand_id, board_id, created_at, id, action, card_id, actor, data)
  overriding system value values
    (${brand}, '${board}', ${at}, 1, 'board.created', null, ${ann}, '{"key": "CORE"}'),
    (${brand}, '${board}', '2026-01-02T03:04:06Z', 2, 'task.moved', '${card}', ${ann}, '{"from": "Done", "to": "To do"}')`

function golden(file: string, text: string) {
  const path = new URL(`./golden/${file}`, import.meta.url)
  if (process.env.UPDATE_GOLDEN && !existsSync(path)) writeFileSync(path, text)
  expect(text).toBe(readFileSync(path, 'utf8'))
}

test.each([
  ['list.json.txt', 'GET', `/boards/${board}/tasks`, undefined],
  ['card.json.txt', 'PATCH', `/tasks/${card}`, {}],
  ['master.json.txt', 'GET', '/master/tasks', undefined],
  ['activity.json.txt', 'GET', `/activity/boards/${board}`, undefined],
  ['export.md.txt', 'GET', `/boards/${board}/export`, undefined],
])('BRD-52 VER-04: %s is answered byte for byte as before', async (file, method, path, body) => {
  const { status, text } = await workspace.call(method, path, body)
  expect(status).toBe(200)
  golden(file, text)
})

test('100 cards with titles of 80 characters are at most 40 KiB as a summary', async () => {
  const own = await workspace.board()
  for (let n = 0; n < 100; n += 1) {
    const assignee = { kind: 'agent', id: 'builder', name: 'Builder' }
    await workspace.card(own, {
      title: 'x'.repeat(80),
      branch: `feature/card-number-${n}`,
      assignee,
      pr_number: 10_000 + n,
    })
  }
  const { text, body } = await workspace.list(own, '?detail=summary&per_page=100')
  expect(body.items).toHaveLength(100)
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(40 * 1024)
  console.log(`summary of 100 cards: ${Buffer.byteLength(text)} bytes`)
})
