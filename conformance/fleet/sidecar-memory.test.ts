import { chmod, link, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exchangeMemory } from '@crewhall/contracts/fleet/desk-memory.ts'
import { DeskCaller } from '@crewhall/testkit/desk-caller.ts'
import { type SidecarProcess, useSidecars } from '@crewhall/testkit/sidecar-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expect, onTestFinished, test } from 'vitest'
import { MemoryWorkspace } from '../memory/memory-world.ts'
import { asDesk, join as joinDesk } from './desk-agent.ts'
import { DeskWorkspace } from './desk-workspace.ts'

const server = useServer('product', { DESK_NETWORKS: '127.0.0.0/8' })
const sidecars = useSidecars()
const limitMs = 30_000

async function open() {
  const memory = await MemoryWorkspace.open(server)
  const cookie = await memory.world.newCookie(memory.person_id, memory.brand_id)
  const at = new DeskWorkspace(server, { ...memory, cookie })
  await at.limitDesks(100)
  const proposals = async () =>
    (await memory.call<{ proposals: Record<string, unknown>[] }>('GET', '/proposals')).body.proposals
  return { memory, at, proposals }
}
type Opened = Awaited<ReturnType<typeof open>>

async function newFile(content?: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'memory-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'MEMORY.md')
  if (content !== undefined) await writeFile(path, content)
  return path
}
async function start({ at }: Opened, path: string, agent_id?: string): Promise<SidecarProcess> {
  const { workstation_id: id, pat } = await at.ordered()
  if (agent_id !== undefined) expect((await at.change(id, { agent_id })).body.agent_id).toBe(agent_id)
  const settings = { memory_file: { path, interval_s: 1 } }
  return sidecars.start({ server_url: server.api.url, env_id: id, pat, settings })
}
const has = (path: string, word: string) =>
  waitFor(async () => {
    const text = await readFile(path, 'utf8').catch(() => '')
    return text.includes(word) && text
  }, limitMs)

test('CONV-15: a desk has the memories of its agent in MEMORY.md, and edited lines come back as proposals', async () => {
  const opened = await open()
  const { memory, proposals } = opened
  const known = await memory.add({ title: 'Invoices', body: 'They carry a number.' })
  const own = '# Notes\r\n\r\nMine, and nobody else’s.\r\n'
  const path = await newFile(own)
  await chmod(path, 0o640)
  const sidecar = await start(opened, path, memory.agent)
  const first = await has(path, '**Invoices** They carry a number.')
  expect(first.startsWith(own)).toBe(true)
  expect((await stat(path)).mode & 0o777).toBe(0o640)
  const edited = first
    .replace('They carry a number.', 'They carry a number and a date.')
    .replace('<!-- crewhall:memory end', '- Ship on Mondays only.\r\n<!-- crewhall:memory end')
  await writeFile(path, edited)
  const found = await waitFor(async () => {
    const all = await proposals()
    return all.length === 2 && all
  }, limitMs)
  expect(found).toContainEqual(
    expect.objectContaining({ kind: 'change', memory_id: known.id, reason: 'edited_file' }),
  )
  expect(found).toContainEqual(expect.objectContaining({ kind: 'new', reason: 'edited_file' }))
  // Until somebody has agreed, the file says what the memory says.
  await waitFor(async () => (await readFile(path, 'utf8')) === first, limitMs)
  const change = found.find(({ kind }) => kind === 'change')
  await memory.call('POST', `/proposals/${change?.id}/approve`, {})
  await has(path, '**Invoices** They carry a number and a date.')
  expect(await proposals()).toHaveLength(1)
  expect(await readdir(join(path, '..'))).toEqual(['MEMORY.md'])
  expect(await sidecar.stop()).toBe(0)
})

test('CONV-G13: a file with markers that are lone, doubled or reversed, and one that is a link, is left alone', async () => {
  const opened = await open()
  await opened.memory.add({ title: 'Never seen here' })
  const [begin, end] = ['begin', 'end'].map((which) => `<!-- crewhall:memory ${which} 0123456789abcdef -->`)
  const [linked, shared] = [await newFile('The target.\n'), await newFile('The other.\n')]
  const cases = {
    marker_lone: await newFile(`Mine.\n${begin}\n`),
    marker_doubled: await newFile(`${begin}\n${begin}\n`),
    marker_reversed: await newFile(`${end}\n${begin}\n`),
    link: join(linked, '..', 'linked.md'),
    hard_linked: shared,
  }
  await symlink(linked, cases.link)
  await link(shared, join(shared, '..', 'second.md'))
  const running = await Promise.all(
    Object.entries(cases).map(async ([reason, path]) => {
      const before = await readFile(path, 'utf8')
      const sidecar = await start(opened, path, opened.memory.agent)
      const line = await sidecar.logged('MEMORY.md was left untouched')
      return { reason, path, before, sidecar, said: line.reason }
    }),
  )
  for (const { reason, said, path, before, sidecar } of running) {
    expect([reason, said]).toEqual([reason, reason])
    expect(await readFile(path, 'utf8')).toBe(before)
    expect(await sidecar.stop()).toBe(0)
  }
  // It goes on by itself once a person has mended it.
  await writeFile(cases.marker_lone, 'Mine.\n')
  const again = running.find(({ reason }) => reason === 'marker_lone')
  if (!again) throw new Error('it was started')
  const sidecar = sidecars.run(again.sidecar.place)
  expect((await has(again.path, 'Never seen here')).startsWith('Mine.\n\n<!--')).toBe(true)
  await sidecar.stop()
})

test('a desk without an agent gets no memories, and nobody can give it an agent of another workspace', async () => {
  const [one, other] = [await open(), await open()]
  const foreign = await other.memory.newAgent('only-there')
  await one.memory.add({ title: 'Ours' })
  const { workstation_id: id, pat } = await one.at.ordered()
  for (const agent_id of [foreign, 'nobody']) {
    const { status, body } = await one.at.change(id, { agent_id })
    expect([status, body]).toEqual([403, { detail: 'This agent does not belong to the workspace' }])
  }
  expect((await one.at.change(id, { agent_id: 'no id!' })).status).toBe(422)
  const desk = new DeskCaller(id, pat)
  await joinDesk(server.get, desk)
  const ask = (caller = desk, lines: string[] | null = null) =>
    asDesk(server.get, caller, exchangeMemory, { lines })
  const nothing = { lines: [], memory_ids: [] }
  expect((await ask()).body).toEqual({ agent_id: null, reason: 'no_agent', ...nothing })
  await one.at.change(id, { agent_id: one.memory.agent })
  expect((await ask()).body).toMatchObject({ agent_id: one.memory.agent, reason: null })
  expect((await ask()).text).toContain('Ours')
  const many = Array.from({ length: 101 }, (_, n) => `- Line ${n} of somebody.`)
  expect((await ask(desk, many)).body).toMatchObject({ reason: 'too_many_edits', ...nothing })
  expect((await ask(new DeskCaller(id, pat))).status).toBe(401)
  await one.at.change(id, { agent_id: null })
  expect((await ask()).body.reason).toBe('no_agent')
  await one.at.call('DELETE', `/workstations/${id}`)
  expect((await ask()).status).toBe(410)
})
