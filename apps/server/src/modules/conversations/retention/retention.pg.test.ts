import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ConversationBed } from '../../../../test/conversation-bed.ts'
import { storePortion } from '../intake/intake.service.ts'
import { keptOf } from '../intake/portion.ts'
import { sourceSweep, textSweep } from './retention.service.ts'

let bed: ConversationBed
let source_id: string
beforeAll(async () => {
  bed = await ConversationBed.open()
})
afterAll(() => bed.close())
beforeEach(async () => {
  source_id = await bed.newSource()
})

const days = 90
const own = { memory_ids: new Set<string>(), shingles: new Set<string>() }
const send = async (external_id: string, count: number) => {
  const sent = Array.from({ length: count }, (_, n) => ({
    id: null,
    role: 'person' as const,
    text: `Sentence ${n}.`,
    sent_at: null,
  }))
  const part = { by: 'number', first_seq: 0, messages: await keptOf(sent, own) } as const
  return bed.ctx.tx((ctx) => storePortion(ctx, source_id, { external_id, part }))
}
const end = (id: string) =>
  bed.admin.query(
    `update conversations.conversations set state = 'done', next_try_at = null, read_through = message_count where id = $1`,
    [id],
  )
/** As the job does: on while a bite was full. */
async function sweep({ bite }: { bite: typeof sourceSweep.bite }, limit: number): Promise<void> {
  while ((await bite(bed.system, limit)) === limit);
}
const texts = async (id: string) => {
  const { rows } = await bed.admin.query<{ n: number }>(
    'select count(text)::int as n from conversations.messages where conversation_id = $1',
    [id],
  )
  return rows[0]?.n
}

test('texts expire some time after they were read; digests stay, and what waits is left alone', async () => {
  const [read, waiting] = [(await send('read', 5)).row.id, (await send('waiting', 2)).row.id]
  await end(read)
  await sweep(textSweep(days), 2)
  expect([await texts(read), await texts(waiting)]).toEqual([5, 2])
  await bed.clock.advance((days + 1) * 24 * 60 * 60 * 1000)
  await sweep(textSweep(0), 2)
  expect(await texts(read)).toBe(5)
  await sweep(textSweep(days), 2)
  expect([await texts(read), await texts(waiting)]).toEqual([0, 2])
  expect(await send('read', 5)).toMatchObject({ stored: 0, unchanged: 5 })
})

test('a deleted source goes with all it had, in batches, and others stay', async () => {
  const gone = source_id
  for (const name of ['a', 'b', 'c']) await send(name, 5)
  source_id = await bed.newSource()
  const kept = (await send('a', 5)).row.id
  await bed.admin.query('update conversations.sources set deleted_at = now() where id = $1', [gone])
  await sweep(sourceSweep, 4)
  const { rows } = await bed.admin.query(
    `select (select count(*) from conversations.sources where id = $1)::int as sources,
       (select count(*) from conversations.conversations where source_id = $1)::int as conversations`,
    [gone],
  )
  expect(rows).toEqual([{ sources: 0, conversations: 0 }])
  expect(await texts(kept)).toBe(5)
})
