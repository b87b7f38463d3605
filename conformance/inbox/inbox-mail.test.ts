import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace } from '../boards/board-workspace.ts'
import { type ArrivedLetter, listLetters, newMailAddress } from '../workspaces/members/letters.ts'

const env = { PUBLIC_URL: 'https://crewhall.test/' }
const server = useServer('probe', env)
const world = new World(server)
/** The twin loses nearly every round. */
const rounds = roundsFor(100, 0.7)
const minute = 60_000
let clock: VirtualClock
let workspace: BoardWorkspace
let board: Board
beforeAll(async () => {
  clock = createVirtualClock(server.database.name)
  workspace = await BoardWorkspace.open(server)
  board = await workspace.board()
})
afterAll(() => clock?.close())

interface Reader {
  person_id: number
  address: string
  cookie: string
}
interface Setting {
  mode: string
  hour: number
  sent_at: string | null
}
const path = '/api/v1/me/inbox/mail'
const settingOf = async (reader: Reader) => (await world.call<Setting>(reader, 'GET', path)).body
const choose = (reader: Reader, body: object, query = '') =>
  world.call<Setting>(reader, 'PUT', `${path}${query}`, body)
const address = async (person_id: number) => {
  const email = newMailAddress()
  await world.sql('update identity.people set email = $2 where id = $1', [person_id, email])
  return email
}
async function newReader(chosen: object, role: 'member' | 'admin' = 'member'): Promise<Reader> {
  const { brand_id } = workspace.owner
  const { person_id } = await world.join(brand_id, role)
  const cookie = await world.newCookie(person_id, brand_id)
  const reader = { person_id, address: await address(person_id), cookie }
  expect((await choose(reader, chosen)).status).toBe(200)
  return reader
}
const atOnce = { mode: 'at_once' }
const tell = (reader: Reader, title = 'A card', more: object = {}) =>
  workspace.card(board, { title, assignee: { kind: 'member', id: String(reader.person_id) }, ...more })
/** What a worker does every minute, to its end. */
const look = async () =>
  expect(await world.call(null, 'POST', '/api/v1/probe/inbox-mail')).toMatchObject({ status: 200 })
const pass = async (minutes: number) => {
  await clock.advance(minutes * minute)
  await look()
}
const arrived = (address: string, count: number): Promise<ArrivedLetter[]> =>
  waitFor(async () => {
    const letters = await listLetters(address)
    return letters.length >= count && letters
  }, 30_000)
const lettersOf = async (reader: Reader, count: number) => {
  const letters = await arrived(reader.address, count)
  expect(letters).toHaveLength(count)
  return letters
}
const linkIn = ({ headers }: ArrivedLetter): string =>
  /^List-Unsubscribe: <https:\/\/crewhall\.test(\/\S+)>/im.exec(headers)?.[1] ?? ''

test('nobody gets mail unasked, and only people choose', async () => {
  const { cookie, person_id } = workspace.owner
  const owner = { cookie, person_id, address: '' }
  expect(await settingOf(owner)).toEqual({ mode: 'off', hour: 7, sent_at: null })
  expect((await world.call(workspace, 'PUT', path, atOnce)).status).toBe(401)
  for (const body of [{}, { mode: 'hourly' }, { mode: 'daily', hour: 24 }, { mode: 'daily', hour: 1.5 }])
    expect((await choose(owner, body)).status).toBe(422)
  expect((await choose(owner, { mode: 'daily', hour: 5 }, '?dry_run=true')).body).toMatchObject({ hour: 5 })
  expect(await settingOf(owner)).toMatchObject({ mode: 'off' })
})

test('at once: what happens together is one mail, and the next comes after the silence with what is new', async () => {
  const reader = await newReader(atOnce)
  const description = 'Not for the mail'
  await tell(reader, '<b>Doors</b> & "windows"', { description })
  await tell(reader, 'Second\u202e card')
  await workspace.patch(await tell(reader, 'Third'), { status: 'review' })
  await look()
  expect((await settingOf(reader)).sent_at).toBeNull()
  await pass(2)
  const [letter] = await lettersOf(reader, 1)
  expect(letter?.subject).toBe('4 new in your inbox of Workspace')
  expect(letter?.text).toMatch(/Assigned to you: \w+-\d+ <b>Doors<\/b> & "windows"\n/)
  expect(letter?.text).toMatch(/Assigned to you: \w+-\d+ Second card\n/)
  expect(letter?.text).toMatch(/Wants a review: \w+-\d+ Third\n/)
  expect(letter?.html).toContain('&#60;b&#62;Doors&#60;/b&#62; &#38; &#34;windows&#34;')
  expect(`${letter?.text}${letter?.html}`).not.toContain(description)
  expect(letter?.headers).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/im)
  const { sent_at } = await settingOf(reader)
  await tell(reader, 'Fourth')
  await pass(5)
  expect((await settingOf(reader)).sent_at).toBe(sent_at)
  await pass(11)
  const [, next] = await lettersOf(reader, 2)
  expect(next?.subject).toBe('1 new in your inbox of Workspace')
  expect(next?.text).toContain('Fourth')
  expect(next?.text).not.toContain('Third')
})

test('a mail names 20 entries and counts the others', async () => {
  const reader = await newReader(atOnce)
  await server.sql(
    `insert into inbox.entries (brand_id, person_id, kind, subject_kind, subject_id, title, ends_at, at)
     select $1, $2, 'broke', 'task', n::text, 'Card ' || n || '.', now() + interval '1 year',
       platform.clock_now() + n * interval '1 microsecond' from generate_series(1, 32) n`,
    [workspace.owner.brand_id, reader.person_id],
  )
  await tell(reader, 'Newest')
  await pass(2)
  const [letter] = await lettersOf(reader, 1)
  expect(letter?.subject).toBe('33 new in your inbox of Workspace')
  expect(letter?.text.match(/^Broke: /gm)).toHaveLength(19)
  expect(letter?.text).toContain('And 13 more.')
  expect(letter?.text).toContain('Card 14.')
  expect(letter?.text).not.toContain('Card 13.')
})

test('daily: the mail waits for its hour', async () => {
  const [now] = await server.sql<{ hour: number }>(
    `select extract(hour from platform.now() at time zone 'UTC')::int as hour`,
  )
  const reader = await newReader({ mode: 'daily', hour: ((now?.hour ?? 0) + 2) % 24 })
  await tell(reader)
  await pass(30)
  expect((await settingOf(reader)).sent_at).toBeNull()
  await pass(91)
  await lettersOf(reader, 1)
  const { sent_at } = await settingOf(reader)
  await tell(reader)
  await pass(180)
  expect((await settingOf(reader)).sent_at).toBe(sent_at)
})

test('the link ends the mail by a click in the mail client, and by opening it alone it does not', async () => {
  const reader = await newReader(atOnce)
  const other = await newReader(atOnce)
  await tell(reader)
  await pass(2)
  const [letter] = await lettersOf(reader, 1)
  const link = linkIn(letter as ArrivedLetter)
  expect(letter?.text).toContain(link)
  const page = await server.get(link)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(await page.text()).toContain('<form method="post">')
  expect((await settingOf(reader)).mode).toBe('at_once')
  const click = (path: string) =>
    server.get(path, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })
  const bad = [
    link.replace(`.${reader.person_id}.`, `.${other.person_id}.`),
    link.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    link.replace('token=', 'token=0'),
    link.replace(/token=.*/, ''),
  ]
  const refusals = new Set<string>()
  for (const path of bad)
    for (const answer of [await server.get(path), await click(path)])
      refusals.add(`${answer.status} ${await answer.text()}`)
  expect([...refusals]).toEqual([expect.stringMatching(/^400 .*This link is not valid/)])
  expect([(await settingOf(reader)).mode, (await settingOf(other)).mode]).toEqual(['at_once', 'at_once'])
  for (let times = 0; times < 2; times += 1) expect((await click(link)).status).toBe(200)
  expect([(await settingOf(reader)).mode, (await settingOf(other)).mode]).toEqual(['off', 'at_once'])
  const { sent_at } = await settingOf(reader)
  await tell(reader)
  await pass(20)
  expect((await settingOf(reader)).sent_at).toBe(sent_at)
})

test('who has lost access, has read it or has no proven address is not written to', async () => {
  const [removed, unproven, reading] = [
    await newReader(atOnce),
    await newReader(atOnce),
    await newReader(atOnce),
  ]
  const demoted = await newReader(atOnce, 'admin')
  const readers = [removed, unproven, reading, demoted]
  for (const reader of [removed, unproven, reading]) await tell(reader)
  const trouble = { type: 'desk.lost', id: crypto.randomUUID() }
  expect((await world.call(workspace, 'POST', '/api/v1/probe/trouble', trouble)).status).toBe(201)
  const change = (what: string, { person_id }: Reader) =>
    server.sql(`update identity.${what} = $1`, [person_id])
  await change(`memberships set status = 'removed' where person_id`, removed)
  await change('people set email_verified = false where id', unproven)
  await change(`memberships set role = 'member' where person_id`, demoted)
  const { body } = await world.call<{ items: { id: string }[] }>(reading, 'GET', '/api/v1/me/inbox')
  const entries = body.items.map(({ id }) => ({ id }))
  await world.call(reading, 'POST', '/api/v1/me/inbox:mark', { entries, state: 'read' })
  await pass(2)
  const rows = await server.sql<{ sent_at: string | null }>(
    'select sent_at from inbox.mail_settings where person_id = any($1)',
    [readers.map(({ person_id }) => person_id)],
  )
  // The setting of whoever has left is gone.
  expect(rows.map(({ sent_at }) => sent_at)).toEqual([null, null, null])
  for (const { address } of readers) expect(await listLetters(address)).toEqual([])
})

test('a worker that dies between sending and noting sends once more, and nothing is lost', async () => {
  // It dies of the first mail it sends, so nobody else may be due.
  await pass(20)
  const reader = await newReader(atOnce)
  await tell(reader)
  const dying = await server.start('worker', { ...clock.env, TEST_FAULT_POINTS: 'inbox.mail-sent:kill@1' })
  await clock.advance(2 * minute)
  await arrived(reader.address, 1)
  await dying.kill()
  expect((await settingOf(reader)).sent_at).toBeNull()
  await pass(9)
  expect((await settingOf(reader)).sent_at).toBeNull()
  await pass(2)
  const letters = await lettersOf(reader, 2)
  const ids = letters.map(({ headers }) => /^Message-ID: (.*)$/im.exec(headers)?.[1])
  expect(ids[0]).toMatch(/^<inbox-/)
  expect(ids[1]).toBe(ids[0])
  await pass(20)
  await lettersOf(reader, 2)
})

/** Two workers look while one person is due. */
const twoLook = async (isNaive: boolean) => {
  const reader = await newReader(atOnce)
  const addresses: string[] = []
  const result = await race({
    rounds,
    isTwin: isNaive,
    clients: 2,
    async setup() {
      const email = await address(reader.person_id)
      addresses.push(email)
      await tell(reader)
      await server.sql('update inbox.mail_settings set due_at = platform.now() where person_id = $1', [
        reader.person_id,
      ])
      return email
    },
    act: () =>
      isNaive
        ? world.call(null, 'POST', '/api/v1/probe/naive/inbox-mail', { person_id: reader.person_id })
        : look(),
    async verdict(email) {
      // Of ours all mails are counted at the end, when a second one has come as well.
      const { length } = isNaive ? await arrived(email, 1) : []
      return length <= 1 ? undefined : `${length} mails`
    },
  })
  const letters = isNaive ? [] : await Promise.all(addresses.map((email) => arrived(email, 1)))
  return { ...result, mails: letters.map(({ length }) => length) }
}

test(`of two workers that look at once, one sends, ${rounds} rounds`, async () => {
  expect(await twoLook(false)).toMatchObject({ rounds, wrong: 0, mails: Array(rounds).fill(1) })
})
test('the naive twin sends twice', async () => {
  expect((await twoLook(true)).wrong).toBeGreaterThan(0)
})
