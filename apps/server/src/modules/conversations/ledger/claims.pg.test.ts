import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ConversationBed } from '../../../../test/conversation-bed.ts'
import { storePortion } from '../intake/intake.service.ts'
import { keptOf } from '../intake/portion.ts'
import * as claims from './claims.service.ts'
import { getConversation, retryConversation } from './ledger.service.ts'

let bed: ConversationBed
let source_id: string
beforeAll(async () => {
  bed = await ConversationBed.open()
})
afterAll(() => bed.close())
beforeEach(async () => {
  source_id = await bed.newSource()
})

const lease_seconds = 120
const own = { memory_ids: new Set<string>(), shingles: new Set<string>() }
const bounds = { messages: 100, characters: 100_000 }
const cost = { calls: 1, tokens_in: 10, tokens_out: 5, model: 'stub' }

async function send(
  external_id: string,
  texts: readonly string[],
  first_seq = 0,
  role: 'person' | 'tool' = 'person',
) {
  const sent = texts.map((text) => ({ id: null, role, text, sent_at: null }))
  const part = { by: 'number', first_seq, messages: await keptOf(sent, own) } as const
  return (await bed.ctx.tx((ctx) => storePortion(ctx, source_id, { external_id, part }))).row.id
}
const claimAll = (limit = 10) => claims.claimConversations(bed.ctx, { source_id, limit, lease_seconds })
async function claimOne(): Promise<claims.Claim> {
  const [claim] = await claimAll(1)
  if (!claim) throw new Error('nothing was due')
  return claim
}
const finish = (
  claim: claims.Claim,
  end_seq: number,
  candidates: Parameters<typeof claims.finishAttempt>[2]['candidates'] = [],
) => bed.ctx.tx((ctx) => claims.finishAttempt(ctx, claim, { end_seq, cost, candidates }))
const read = (id: string) => getConversation(bed.ctx, id)
const dueSources = async () =>
  (await claims.listDueSources(bed.system, 100)).filter((each) => each.source_id === source_id)
const minutes = (count: number) => bed.clock.advance(count * 60_000)

test('a conversation is claimed once, whoever asks at the same time', async () => {
  for (let n = 0; n < 12; n += 1) await send(`c${n}`, ['We never release on Fridays.'])
  const taken = (await Promise.all(Array.from({ length: 6 }, () => claimAll(5)))).flat()
  expect(new Set(taken.map(({ id }) => id)).size).toBe(12)
  expect(taken).toHaveLength(12)
  expect(await claimAll()).toEqual([])
  expect(await dueSources()).toEqual([])
})

test('nothing is claimed from a source that is paused or deleted', async () => {
  await send('c', ['We never release on Fridays.'])
  expect(await dueSources()).toHaveLength(1)
  const set = (change: string) =>
    bed.admin.query(`update conversations.sources set ${change} where id = $1`, [source_id])
  for (const change of ['enabled = false', 'enabled = true, deleted_at = now()']) {
    await set(change)
    expect([await dueSources(), await claimAll()]).toEqual([[], []])
  }
  await set('deleted_at = null')
  expect(await claimAll()).toHaveLength(1)
})

test('what was read is not read again: only what came after the watermark is in the next range', async () => {
  const id = await send('c', ['One.', 'Two.'])
  const first = await claimOne()
  const range = await claims.readRange(bed.ctx, first, bounds)
  expect([range.messages.map(({ text }) => text), range.end_seq]).toEqual([['One.', 'Two.'], 2])
  await finish(first, range.end_seq)
  expect(await read(id)).toMatchObject({ state: 'done', read_through: 2, next_try_at: null })
  expect(await claimAll()).toEqual([])
  await send('c', ['Three.'], 2)
  const second = await claimOne()
  expect((await claims.readRange(bed.ctx, second, bounds)).messages.map(({ text }) => text)).toEqual([
    'Three.',
  ])
})

test('a long conversation is read range by range, and what arrives meanwhile waits', async () => {
  const id = await send('c', ['One.', 'Two.', 'Three.'])
  const claim = await claimOne()
  const range = await claims.readRange(bed.ctx, claim, { messages: 2, characters: 100 })
  expect([range.messages.length, range.end_seq]).toEqual([2, 2])
  await send('c', ['Four.'], 3)
  expect(await read(id)).toMatchObject({ state: 'reading', message_count: 4 })
  await finish(claim, range.end_seq)
  expect(await read(id)).toMatchObject({ state: 'waiting', read_through: 2 })
  const next = await claims.readRange(bed.ctx, await claimOne(), bounds)
  expect([next.messages.map(({ text }) => text), next.end_seq]).toEqual([['Three.', 'Four.'], 4])
})

test('messages that the filter dropped need no attempt, also when they arrive while others are read', async () => {
  const id = await send('c', ['One.'])
  const claim = await claimOne()
  await send('c', ['drwxr-xr-x'], 1, 'tool')
  await finish(claim, (await claims.readRange(bed.ctx, claim, bounds)).end_seq)
  expect(await read(id)).toMatchObject({ state: 'done', message_count: 2, read_through: 2 })
})

test('the ledger tells what was read, what it cost, and what became of each proposed memory', async () => {
  const id = await send('c', ['One.'])
  const memory_id = '00000000-0000-4000-8000-000000000001'
  const candidates = [
    { decision: 'new', reason: null, memory_id, other_memory_id: null },
    { decision: 'rejected', reason: 'quote', memory_id: null, other_memory_id: null },
  ] as const
  await finish(await claimOne(), 1, candidates)
  expect((await read(id)).ledger).toEqual([
    {
      number: 1,
      started_at: expect.any(String),
      ended_at: expect.any(String),
      outcome: 'finished',
      first_seq: 0,
      end_seq: 1,
      ...cost,
      produced: 1,
      rejected: 1,
      error: null,
      candidates,
    },
  ])
})

test('attempts are due 10 min, 30 min, 2 h and 8 h after a failure; the fifth is the last', async () => {
  const id = await send('c', ['One.'])
  const waits = [10, 30, 120, 480]
  for (const [at, wait] of waits.entries()) {
    await claims.failAttempt(bed.ctx, await claimOne(), { error: 'The model is away', cost })
    expect(await read(id)).toMatchObject({ state: 'waiting', attempts: at + 1 })
    await bed.clock.advance(wait * 60_000 - 10_000)
    expect(await claimAll()).toEqual([])
    await bed.clock.advance(10_000)
  }
  await claims.failAttempt(bed.ctx, await claimOne(), { error: 'The model is away', cost })
  const failed = await read(id)
  expect(failed).toMatchObject({
    state: 'failed',
    attempts: 5,
    reason: 'The model is away',
    next_try_at: null,
  })
  expect(failed.ledger.map(({ outcome, calls }) => [outcome, calls])).toEqual(
    Array.from({ length: 5 }, () => ['failed', 1]),
  )
  await minutes(60 * 24 * 30)
  expect(await claimAll()).toEqual([])
  const { rows } = await bed.admin.query(
    `select type, data from platform.workspace_events where brand_id = $1 and subject_id = $2`,
    [bed.brand_id, id],
  )
  expect(rows).toEqual([
    { type: 'conversation.failed', data: { source_id, agent_id: bed.agent_id, attempts: 5 } },
  ])
})

test('a failed conversation is read again, with five attempts, when somebody asks or when it grows', async () => {
  const fail = async (id: string) => {
    for (let n = 0; n < 5; n += 1) {
      await claims.failAttempt(bed.ctx, await claimOne(), { error: 'away' })
      await minutes(500)
    }
    expect(await read(id)).toMatchObject({ state: 'failed' })
  }
  const id = await send('c', ['One.'])
  await fail(id)
  expect(await retryConversation(bed.ctx, id)).toMatchObject({ state: 'waiting', attempts: 0, reason: null })
  await fail(id)
  await send('c', ['Two.'], 1)
  expect(await read(id)).toMatchObject({ state: 'waiting', attempts: 0, reason: null })
  expect((await claims.readRange(bed.ctx, await claimOne(), bounds)).messages).toHaveLength(2)
})

test('when a lease has ended the next worker goes on, and the late one can write nothing', async () => {
  const id = await send('c', ['One.'])
  const late = await claimOne()
  await bed.clock.advance(lease_seconds * 1000 + 1000)
  const next = await claimOne()
  expect([next.id, next.epoch, next.attempt]).toEqual([late.id, late.epoch + 1, late.attempt + 1])
  await expect(finish(late, 1)).rejects.toThrow(claims.ClaimLost)
  await expect(claims.failAttempt(bed.ctx, late, { error: 'late' })).rejects.toThrow(claims.ClaimLost)
  await expect(
    claims.holdAttempt(bed.ctx, late, { reason: 'x', until: bed.ctx.now().toISOString() }),
  ).rejects.toThrow(claims.ClaimLost)
  await expect(claims.extendClaim(bed.ctx, late, 60)).rejects.toThrow(claims.ClaimLost)
  await finish(next, 1)
  await expect(finish(next, 1)).rejects.toThrow(claims.ClaimLost)
  const { state, attempts, ledger } = await read(id)
  expect([state, attempts, ledger.map(({ outcome }) => outcome)]).toEqual(['done', 0, ['finished', 'lost']])
})

test('a claim that is extended stays with its worker', async () => {
  await send('c', ['One.'])
  const claim = await claimOne()
  await bed.clock.advance(lease_seconds * 1000 - 5000)
  await claims.extendClaim(bed.ctx, claim, lease_seconds)
  await bed.clock.advance(10_000)
  expect(await claimAll()).toEqual([])
  await finish(claim, 1)
})

test('a conversation whose workers keep ending is given up, and the failures of the model are not counted so', async () => {
  const id = await send('c', ['One.'])
  for (let n = 0; n < 5; n += 1) {
    expect((await claimOne()).losses).toBe(n)
    await bed.clock.advance(lease_seconds * 1000 + 1000)
  }
  expect(await claimAll()).toEqual([])
  const { state, attempts, reason, ledger } = await read(id)
  expect([state, attempts, reason]).toEqual(['failed', 0, 'Its worker ended 5 times in a row'])
  expect(ledger.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 6 }, () => 'lost'))
})

test('memories and the end of their attempt are one commit', async () => {
  const id = await send('c', ['One.'])
  const claim = await claimOne()
  const cut = bed.ctx.tx(async (ctx) => {
    await claims.finishAttempt(ctx, claim, { end_seq: 1, cost, candidates: [] })
    throw new Error('cut')
  })
  await expect(cut).rejects.toThrow('cut')
  expect(await read(id)).toMatchObject({ state: 'reading', read_through: 0 })
  await finish(claim, 1)
})
