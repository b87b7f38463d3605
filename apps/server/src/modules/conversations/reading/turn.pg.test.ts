import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ConversationBed } from '../../../../test/conversation-bed.ts'
import type { Message } from '../transcripts/transcript.rules.ts'
import { listDueReadings } from './reading.store.ts'
import { type SourceReader, type Step, Unreadable } from './source-reader.ts'
import { claimTurn, type Reading, takeTurn } from './turn.service.ts'

let bed: ConversationBed
let source_id: string
beforeAll(async () => {
  bed = await ConversationBed.open()
})
afterAll(() => bed.close())
beforeEach(async () => {
  source_id = await bed.newReadSource({ directory: 'sessions' })
})

const said = (id: string, text = `We deploy on Tuesdays, says ${id}.`): Message => ({
  id,
  role: 'person',
  text,
  sent_at: null,
})
const step = (key: string, ids: readonly string[], position: string): Step => ({
  conversation: { key, content: { messages: ids.map((id) => said(id)) }, mark: `mark of ${key}` },
  position,
})
const limits = { steps: 100, messages: 1000, bytes: 1_000_000 }
const never = new AbortController().signal
const own = { memory_ids: new Set<string>(), shingles: new Set<string>() }

/** Reads what it is given; the position is how many of them were read. */
const readerOf = (steps: readonly (Step | Error)[], skipped = {}): SourceReader => ({
  async *read(_, __, { position }) {
    for (const each of steps.slice(Number(position))) {
      if (each instanceof Error) throw each
      yield each
    }
    yield { position: '', skipped }
  },
})
const deps = (reader: SourceReader, more = {}) => ({
  readers: { directory: reader },
  secret_box: bed.parts.secret_box,
  findOwnTexts: async () => own,
  limits: { ...limits, ...more },
})
async function claimed(): Promise<Reading> {
  const reading = await claimTurn(bed.ctx, source_id)
  if (!reading) throw new Error('the source was not due')
  return reading
}
const take = async (reader: SourceReader, more = {}, reading?: Reading) =>
  takeTurn(bed.ctx, deps(reader, more), reading ?? (await claimed()), never)

async function messages(): Promise<string[]> {
  const { rows } = await bed.admin.query<{ told: string }>(
    `select c.external_id || ' ' || m.seq || ' ' || m.native_id as told from conversations.messages m
     join conversations.conversations c on c.brand_id = m.brand_id and c.id = m.conversation_id
     where c.source_id = $1 order by c.external_id, m.seq`,
    [source_id],
  )
  return rows.map(({ told }) => told)
}
async function state() {
  const { rows } = await bed.admin.query(
    `select position, enabled, paused_reason, read_failures, read_reason, skipped,
       round(extract(epoch from next_read_at - platform.now()) / 60)::int as minutes, lease_until is null as is_free
     from conversations.sources where id = $1`,
    [source_id],
  )
  return rows[0]
}
const minutes = (count: number) => bed.clock.advance(count * 60_000)
const isDue = async () =>
  (await listDueReadings(bed.system, ['directory'], 1000)).some((each) => each.source_id === source_id)

test('CONV-11: a pass stores what it finds and is due again at the next pick-up, with what it left out', async () => {
  expect(await take(readerOf([step('a', ['1', '2'], '1'), step('b', ['3'], '2')], { link: 2 }))).toBe(true)
  expect(await messages()).toEqual(['a 0 1', 'a 1 2', 'b 0 3'])
  expect(await state()).toMatchObject({
    position: '',
    minutes: 5,
    skipped: { link: 2 },
    is_free: true,
    read_failures: 0,
  })
  expect(await isDue()).toBe(false)
  await minutes(10)
  expect(await isDue()).toBe(true)
  expect(await take(readerOf([step('a', ['1', '2'], '1')]))).toBe(false)
  expect(await messages()).toHaveLength(3)
})

test('a reader finds the marks of what it has read before', async () => {
  await take(readerOf([step('a', ['1'], '1')]))
  await minutes(10)
  const found: (string | undefined)[] = []
  await take({
    async *read(_, __, { marks }) {
      const known = await marks.find(['a', 'b'])
      found.push(known.get('a'), known.get('b'))
      yield { position: '' }
    },
  })
  expect(found).toEqual(['mark of a', undefined])
})

test('of many that want it at the same time, one has the source', async () => {
  const claims = await Promise.all(Array.from({ length: 8 }, () => claimTurn(bed.ctx, source_id)))
  expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1)
})

test('a turn ends at its limit, and the next one goes on from there at once', async () => {
  const reader = readerOf([step('a', ['1'], '1'), step('b', ['2'], '2'), step('c', ['3'], '3')])
  await take(reader, { steps: 2 })
  expect(await messages()).toEqual(['a 0 1', 'b 0 2'])
  expect(await state()).toMatchObject({ position: '2', minutes: 0 })
  await take(reader, { steps: 2 })
  expect(await messages()).toHaveLength(3)
  expect(await state()).toMatchObject({ position: '', minutes: 5 })
})

test('a worker that wakes up late stores nothing, and does not end the turn of the other', async () => {
  const late = await claimed()
  await minutes(6)
  const other = await claimed()
  expect(other.losses).toBe(1)
  await take(readerOf([step('a', ['1'], '1')]), {}, late)
  expect(await messages()).toEqual([])
  expect(await state()).toMatchObject({ is_free: false })
  await take(readerOf([step('a', ['1'], '1')]), {}, other)
  expect(await messages()).toEqual(['a 0 1'])
})

test('what was stored before a failure stays, and is not read again', async () => {
  await take(readerOf([step('a', ['1'], '1'), new Error('the disk is gone'), step('b', ['2'], '3')]))
  expect(await messages()).toEqual(['a 0 1'])
  expect(await state()).toMatchObject({ position: '1', read_reason: 'reader_failed', minutes: 10 })
  await minutes(10)
  await take(readerOf([new Error('never asked for'), step('b', ['2'], '2')]))
  expect(await messages()).toEqual(['a 0 1', 'b 0 2'])
  expect(await state()).toMatchObject({ read_reason: null, read_failures: 0 })
})

test('a source that fails again and again waits 10 min, 30 min, 2 h and 8 h, and goes on trying', async () => {
  for (const wait of [10, 30, 120, 480, 480, 480]) {
    await take(readerOf([new Unreadable('io_error', 'never', '')]))
    expect(await state()).toMatchObject({ minutes: wait, enabled: true, read_reason: 'io_error' })
    await minutes(wait)
  }
})

const pauses = async () => {
  const { rows } = await bed.admin.query(
    `select count(*)::int as n from platform.workspace_events where type = 'source.paused' and subject_id = $1`,
    [source_id],
  )
  return rows[0]?.n
}

test('what only a person can mend pauses the source after the fifth failure, with a reason and an event', async () => {
  const failing = readerOf([new Unreadable('directory_missing', 'later', 'The directory is missing')])
  for (const wait of [10, 30, 120, 480]) {
    await take(failing)
    expect(await state()).toMatchObject({ enabled: true, minutes: wait })
    await minutes(wait)
  }
  expect(await pauses()).toBe(0)
  await take(failing)
  expect(await state()).toMatchObject({
    enabled: false,
    paused_reason: 'The directory is missing',
    read_reason: 'directory_missing',
  })
  expect(await pauses()).toBe(1)
  await minutes(600)
  expect(await isDue()).toBe(false)
})

test('settings that cannot be opened pause the source at once', async () => {
  await bed.admin.query(`update conversations.sources set config = '\\x00' where id = $1`, [source_id])
  await take(readerOf([]))
  expect(await state()).toMatchObject({ enabled: false, read_reason: 'settings_unreadable' })
})

test('a source that ends its worker five times in a row is paused', async () => {
  for (let loss = 0; loss < 5; loss += 1) {
    expect((await claimed()).losses).toBe(loss)
    await minutes(6)
  }
  await take(readerOf([step('a', ['1'], '1')]))
  expect(await state()).toMatchObject({ enabled: false, read_reason: 'worker_ended' })
  expect(await messages()).toEqual([])
})

test('a message that has changed since stays as it was stored, and is counted', async () => {
  await take(readerOf([step('a', ['1'], '1')]))
  await minutes(10)
  const messages = [said('1', 'We deploy on Fridays.'), said('2')]
  await take(readerOf([{ conversation: { key: 'a', content: { messages }, mark: '' }, position: '1' }]))
  const { rows } = await bed.admin.query(
    `select m.text, c.dropped from conversations.conversations c
     join conversations.messages m on m.brand_id = c.brand_id and m.conversation_id = c.id
     where c.source_id = $1 order by m.seq`,
    [source_id],
  )
  expect(rows.map(({ text }) => text)).toEqual([said('1').text, said('2').text])
  expect(rows[0]?.dropped).toMatchObject({ changed: 1 })
})

test('a reader that hangs is given up when the worker is stopped', async () => {
  const stop = new AbortController()
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  const hanging: SourceReader = {
    async *read() {
      resolve()
      await new Promise(() => {})
      yield { position: '' }
    },
  }
  const turn = takeTurn(bed.ctx, deps(hanging), await claimed(), stop.signal)
  await asked
  stop.abort()
  await turn
  expect(await state()).toMatchObject({ is_free: true, minutes: 0, read_failures: 0 })
})
