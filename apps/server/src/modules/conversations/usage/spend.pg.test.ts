import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ConversationBed } from '../../../../test/conversation-bed.ts'
import { purposeIdOf } from './purpose-id.ts'
import { type Allowance, reserveCall, settleCall } from './spend.service.ts'
import { getUsage } from './usage.service.ts'

let bed: ConversationBed
let source_id: string
beforeAll(async () => {
  bed = await ConversationBed.open()
})
afterAll(() => bed.close())
beforeEach(async () => {
  await bed.admin.query('delete from conversations.spend')
  source_id = await bed.newSource()
})

const dayMs = 24 * 60 * 60 * 1000
const none = { calls: null, tokens: null }
const whom = () => ({ purpose: 'reading', source_id, agent_id: bed.agent_id }) as const
const reserve = (limits: { calls?: number; tokens?: number }, tokens = 0) =>
  reserveCall(bed.ctx, { memory: { ...none, ...limits }, recall: none }, whom(), tokens)
const limitsOf = (calls: number | null) => ({ memory: { calls, tokens: null }, recall: none })
const usage = async () =>
  await getUsage(bed.ctx, { cursors: bed.parts.cursors, limits: limitsOf(3) }, { limit: 50 })

test('fifty calls at once with a limit of seven are seven, and the rest is told until when to wait', async () => {
  const told = await Promise.all(Array.from({ length: 50 }, () => reserve({ calls: 7 })))
  const granted = told.filter(({ is_granted }) => is_granted)
  expect(granted).toHaveLength(7)
  const midnight = new Date(Math.ceil(bed.ctx.now().getTime() / dayMs) * dayMs).toISOString().slice(0, 19)
  const withheld = told.find(({ is_granted }) => !is_granted)
  expect(withheld).toEqual({
    is_granted: false,
    reason: 'The workspace has used its 7 model calls of today',
    until: `${midnight}.000000Z`,
  })
  expect((await usage()).today).toMatchObject({ calls: 7, call_limit: 3, token_limit: null })
})

test('every call is noted: below the limit, near it from four fifths on, or withheld', async () => {
  const noted: string[] = []
  const limits = {
    memory: { calls: 5, tokens: null },
    recall: none,
    noteStanding: (kind: string, standing: string) => noted.push(`${kind} ${standing}`),
  }
  for (let call = 0; call < 6; call += 1) await reserveCall(bed.ctx, limits, whom(), 0)
  const below = Array<string>(4).fill('memory below')
  expect(noted).toEqual([...below, 'memory near', 'memory withheld'])
})

test('tokens are reserved before a call and settled after it, so calls at once cannot pass the limit', async () => {
  const told = await Promise.all(Array.from({ length: 10 }, () => reserve({ tokens: 1000 }, 300)))
  const granted = told.filter((each): each is Allowance => each.is_granted)
  expect(granted).toHaveLength(3)
  for (const each of granted)
    await bed.ctx.tx((ctx) => settleCall(ctx, each, { calls: 1, tokens_in: 60, tokens_out: 40 }))
  expect((await usage()).usage).toEqual([
    { day: granted[0]?.day, purpose: 'reading', source_id, agent_id: bed.agent_id, calls: 3, tokens: 300 },
  ])
  expect((await reserve({ tokens: 1000 }, 700)).is_granted).toBe(true)
  expect((await reserve({ tokens: 1000 }, 1)).is_granted).toBe(false)
})

test('the next day begins anew, and a call is settled on the day on which it was made', async () => {
  const first = await reserve({ calls: 1 }, 500)
  if (!first.is_granted) throw new Error('not granted')
  expect((await reserve({ calls: 1 })).is_granted).toBe(false)
  await bed.clock.advance(dayMs)
  expect((await reserve({ calls: 1 })).is_granted).toBe(true)
  await bed.ctx.tx((ctx) => settleCall(ctx, first, { calls: 1, tokens_in: 30, tokens_out: 10 }))
  const { usage: days, today } = await usage()
  expect(days.map(({ calls, tokens }) => [calls, tokens])).toEqual([
    [1, 0],
    [1, 40],
  ])
  expect([today.calls, today.tokens]).toEqual([1, 0])
})

test('a workspace spends its own limit, and a deleted source keeps what it has spent', async () => {
  await reserve({ calls: 1 })
  const other = bed.system.forBrand(bed.brand_id + 1_000_000)
  expect(
    (await getUsage(other, { cursors: bed.parts.cursors, limits: limitsOf(1) }, { limit: 50 })).usage,
  ).toEqual([])
  await bed.admin.query('update conversations.sources set deleted_at = now() where id = $1', [source_id])
  expect((await reserve({ calls: 1 })).is_granted).toBe(false)
})

test('usage is read in pages and by agent, between two days', async () => {
  for (let n = 0; n < 5; n += 1)
    await bed.admin.query(
      `insert into conversations.spend (brand_id, day, source_id, agent_id, calls) values ($1, $2, $3, $4, $5)`,
      [bed.brand_id, `2026-01-0${n + 1}`, source_id, bed.agent_id, n],
    )
  const deps = { cursors: bed.parts.cursors, limits: limitsOf(null) }
  const found: number[] = []
  let cursor: string | undefined
  do {
    const query = { from: '2026-01-02', to: '2026-01-04', agent_id: bed.agent_id, limit: 2, cursor }
    const page = await getUsage(bed.ctx, deps, query)
    found.push(...page.usage.map(({ calls }) => calls))
    cursor = page.next_cursor ?? undefined
  } while (cursor)
  expect(found).toEqual([3, 2, 1])
  await expect(
    getUsage(bed.ctx, deps, { from: '2026-01-02', to: '2026-01-01', limit: 1 }),
  ).rejects.toMatchObject({
    status: 422,
  })
})

test('recalls and everything else spend limits of their own', async () => {
  const source = purposeIdOf('recall', bed.agent_id)
  const limits = { memory: { calls: 1, tokens: null }, recall: { calls: 2, tokens: null } }
  const recall = () =>
    reserveCall(bed.ctx, limits, { purpose: 'recall', source_id: source, agent_id: bed.agent_id }, 10)
  const read = () => reserveCall(bed.ctx, limits, whom(), 10)
  const granted = async (told: { is_granted: boolean }[]) => told.map(({ is_granted }) => is_granted)
  expect(await granted([await recall(), await recall(), await recall()])).toEqual([true, true, false])
  expect(await granted([await read(), await read()])).toEqual([true, false])
  const { usage, today } = await getUsage(bed.ctx, { cursors: bed.parts.cursors, limits }, { limit: 50 })
  expect(usage.map(({ purpose, source_id, calls }) => ({ purpose, source_id, calls }))).toEqual(
    expect.arrayContaining([
      { purpose: 'recall', source_id: null, calls: 2 },
      { purpose: 'reading', source_id, calls: 1 },
    ]),
  )
  expect(today).toMatchObject({ calls: 1, call_limit: 1, recall: { calls: 2, call_limit: 2, tokens: 20 } })
})
