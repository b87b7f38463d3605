import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { dumpOf } from './board-dump.ts'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'

const server = useSharedServer('product')
let workspace: BoardWorkspace
let board: Board
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  board = await workspace.board()
})

interface Claim {
  claim_id: string
  epoch: number
}
interface Run {
  id: string
  status: string
}
interface Finished {
  run: Run & { usage: object; summary: string }
  task: { task_id: string; version: number; column: string }
  changed: string[]
  comment_id: string | null
  detail: unknown
}

/** A card that a worker has claimed, with a run under that claim. */
async function atWork(): Promise<{ card: Card; claim: Claim; run: Run }> {
  const card = await workspace.card(board)
  const { body: claim } = await workspace.call<Claim>('POST', `/tasks/${card.id}/claim`, { worker: 'one' })
  const start = { epoch: claim.epoch, worker: 'one' }
  const { body: run } = await workspace.call<Run>('POST', `/tasks/${card.id}/runs`, start)
  return { card, claim, run }
}
const finish = (run: Run, body: object, headers = {}) =>
  workspace.call<Finished>('POST', `/runs/${run.id}:finish`, { status: 'succeeded', ...body }, headers)

test('one call comments, moves the card, sets its delivery fields, ends the run and releases the claim', async () => {
  const { card, run } = await atWork()
  const change = { status: 'review', branch: 'carry', pr_number: 7, pr_state: 'open', result: 'It carries.' }
  const usage = { tokens: 10, cost_micros: 20 }
  const { status, body } = await finish(run, { summary: 'Done.', usage, change, comment: 'Please look.' })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    run: { id: run.id, status: 'succeeded', summary: 'Done.', usage },
    task: { task_id: card.id, version: 2, column: 'Review' },
  })
  expect(body.changed.toSorted()).toEqual(['branch', 'column', 'pr_number', 'pr_state', 'result', 'status'])
  expect(await workspace.read(card)).toMatchObject({
    ...change,
    claim: null,
    comments_count: 1,
    last_run_status: 'succeeded',
    usage_tokens: 10,
  })
  const feed = await workspace.call<{ items: { action: string; task_id: string }[] }>(
    'GET',
    `/activity/boards/${board.id}?limit=20`,
  )
  const actions = feed.body.items.filter(({ task_id }) => task_id === card.id).map(({ action }) => action)
  expect(actions.slice(0, 5)).toEqual([
    'task.released',
    'run.finished',
    'task.updated',
    'task.moved',
    'task.commented',
  ])
  const writers = await server.sql<{ xmin: string }>(
    `select xmin::text from boards.comments where card_id = $1
     union select xmin::text from boards.runs where card_id = $1
     union select xmin::text from boards.cards where id = $1`,
    [card.id],
  )
  expect(writers).toHaveLength(1)
})

test('a card that is done with its run frees those that wait for it, on another board as well', async () => {
  const { card, run } = await atWork()
  const waiting = await workspace.card(await workspace.board())
  await workspace.call('PUT', `/tasks/${card.id}/relations/blocks/${waiting.id}`)
  expect((await finish(run, { change: { status: 'done' } })).status).toBe(200)
  expect(await workspace.read(card)).toMatchObject({
    status: 'done',
    claim: null,
    last_run_status: 'succeeded',
  })
  expect(await workspace.read(waiting)).toMatchObject({ open_blockers: 0, is_ready: true })
})

test('a run without a claim is ended too, and without a change only that', async () => {
  const card = await workspace.card(board)
  const { body: run } = await workspace.call<Run>('POST', `/tasks/${card.id}/runs`, {})
  const { status, body } = await finish(run, { status: 'failed', reason: 'No way.' })
  expect([status, body.run.status, body.changed, body.comment_id, body.task.version]).toEqual([
    200,
    'failed',
    [],
    null,
    1,
  ])
})

describe('nothing is written when', () => {
  const all = { change: { status: 'review', branch: 'late' }, comment: 'Late' }
  const refused = async (run: Run, body: object, status: number) => {
    const before = await dumpOf(workspace)
    const answer = await finish(run, body)
    expect(answer.status).toBe(status)
    expect(await dumpOf(workspace)).toEqual(before)
    return answer.body.detail
  }

  test('the claim was released and taken by another', async () => {
    const { card, claim, run } = await atWork()
    await workspace.call('POST', `/tasks/${card.id}/release`, claim)
    await workspace.call('POST', `/tasks/${card.id}/claim`, { worker: 'two' })
    expect(await refused(run, all, 409)).toMatchObject({ error: 'claim_lost', holder: { name: 'two' } })
  })

  test('the lease has run out, noticed or not', async () => {
    const { card, run } = await atWork()
    await server.sql(`update boards.cards set claim_expires_at = now() - interval '1 hour' where id = $1`, [
      card.id,
    ])
    expect(await refused(run, all, 409)).toMatchObject({ error: 'claim_lost', holder: null })
    // Any write notices it.
    await workspace.patch(card, { title: 'Noticed' })
    expect(await refused(run, all, 409)).toMatchObject({ error: 'claim_lost', holder: null })
  })

  test.each<[string, object, number]>([
    ['a column is unknown', { change: { column: 'Nowhere' }, comment: 'x' }, 400],
    ['the version has passed', { change: { branch: 'x', if_version: 7 }, comment: 'x' }, 409],
    ['the status is none of a run', { status: 'lost', comment: 'x' }, 400],
  ])('%s', async (_, body, status) => {
    await refused((await atWork()).run, body, status)
  })

  test('the run is over', async () => {
    const { run } = await atWork()
    const key = { 'idempotency-key': `finish-${run.id}` }
    const first = await finish(run, all, key)
    expect(await finish(run, all, key)).toEqual(first)
    expect(await refused(run, all, 409)).toBe('This run has ended')
  })

  test('the run is of another workspace', async () => {
    const { run } = await atWork()
    const stranger = await BoardWorkspace.open(server)
    const before = await dumpOf(workspace)
    const answer = await stranger.call('POST', `/runs/${run.id}:finish`, { status: 'succeeded', ...all })
    expect(answer).toEqual(
      await stranger.call('POST', '/runs/00000000-0000-4000-8000-000000000000:finish', {
        status: 'succeeded',
        ...all,
      }),
    )
    expect([answer.status, await dumpOf(workspace)]).toEqual([404, before])
  })
})
