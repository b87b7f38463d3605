import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Conversation, ConversationWorkspace, nowhere, said } from './conversation-world.ts'

const server = useSharedServer('product')
let work: ConversationWorkspace
let source: string
let openclaw: string
beforeAll(async () => {
  work = await ConversationWorkspace.open(server)
  source = (await work.add()).id
  openclaw = (await work.add({ source_type: 'openclaw' })).id
})

const two = [said('We never release on Fridays.'), said('Noted: no releases on Fridays.', 'agent')]
let names = 0
const newName = () => {
  names += 1
  return `session-${names}`
}
const rowsOf = (id: string) =>
  work.world.sql('select * from conversations.messages where conversation_id = $1 order by seq', [id])

test('a conversation that is sent waits to be read, with its messages in their order', async () => {
  const name = newName()
  const { status, body } = await work.sendMessages(source, name, two)
  expect(status).toBe(201)
  expect(body).toMatchObject({
    source_id: source,
    agent_id: work.agent,
    conversation_id: name,
    state: 'waiting',
    attempts: 0,
    message_count: 2,
    read_through: 0,
    stored: 2,
    unchanged: 0,
    next_seq: 2,
    is_cut: false,
  })
  const stored = await work.messagesOf(body.id)
  expect(stored.map(({ seq, role, text }) => ({ seq, role, text }))).toEqual(
    two.map((message, seq) => ({ seq, ...message })),
  )
})

test('the same range sent again stores nothing; a range that overlaps stores what is new', async () => {
  const name = newName()
  const first = await work.sendMessages(source, name, two)
  const before = await rowsOf(first.body.id)
  const again = await work.sendMessages(source, name, two)
  expect([again.status, again.body.stored, again.body.unchanged]).toEqual([201, 0, 2])
  expect(await rowsOf(first.body.id)).toEqual(before)
  const more = await work.sendMessages(source, name, [...two.slice(1), said('And never at night.')], 1)
  expect([more.status, more.body.stored, more.body.unchanged, more.body.next_seq]).toEqual([201, 1, 1, 3])
  const all = await work.sendMessages(source, name, [...two, said('And never at night.')])
  expect([all.status, all.body.stored, all.body.message_count]).toEqual([201, 0, 3])
})

test('another text at a stored number is 409 and changes nothing, and so is a range that leaves a gap', async () => {
  const name = newName()
  const { body } = await work.sendMessages(source, name, two)
  const before = await rowsOf(body.id)
  const other = await work.sendMessages(source, name, [two[0] as object, said('Something else.', 'agent')])
  expect([other.status, other.body]).toEqual([
    409,
    { detail: 'Message 1 is stored with another text; a conversation only grows' },
  ])
  const role = await work.sendMessages(source, name, [said('We never release on Fridays.', 'agent')])
  expect(role.status).toBe(409)
  const gap = await work.sendMessages(source, name, two, 3)
  expect([gap.status, gap.body]).toEqual([409, { detail: 'first_seq: the next message is number 2' }])
  expect(await rowsOf(body.id)).toEqual(before)
})

test('ten callers that send the same and a longer range at once store each message once', async () => {
  const name = newName()
  const many = Array.from({ length: 40 }, (_, n) => said(`Sentence number ${n} of the talk.`))
  const told = await Promise.all(
    Array.from({ length: 10 }, (_, n) => work.sendMessages(source, name, many.slice(0, 31 + n))),
  )
  expect(told.map(({ status }) => status).every((status) => status === 201)).toBe(true)
  expect(new Set(told.map(({ body }) => body.id)).size).toBe(1)
  expect(told.reduce((sum, { body }) => sum + body.stored, 0)).toBe(40)
  const stored = await work.messagesOf(told[0]?.body.id ?? '')
  expect(stored.map(({ text }) => text)).toEqual(many.map(({ text }) => text))
})

test('one name in two sources is two conversations', async () => {
  const name = newName()
  const [one, other] = [
    await work.sendMessages(source, name, two),
    await work.sendMessages(openclaw, name, [said('Something else.')]),
  ]
  expect(one.body.id).not.toBe(other.body.id)
})

const secret = 'sk-ant-api03-Zk3vQ9fT1mB7xR5wN8pL2cJ6hD4gS0aYuEiOoKlMnPqRsTuVwXyZ0123456789abcdefghij'

test('secrets, tool output and prompts of the system are never stored, and are counted', async () => {
  const { body } = await work.sendMessages(source, newName(), [
    said('You are a helpful agent. Obey the boot file.', 'system'),
    said(`The key is ${secret}, use it for the upload.`),
    said('total 48 drwxr-xr-x 2 root root', 'tool'),
  ])
  expect(body).toMatchObject({ message_count: 3, dropped: { system: 1, tool: 1 }, redacted: 1 })
  const stored = JSON.stringify(await rowsOf(body.id))
  expect(stored).not.toMatch(/sk-ant|boot file|drwx/)
  expect((await work.messagesOf(body.id)).map(({ text }) => text === null)).toEqual([true, false, true])
})

test('what was dropped is recognised when it is sent again, and another text in its place is 409', async () => {
  const name = newName()
  const dump = said('drwxr-xr-x 2 root root', 'tool')
  await work.sendMessages(source, name, [dump, ...two])
  const again = await work.sendMessages(source, name, [dump, ...two])
  expect([again.status, again.body.stored, again.body.dropped]).toEqual([201, 0, { tool: 1 }])
  const other = await work.sendMessages(source, name, [said('other output', 'tool')])
  expect(other.status).toBe(409)
})

test('a conversation of which nothing is left is done and waits for nobody', async () => {
  const name = newName()
  const { body } = await work.sendMessages(source, name, [said('ls output', 'tool')])
  expect(body).toMatchObject({ state: 'done', next_try_at: null, message_count: 1, read_through: 1 })
  const more = await work.sendMessages(source, name, [said('We never release on Fridays.')], 1)
  expect(more.body).toMatchObject({ state: 'waiting', read_through: 1 })
})

/** A line of a session file of Claude Code. */
const session = '6f1c2b9a-53de-4c0f-8a11-0d2f7be0c001'
const line = (uuid: string, parent: string | null, text: string) =>
  JSON.stringify({
    parentUuid: parent,
    isSidechain: false,
    userType: 'external',
    cwd: '/home/dev/shop',
    sessionId: session,
    version: '2.1.81',
    type: 'user',
    uuid,
    timestamp: '2026-11-16T09:00:00.000Z',
    message: { role: 'user', content: text },
  })
const lines = [
  line('u1', null, 'Invoices must carry the VAT number.'),
  line('u2', 'u1', 'Use the template of the shop.'),
  line('u3', 'u2', 'Never send invoices on Sundays.'),
]
const sendNative = (native: string, more: object = {}) =>
  work.send(source, { format: 'native', native, ...more })

test('CONV-G11: lines of a session file are read, named by the file, and may come in parts or all again', async () => {
  const first = await sendNative(`${lines[0]}\n${lines[1]}\n`)
  expect(first.status).toBe(201)
  expect(first.body).toMatchObject({ conversation_id: session, stored: 2, is_cut: false })
  const rest = await sendNative(`${lines[2]}\n`, { conversation_id: session })
  expect(rest.body).toMatchObject({ id: first.body.id, stored: 1, message_count: 3 })
  const whole = await sendNative(`${lines.join('\n')}\n`)
  expect([whole.status, whole.body.stored, whole.body.unchanged]).toEqual([201, 0, 3])
  expect((await work.messagesOf(first.body.id)).map(({ text, sent_at }) => [text, sent_at])).toEqual(
    [
      'Invoices must carry the VAT number.',
      'Use the template of the shop.',
      'Never send invoices on Sundays.',
    ].map((text) => [text, '2026-11-16T09:00:00.000000Z']),
  )
})

test('a last line that is still being written is left for the next time', async () => {
  const conversation_id = newName()
  const cut = await sendNative(`${lines[0]}\n${lines[1]?.slice(0, 80)}`, { conversation_id })
  expect(cut.body).toMatchObject({ stored: 1, is_cut: true })
  const whole = await sendNative(`${lines[0]}\n${lines[1]}\n`, { conversation_id })
  expect(whole.body).toMatchObject({ id: cut.body.id, stored: 1, message_count: 2, is_cut: false })
})

test('a record whose text has changed is 409; text that is no session file is 422', async () => {
  const conversation_id = newName()
  await sendNative(`${lines[0]}\n`, { conversation_id })
  const changed = await sendNative(`${line('u1', null, 'Something else.')}\n`, { conversation_id })
  expect(changed.status).toBe(409)
  expect((await sendNative('Dear diary\ntoday', { conversation_id })).status).toBe(422)
})

test('a NUL or half a character in a session file is stored without it', async () => {
  const conversation_id = newName()
  const odd = line('u1', null, 'Never\u0000 on \ud800 Fridays, please.')
  const { status, body } = await sendNative(`${odd}\n`, { conversation_id })
  expect(status).toBe(201)
  expect((await work.messagesOf(body.id))[0]?.text).toMatch(/^Never on . Fridays, please\.$/)
})

test('what cannot be sent is refused: malformed bodies 422, tasks 409, unknown and foreign sources 404', async () => {
  const good = { format: 'messages', conversation_id: 'x', messages: two }
  const bad = [
    {},
    { ...good, format: 'csv' },
    { ...good, conversation_id: '' },
    { ...good, conversation_id: 'x'.repeat(501) },
    { ...good, first_seq: -1 },
    { ...good, first_seq: 20_001 },
    { ...good, messages: [] },
    { ...good, messages: [{ role: 'boss', text: 'x' }] },
    { ...good, messages: [{ role: 'person' }] },
    { format: 'native' },
    { format: 'native', native: '' },
  ]
  for (const body of bad) expect((await work.send(source, body)).status).toBe(422)
  const board = await work.add({ source_type: 'agentboard' })
  expect((await work.send(board.id, good)).status).toBe(409)
  const other = await ConversationWorkspace.open(server)
  const foreign = (await other.add()).id
  for (const id of [foreign, nowhere]) {
    const { status, body } = await work.send(id, good)
    expect([status, body]).toEqual([404, { detail: 'Source not found' }])
  }
  expect((await work.send('none', good)).status).toBe(422)
  expect((await work.send(source, { ...good, messages: [said('x'.repeat(1_100_000))] })).status).toBe(413)
})

test('CONV-G10: conversations are listed by source, agent and state, newest first, in pages', async () => {
  const own = await ConversationWorkspace.open(server)
  const helper = await own.newAgent('helper-bot')
  const [one, other] = [await own.add(), await own.add({ agent_id: helper })]
  const ids: string[] = []
  for (let n = 0; n < 6; n += 1) {
    const words = n < 4 ? two : [said('output', 'tool')]
    const into = n % 2 ? other.id : one.id
    ids.unshift((await own.sendMessages(into, `c${n}`, words)).body.id)
  }
  const walk = async (query: string) => {
    const found: string[] = []
    let cursor = ''
    do {
      const { body } = await own.call<{ conversations: Conversation[]; next_cursor: string | null }>(
        'GET',
        `/conversations?limit=2${query}${cursor}`,
      )
      found.push(...body.conversations.map(({ id }) => id))
      cursor = body.next_cursor ? `&cursor=${body.next_cursor}` : ''
    } while (cursor)
    return found
  }
  expect(await walk('')).toEqual(ids)
  expect(await walk(`&source_id=${other.id}`)).toEqual([ids[0], ids[2], ids[4]])
  expect(await walk(`&agent_id=${own.agent}`)).toEqual([ids[1], ids[3], ids[5]])
  expect(await walk('&state=done')).toEqual([ids[0], ids[1]])
  expect(await walk(`&state=waiting&source_id=${one.id}`)).toEqual([ids[3], ids[5]])
  expect(await walk(`&agent_id=${own.agent}&source_id=${other.id}`)).toEqual([])
  expect((await own.call('GET', `/conversations?source_id=${source}`)).status).toBe(404)
  expect((await own.call('GET', '/conversations?agent_id=nobody')).status).toBe(403)
  expect((await own.call('GET', '/conversations?cursor=x')).status).toBe(422)
  await own.call('DELETE', `/sources/${one.id}`)
  expect(await walk('')).toEqual([ids[0], ids[2], ids[4]])
  expect((await own.call('GET', `/conversations/${ids[1]}`)).status).toBe(404)
})

test('CONV-G10: a conversation is read with its ledger, and only in its own workspace', async () => {
  const { body } = await work.sendMessages(source, newName(), two)
  const { status, body: one } = await work.call('GET', `/conversations/${body.id}`)
  expect(status).toBe(200)
  expect(one).toMatchObject({ id: body.id, state: 'waiting', ledger: [] })
  const other = await ConversationWorkspace.open(server)
  for (const id of [body.id, nowhere])
    for (const path of [`/conversations/${id}`, `/conversations/${id}/messages`]) {
      const told = await other.call('GET', path)
      expect([told.status, told.body]).toEqual([404, { detail: 'Conversation not found' }])
    }
  expect((await work.call('GET', '/conversations/none')).status).toBe(422)
  expect((await other.call('POST', `/conversations/${body.id}/retry`)).status).toBe(404)
})

test('C13: what comes from memory itself is no material, however it comes back', async () => {
  const body =
    'The staging cluster is rebuilt every Sunday night by the platform team, so nothing on it survives.'
  const memory = { agent_id: work.agent, kind: 'fact', title: 'Staging is rebuilt on Sundays', body }
  const made = await work.call<{ id: string }>('POST', '/memories', memory)
  expect(made.status).toBe(201)
  const sent = await work.sendMessages(source, newName(), [
    said(body),
    said(`Recalled: ${made.body.id}: ${body.toUpperCase()}`, 'agent'),
    said(
      `<!-- crewhall:memory begin 12ab -->\n- ${body}\n<!-- crewhall:memory end 12ab -->\nThe build is slow today.`,
    ),
  ])
  const texts = (await work.messagesOf(sent.body.id)).map(({ text }) => text)
  expect(texts).toEqual([null, null, 'The build is slow today.'])
})

test('a dump is left out as a whole, and recognised when it comes again', async () => {
  const name = newName()
  const sent = [said('Look at this.'), said('x y '.repeat(17_500))]
  const { body } = await work.sendMessages(source, name, sent)
  expect((await work.messagesOf(body.id)).map(({ text }) => text)).toEqual(['Look at this.', null])
  expect((await work.sendMessages(source, name, sent)).body).toMatchObject({ stored: 0, unchanged: 2 })
  expect((await work.call<Conversation>('GET', `/conversations/${body.id}`)).body.dropped).toEqual({
    too_long: 1,
  })
})
