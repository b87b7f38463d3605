import { useServer } from '@crewhall/testkit/test-server.ts'
import { verifyData } from '@crewhall/testkit/verify-data.ts'
import type pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card, columnOf } from './board-workspace.ts'

const server = useServer('product')
let workspace: BoardWorkspace
let board: Board
let client: pg.Client
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  board = await workspace.board()
  client = await server.connection('owner')
  await client.query(`select set_config('app.system', 'on', false)`)
})

/** A board with a bit of everything that is counted. */
async function world(): Promise<void> {
  const cards: Card[] = []
  for (let n = 0; n < 6; n += 1) {
    cards.push(
      await workspace.card(board, { acceptance_criteria: '- [ ] one\r\n- [x] two\n  * [X]\n-[ ] no' }),
    )
  }
  const [first, second, third, fourth] = cards
  if (!first || !second || !third || !fourth) throw new Error('there are too few cards')
  const call = (method: string, path: string, body?: object) => workspace.call(method, path, body)
  await call('PUT', `/tasks/${first.id}/relations/blocks/${second.id}`)
  await call('PUT', `/tasks/${third.id}/relations/blocks/${second.id}`)
  await call('PUT', `/tasks/${first.id}/relations/parent/${third.id}`)
  await workspace.patch(third, { status: 'done' })
  await call('POST', `/tasks/${first.id}/comments`, { body: 'A word' })
  const checklist = ['One', 'Two']
  const { body } = await workspace.call<{ items: { id: string }[] }>('POST', `/tasks/${first.id}/checklist`, {
    checklist,
  })
  await call('PATCH', `/checklist-items/${body.items[0]?.id}`, { done: true })
  const { body: run } = await workspace.call<{ id: string }>('POST', `/tasks/${first.id}/runs`, {})
  await call('PATCH', `/runs/${run.id}`, { status: 'failed', usage: { tokens: 7, cost_micros: 9 } })
  await call('POST', `/tasks/${first.id}/runs`, {})
  await call('POST', `/tasks/${fourth.id}/archive`)
  // The triggers count; there is no object to look at.
  await client.query(
    `insert into boards.attachments (brand_id, card_id, object_key, name, content_type, size, sha256, created_by)
     select brand_id, id, 'k', 'n', 'text/plain', 7, repeat('0', 64), created_by from boards.cards where id = $1`,
    [first.id],
  )
}

/** One wrong value in each column that is known, each in a row of its own. */
const plants: Readonly<Record<string, string>> = {
  'boards.boards.card_count': 'card_count + 1',
  'boards.boards.next_number': 'next_number - 1',
  'boards.boards.last_activity_at': `last_activity_at - interval '1 second'`,
  'boards.columns.card_count': 'card_count + 1',
  'boards.cards.status': `'in_progress'`,
  'boards.cards.completed_at': 'created_at',
  'boards.cards.blocked_by': 'array[id]',
  'boards.cards.open_blockers': 'open_blockers + 1',
  'boards.cards.blocks_count': 'blocks_count + 1',
  'boards.cards.children_count': 'children_count + 1',
  'boards.cards.parent_id': 'id',
  'boards.cards.comments_count': 'comments_count + 1',
  'boards.cards.last_commented_at': 'created_at',
  'boards.cards.runs_count': 'runs_count + 1',
  'boards.cards.last_run_id': 'id',
  'boards.cards.last_run_status': `'lost'`,
  'boards.cards.usage_tokens': 'usage_tokens + 1',
  'boards.cards.usage_cost_micros': 'usage_cost_micros + 1',
  'boards.cards.checklist_total': 'checklist_total + 1',
  'boards.cards.checklist_done': 'checklist_done + 1',
  'boards.cards.items_total': 'items_total + 1',
  'boards.cards.items_done': 'items_done + 1',
  'boards.cards.attachments_count': 'attachments_count + 1',
  'boards.attachment_sums.files': 'files + 1',
  'boards.attachment_sums.bytes': 'bytes + 1',
  'boards.cards.cycle_id': 'id',
  'boards.cycles.cards': 'cards + 1',
  'boards.cycles.cards_done': 'cards_done + 1',
  'boards.cycles.cards_unsized': 'cards_unsized + 1',
  'boards.cycles.cards_added': 'cards_added + 1',
  'boards.cycles.estimate': 'estimate + 0.1',
  'boards.cycles.estimate_done': 'estimate_done + 1',
  'boards.cycles.estimate_added': 'estimate_added + 1',
  'boards.labels.card_count': 'card_count + 1',
  'boards.search_texts.title': `'Another'`,
  'boards.search_texts.words': `''`,
}

test('K1: verify-data finds nothing wrong with what the product wrote, and ends with 0', async () => {
  await world()
  const { code, output } = await verifyData(server.database.url)
  // Three more are of lessons, one of desks and four of hires, whose own tests plant errors; two are rows of search and one those of sums, which may be missing.
  expect(output).toContain(`All ${Object.keys(plants).length + 11} derived columns are correct.`)
  expect(code).toBe(0)
})

test('K1: verify-data names every planted error, ends with 1, and finds no other', async () => {
  const planted: string[] = []
  const { rows } = await client.query<{ id: string }>('select id from boards.attachment_sums')
  const { body: cycle } = await workspace.call<{ id: string }>('POST', `/boards/${board.id}/cycles`, {
    name: 'Cycle',
    starts_on: '2026-03-09',
    ends_on: '2026-03-22',
  })
  for (const [column, value] of Object.entries(plants)) {
    const [schema, table, name] = column.split('.')
    const other = await workspace.board()
    const card = await workspace.card(other)
    const { body: label } = await workspace.call<{ id: string }>('POST', `/boards/${other.id}/labels`, {
      name: 'kept',
    })
    const ids = {
      cycles: cycle.id,
      boards: other.id,
      columns: columnOf(other, 'Done').id,
      cards: card.id,
      search_texts: card.id,
      labels: label.id,
      attachment_sums: rows[0]?.id,
    }
    const id = ids[table as keyof typeof ids]
    await client.query(`update ${schema}.${table} set ${name} = ${value} where id = $1`, [id])
    planted.push(`${column} of ${id}`)
  }
  const [unsearched, uncommented] = [await workspace.card(board), await workspace.card(board)]
  const { body } = await workspace.call<{ id: string }>('POST', `/tasks/${uncommented.id}/comments`, {
    body: 'A',
  })
  await client.query('delete from boards.search_texts where id = any($1)', [[unsearched.id, body.id]])
  planted.push(`boards.cards.id of ${unsearched.id}`, `boards.comments.id of ${body.id}`)
  for (const plant of ['delete from boards.sums', 'update boards.sums set lead_seconds = lead_seconds + 1']) {
    const summed = await workspace.board()
    await workspace.card(summed, { status: 'done' })
    await client.query(`${plant} where board_id = $1`, [summed.id])
    planted.push(`boards.boards.sums of ${summed.id}`)
  }
  const { code, output } = await verifyData(server.database.url)
  expect(code).toBe(1)
  const told = output.split('\n').filter((line) => line.includes('should be'))
  expect(told.map((line) => line.split(' (')[0]).sort()).toEqual(planted.sort())
  expect(output).toContain(`${planted.length} values are wrong.`)
})
