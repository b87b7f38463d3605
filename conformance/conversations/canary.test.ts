import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { marksIn } from '@crewhall/testkit/canary.ts'
import { secretLookAlikes as lookAlikes, plantedSecrets } from '@crewhall/testkit/planted-secrets.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type pg from 'pg'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { agentFilesDir } from '../memory/export-world.ts'
import { conversationIn, memories, usePickUps } from './pickup-world.ts'

const dir = agentFilesDir()
const kit = usePickUps({ AGENT_FILES_DIR: dir, LOG_LEVEL: 'debug' })
const { server, startWorker, pickUp, open } = kit
type Workspace = Awaited<ReturnType<typeof open>>
let worker: ServerProcess
let admin: pg.Client

beforeAll(async () => {
  worker = await startWorker()
  admin = await server.connection('superuser')
})
beforeEach(() => kit.model.reset())

/** Pick-ups until every message is read: one that a loaded machine has interrupted is read by the next. */
async function readAll(): Promise<void> {
  await waitFor(async () => {
    await pickUp()
    const waiting = await server.sql(
      'select from conversations.conversations where read_through < message_count',
    )
    return waiting.length === 0
  }, 120_000)
}

/** MEMORY.md of all agents, written now and with all that they know. */
async function exported(): Promise<void> {
  await waitFor(async () => {
    const open = await server.sql(
      `select from pgboss.job where name in ('memory.export', 'memory.export-workspace') and state < 'completed'`,
    )
    if (open.length > 0) return false
    const behind = await server.sql(
      `select agent_id, 'marked' from memory.export_marks
       union all select agent_id, state from memory.exports where state <> 'written'`,
    )
    if (behind.length === 0) return true
    await server.sql(
      `update jobs.schedules set next_at = platform.now()
       where name = 'memory.export' and next_at > platform.now()`,
    )
    throw new Error(`behind: ${JSON.stringify(behind)}`)
  }, 60_000)
}
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
const logs = () => [...kit.api.lines, ...server.api.lines, ...worker.lines].join('\n')

/** All rows of all tables of some schemas as text, or those of one workspace. */
async function dump(schemas: readonly string[], brand_id?: number): Promise<string> {
  const { rows: tables } = await admin.query<{ name: string; has_brand: boolean }>(
    `select format('%I.%I', n.nspname, c.relname) as name, exists (
       select from pg_attribute a where a.attrelid = c.oid and a.attname = 'brand_id') as has_brand
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any($1) and c.relkind in ('r', 'p') and not c.relispartition`,
    [schemas],
  )
  const texts: string[] = []
  for (const { name, has_brand } of tables) {
    if (brand_id !== undefined && !has_brand) continue
    const whose = brand_id === undefined ? '' : `where t.brand_id = ${brand_id}`
    const { rows } = await admin.query<{ text: string }>(`select t::text as text from ${name} t ${whose}`)
    texts.push(...rows.map(({ text }) => text))
  }
  return texts.join('\n')
}

interface Marked {
  readonly workspace: Workspace
  readonly mark: string
}
/** Where marks of the other workspace are found, by the places that one workspace can see. */
async function leaksInto({ workspace }: Marked, foreign: string): Promise<string[]> {
  const { work } = workspace
  const folder = join(dir, String(work.brand_id))
  const get = async (path: string) => JSON.stringify((await work.call('GET', path)).body)
  const { conversations } = JSON.parse(await get('/conversations')) as { conversations: { id: string }[] }
  const answers = await Promise.all(
    [
      '/conversations',
      ...conversations.map(({ id }) => `/conversations/${id}`),
      ...conversations.map(({ id }) => `/conversations/${id}/messages`),
      '/memories',
      '/proposals',
      '/usage',
      '/sources',
    ].map(get),
  )
  const places = {
    files: filesIn(folder).join('\n'),
    answers: answers.join('\n'),
    ledger: await dump(['conversations'], work.brand_id),
    memories: await dump(['memory'], work.brand_id),
    events: JSON.stringify(
      await server.sql('select * from platform.workspace_events where brand_id = $1', [work.brand_id]),
    ),
    logs: logs(),
  }
  return Object.entries(places).flatMap(([place, text]) =>
    marksIn(text, [foreign]).length > 0 ? [place] : [],
  )
}
/** Prompts that have marks of both. */
const mixedPrompts = (marks: readonly string[]) =>
  kit.model.prompts.filter(({ system, user }) => marksIn(`${system}\n${user}`, marks).length > 1).length

test('canary: of two workspaces with the same agent and the same subject, no mark of one is in a prompt, file, ledger, event or log of the other', async () => {
  kit.model.answer = ({ user }) => {
    if (user.startsWith('Tag:')) return { title: 'Deployments', statement: 'Deployments need care.' }
    const conversation = conversationIn({ user })
    const mark = /canary\w+/.exec(conversation)?.[0] ?? ''
    const said = (n: number) => `learning ${n} of ${mark} is about deployments`
    return memories(
      ...[1, 2, 3].map((n) => ({ quote: said(n), title: said(n), kind: 'learning', tags: ['deployments'] })),
      { quote: `the host of ${mark} is called amber`, title: `The host of ${mark} is called amber` },
      { quote: `nobody said this of ${mark}`, title: `An invention about ${mark}` },
    )
  }
  const marked: Marked[] = []
  for (const mark of ['canaryleft', 'canaryright']) marked.push({ workspace: await open(), mark })
  for (const round of ['one', 'two'])
    for (const { workspace, mark } of marked)
      await workspace.send(round, [
        `In round ${round}: ${[1, 2, 3].map((n) => `learning ${n} of ${mark} is about deployments`).join('; ')}.`,
        `And the host of ${mark} is called amber.`,
      ])
  await readAll()
  await exported()
  const marks = marked.map(({ mark }) => mark)
  const [left, right] = marked
  if (!left || !right) throw new Error('there are two')
  expect(await leaksInto(left, right.mark)).toEqual([])
  expect(await leaksInto(right, left.mark)).toEqual([])
  expect(kit.model.prompts.length).toBeGreaterThanOrEqual(4)
  expect(mixedPrompts(marks)).toBe(0)
  // What is its own is there, so the places are the right ones. Texts of conversations are never logged, nor in events.
  for (const each of marked)
    expect(await leaksInto(each, each.mark)).toEqual(['files', 'answers', 'ledger', 'memories'])

  // And each planted leak is seen.
  const own = { brand_id: left.workspace.work.brand_id, agent: left.workspace.work.agent }
  const folder = join(dir, String(own.brand_id), 'planted')
  mkdirSync(folder)
  writeFileSync(join(folder, 'MEMORY.md'), right.mark)
  await admin.query(`update conversations.messages set text = $2 where brand_id = $1 and seq = 0`, [
    own.brand_id,
    right.mark,
  ])
  await admin.query(
    `update platform.workspace_events set data = jsonb_build_object('planted', $2::text) where brand_id = $1`,
    [own.brand_id, right.mark],
  )
  await admin.query('update memory.memories set description = $2 where brand_id = $1', [
    own.brand_id,
    right.mark,
  ])
  await fetch(`${kit.api.url}/api/v1/memory/${right.mark}`)
  await waitFor(() => logs().includes(right.mark), 10_000)
  expect(await leaksInto(left, right.mark)).toEqual([
    'files',
    'answers',
    'ledger',
    'memories',
    'events',
    'logs',
  ])
  await workspaceSays(left, `the host of ${right.mark} is called amber, and not that of ${left.mark}`)
  expect(mixedPrompts(marks)).toBeGreaterThan(0)
})

async function workspaceSays({ workspace }: Marked, text: string): Promise<void> {
  await workspace.send('three', [text])
  await pickUp()
}

test(`C27: ${plantedSecrets.length} planted secrets are in no row, log, prompt or file, and ${lookAlikes.length} look-alikes are unharmed`, async () => {
  const workspace = await open()
  // A model that notes whatever it reads.
  kit.model.answer = ({ user }) => {
    const lines = conversationIn({ user }).split('\n').slice(2)
    return memories(
      ...lines.slice(0, 12).map((line) => {
        const { text, message } = JSON.parse(line) as { text: string; message: number }
        return { quote: text.slice(0, 280), title: text.slice(0, 200), body: text.slice(0, 2000), message }
      }),
    )
  }
  const size = 10
  const sent: string[] = []
  for (let at = 0; at < plantedSecrets.length; at += size) {
    const part = plantedSecrets.slice(at, at + size).map(({ text }) => text)
    sent.push((await workspace.send(`secrets ${at}`, part)).id)
  }
  for (let at = 0; at < lookAlikes.length; at += size)
    await workspace.send(`look-alikes ${at}`, lookAlikes.slice(at, at + size))
  await readAll()
  await exported()
  expect(await workspace.titles()).not.toEqual([])
  const asked = JSON.stringify(kit.model.bodies.map((body) => JSON.stringify(body)))
  const places = {
    database: await dump(['conversations', 'memory', 'platform', 'jobs', 'pgboss']),
    logs: logs(),
    prompts: asked,
    files: filesIn(dir).join('\n'),
  }
  const values = plantedSecrets.flatMap((planted) =>
    planted.values.map((value) => ({ name: planted.name, value })),
  )
  const found = Object.entries(places).flatMap(([place, text]) =>
    values.filter(({ value }) => text.includes(value)).map(({ name }) => `${name} in ${place}`),
  )
  expect(found).toEqual([])
  const stored = await server.sql<{ text: string | null }>(
    'select text from conversations.messages where brand_id = $1',
    [workspace.work.brand_id],
  )
  const texts = stored.map(({ text }) => text)
  expect(lookAlikes.filter((text) => !texts.includes(text))).toEqual([])
  // Each place is one where a secret would be seen: what is no secret is there, except in logs. Files have room for some.
  const seen = Object.entries(places).flatMap(([place, text]) =>
    lookAlikes.some((plain) => text.includes(plain)) ? [place] : [],
  )
  expect(seen).toEqual(['database', 'prompts', 'files'])
  const [first] = sent
  const { redacted } = (await workspace.work.call<{ redacted: number }>('GET', `/conversations/${first}`))
    .body
  expect(redacted).toBeGreaterThan(0)
})
