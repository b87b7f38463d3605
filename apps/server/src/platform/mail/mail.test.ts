import { randomUUID } from 'node:crypto'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { type Fault, type FaultProxy, startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { outside } from '@crewhall/testkit/outside.ts'
import { startRefusingMailServer } from '@crewhall/testkit/refusing-mail-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { ImapFlow } from 'imapflow'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createMail, type Mail } from '#platform/mail/mail.ts'

const facts = readServiceFacts().mail
const from = `Crewhall <no-reply@${facts.domain}>`
const timeoutMs = 500
/** The limit, and room for a busy machine. */
const patienceMs = timeoutMs + 5000
let proxy: FaultProxy

beforeAll(async () => {
  proxy = await startFaultProxy(facts.smtp)
})
afterEach(() => proxy.set({ kind: 'none' }))
afterAll(() => proxy.close())

function connectTo(url: string | undefined, timeout_ms: number): Mail {
  const mail = createMail({ url, from, timeout_ms })
  onTestFinished(() => mail.close())
  return mail
}

const letter = (to: string) => ({
  to,
  subject: 'Grüße aus der Halle',
  text: 'Hello as text — ünïcode',
  html: '<p>Hello as <b>HTML</b> — ünïcode</p>',
})
const someone = () => `${randomUUID()}@${facts.domain}`

/** The parts of the only message in a mailbox, by media type. */
async function openMailbox(address: string) {
  const { host, port } = facts.imap
  const imap = new ImapFlow({
    host,
    port,
    secure: false,
    auth: { user: address, pass: facts.imap_password },
    logger: false,
  })
  await imap.connect()
  try {
    await imap.mailboxOpen('INBOX')
    const message = await imap.fetchOne('*', {
      envelope: true,
      bodyStructure: true,
      headers: ['auto-submitted'],
    })
    if (!message) return undefined
    const parts: Record<string, string> = {}
    for (const { part, type } of message.bodyStructure?.childNodes ?? []) {
      const { content } = await imap.download('*', part)
      let text = ''
      for await (const chunk of content ?? []) text += chunk
      parts[type] = text.trim()
    }
    const count = await imap.search({ all: true })
    const headers = message.headers?.toString() ?? ''
    return { envelope: message.envelope, headers, parts, count: count ? count.length : 0 }
  } finally {
    await imap.logout()
  }
}

test('a message arrives in the mailbox of its recipient, as text and as HTML', async () => {
  const to = someone()
  const message_id = `<${randomUUID()}@${facts.domain}>`
  await connectTo(facts.smtp_url, 10_000).send(outside, { ...letter(to), message_id })
  const found = await waitFor(() => openMailbox(to), 20_000)
  expect(found.envelope?.subject).toBe('Grüße aus der Halle')
  expect(found.envelope?.messageId).toBe(message_id)
  expect(found.envelope?.from?.[0]).toMatchObject({ name: 'Crewhall', address: `no-reply@${facts.domain}` })
  expect(found.parts).toEqual({
    'text/plain': 'Hello as text — ünïcode',
    'text/html': '<p>Hello as <b>HTML</b> — ünïcode</p>',
  })
  expect(found.count).toBe(1)
})

test('K20: every message says that no person wrote it', async () => {
  const to = someone()
  await connectTo(facts.smtp_url, 10_000).send(outside, letter(to))
  const found = await waitFor(() => openMailbox(to), 20_000)
  expect(found.headers).toMatch(/^Auto-Submitted: auto-generated$/im)
})

test('a line break in a subject cannot add a header', async () => {
  const to = someone()
  const victim = someone()
  await connectTo(facts.smtp_url, 10_000).send(outside, { ...letter(to), subject: `Hello\r\nBcc: ${victim}` })
  const found = await waitFor(() => openMailbox(to), 20_000)
  expect(found.envelope?.subject).toBe(`Hello Bcc: ${victim}`)
  expect(found.envelope?.bcc ?? []).toEqual([])
})

async function failureOf(call: Promise<unknown>): Promise<{ error: unknown; ms: number }> {
  const begun = performance.now()
  const error = await call.then(
    () => 'it did not fail',
    (reason: unknown) => reason,
  )
  return { error, ms: performance.now() - begun }
}

const faults: { fault: Fault; reason: string }[] = [
  { fault: { kind: 'half_open' }, reason: 'timeout' },
  // Every step of the conversation is in time; the whole of it is not.
  { fault: { kind: 'latency', ms: timeoutMs / 4 }, reason: 'timeout' },
  { fault: { kind: 'stall_after', bytes: 60 }, reason: 'timeout' },
  { fault: { kind: 'reset' }, reason: 'unreachable' },
  { fault: { kind: 'drop' }, reason: 'unreachable' },
  { fault: { kind: 'cut_after', bytes: 60 }, reason: 'unreachable' },
]

test.for(faults)(
  'mail over a new line with $fault.kind is an outage by $reason within the limit',
  async ({ fault, reason }) => {
    const mail = connectTo(proxy.through(facts.smtp_url), timeoutMs)
    proxy.set(fault)
    const { error, ms } = await failureOf(mail.send(outside, letter(someone())))
    expect(error).toMatchObject({ name: 'Outage', part: 'mail', reason, status: 503 })
    expect(ms).toBeLessThan(patienceMs)
  },
)

test.for(faults.filter(({ fault }) => fault.kind !== 'latency'))(
  'mail over an open line with $fault.kind is an outage by $reason, and later mail goes out',
  async ({ fault, reason }) => {
    const mail = connectTo(proxy.through(facts.smtp_url), timeoutMs)
    await waitFor(() => mail.send(outside, letter(someone())).then(() => true), 20_000)
    proxy.set(fault)
    const to = someone()
    const { error, ms } = await failureOf(mail.send(outside, letter(to)))
    expect(error).toMatchObject({ name: 'Outage', part: 'mail', reason })
    expect(ms).toBeLessThan(patienceMs)
    proxy.set({ kind: 'none' })
    await waitFor(() => mail.send(outside, letter(someone())).then(() => true), 20_000)
  },
)

test('a mail server that refuses connections is an outage', async () => {
  const closed = await startFaultProxy(facts.smtp)
  const url = closed.through(facts.smtp_url)
  await closed.close()
  const { error, ms } = await failureOf(connectTo(url, timeoutMs).send(outside, letter(someone())))
  expect(error).toMatchObject({ name: 'Outage', part: 'mail', reason: 'unreachable' })
  expect(ms).toBeLessThan(patienceMs)
})

test('mail without a mail server is an outage that says so', async () => {
  await expect(connectTo(undefined, timeoutMs).send(outside, letter(someone()))).rejects.toMatchObject({
    name: 'Outage',
    part: 'mail',
    reason: 'not_configured',
    status: 503,
    detail: 'The mail is not configured',
  })
})

test.for([
  { code: 550, reason: 'refused', is_final: true },
  { code: 450, reason: 'unreachable', is_final: false },
] as const)(
  'a recipient that is answered with $code is $reason, which is final: $is_final',
  async ({ code, ...told }) => {
    const refusing = await startRefusingMailServer(code)
    onTestFinished(() => refusing.close())
    const { error } = await failureOf(connectTo(refusing.url, timeoutMs).send(outside, letter(someone())))
    expect(error).toMatchObject({ name: 'Outage', part: 'mail', ...told })
    expect(refusing.tries()).toBe(1)
  },
)

test('an address that cannot be sent to is refused before anybody is asked', async () => {
  const refusing = await startRefusingMailServer(550)
  onTestFinished(() => refusing.close())
  const { error } = await failureOf(
    connectTo(refusing.url, timeoutMs).send(outside, letter('nobody in particular')),
  )
  expect(error).toMatchObject({ reason: 'refused', is_final: true })
  expect(refusing.tries()).toBe(0)
})

test('an outage that may end is not final', async () => {
  const { error } = await failureOf(connectTo(undefined, timeoutMs).send(outside, letter(someone())))
  expect(error).toMatchObject({ reason: 'not_configured', is_final: false })
})
