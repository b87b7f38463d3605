import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { line, useDirectories } from './directory-world.ts'
import { memories, minute } from './pickup-world.ts'

const { kit, root, open, pickUp, startWorker, advance } = useDirectories()

let workers: ServerProcess[]
beforeAll(async () => {
  workers = await Promise.all([startWorker(), startWorker()])
})
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()))
})
beforeEach(() => {
  kit.model.reset()
  kit.model.answer = () => memories()
})

const timeout = 120_000
const tuesdays = 'From now on we deploy on Tuesdays only.'

test('CONV-11 CONV-12 CONV-G11: session files are read and become memories in the same pick-up', {
  timeout,
}, async () => {
  const claude = await open()
  claude.write('project/one.jsonl', line('1', tuesdays), line('2', 'Understood.', 'assistant'))
  const claw = await open({ source_type: 'openclaw' })
  claw.write(
    'two.jsonl',
    `${JSON.stringify({ type: 'session', version: 3, id: 's', timestamp: '2026-03-01T10:00:00.000Z' })}\n`,
    `${JSON.stringify({ type: 'message', id: 'a', parentId: null, message: { role: 'user', content: 'We never use tabs.' } })}\n`,
  )
  kit.model.answer = () =>
    memories({ quote: 'we deploy on Tuesdays only', title: 'Deployments are on Tuesdays' })
  await pickUp()
  expect(await claude.texts()).toEqual({ 'project/one.jsonl': [tuesdays, 'Understood.'] })
  expect(await claw.texts()).toEqual({ 'two.jsonl': ['We never use tabs.'] })
  expect(await claude.titles()).toEqual(['Deployments are on Tuesdays'])
  const { reading } = await claude.source()
  expect(reading).toMatchObject({ failures: 0, reason: null, skipped: {} })
  expect(Date.parse(reading.next_read_at ?? '')).toBeGreaterThan(Date.parse(reading.last_read_at ?? ''))
})

test('a file that grows gives its new messages only, and half a line waits for its end', {
  timeout,
}, async () => {
  const { write, texts, conversations } = await open()
  const last = line('3', 'The third message is long enough.')
  const file = write('a.jsonl', line('1', tuesdays), last.slice(0, 60))
  await pickUp()
  expect(await texts()).toEqual({ 'a.jsonl': [tuesdays] })
  const calls = kit.model.calls.chat
  await pickUp()
  expect(kit.model.calls.chat).toBe(calls)
  appendFileSync(file, last.slice(60) + line('4', 'The fourth has no line break.').trimEnd())
  await pickUp()
  const all = [tuesdays, 'The third message is long enough.', 'The fourth has no line break.']
  expect(await texts()).toEqual({ 'a.jsonl': all })
  expect(await conversations()).toMatchObject([{ message_count: 3, read_through: 3, state: 'done' }])
  expect(kit.model.calls.chat).toBe(calls + 1)
})

test('a file that was replaced or cut off is read from its beginning, and nothing is stored twice', {
  timeout,
}, async () => {
  const { home, write, texts } = await open()
  const lines = [line('1', tuesdays), line('2', 'We review every change.')]
  const file = write('a.jsonl', ...lines)
  await pickUp()
  // Another file takes its name, with another beginning and longer.
  writeFileSync(
    join(home, 'new'),
    line('8', 'A new session begins here.') + lines.join('') + line('9', 'And ends here.'),
  )
  renameSync(join(home, 'new'), file)
  await pickUp()
  const grown = [tuesdays, 'We review every change.', 'A new session begins here.', 'And ends here.']
  expect(await texts()).toEqual({ 'a.jsonl': grown })
  writeFileSync(file, line('10', 'Cut off and begun anew.'))
  await pickUp()
  expect(await texts()).toEqual({ 'a.jsonl': [...grown, 'Cut off and begun anew.'] })
})

test('CONV-G6: secrets in files are not stored', { timeout }, async () => {
  const { write, texts } = await open()
  const secret = `ghp_${'aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5'}`
  write('a.jsonl', line('1', `Our token is ${secret}, use it for releases.`))
  await pickUp()
  const stored = JSON.stringify(await texts())
  expect(stored).toContain('for releases')
  expect(stored).not.toContain(secret)
})

test('what is no plain file of the directory is left out and counted, and all else is read', {
  timeout,
}, async () => {
  const other = await open({ enabled: false })
  const foreign = other.write('secret.jsonl', line('1', 'A secret of another workspace.'))
  const { home, write, texts, source, conversations } = await open()
  const sessions = join(home, 'sessions')
  symlinkSync(foreign, join(sessions, 'link.jsonl'))
  symlinkSync(join(other.home, 'sessions'), join(sessions, 'linked'))
  symlinkSync(`../../${other.work.brand_id}/sessions/secret.jsonl`, join(sessions, 'relative.jsonl'))
  linkSync(foreign, join(sessions, 'hard.jsonl'))
  execFileSync('mkfifo', [join(sessions, 'pipe.jsonl')])
  write('huge.jsonl', line('1', 'Too large.'))
  truncateSync(join(sessions, 'huge.jsonl'), 65 * 1_048_576)
  write('notes.txt', 'nothing')
  mkdirSync(join(sessions, 'a/b/c/d/e/f/g/h'), { recursive: true })
  write('a/b/c/d/e/f/g/h/deep.jsonl', line('1', 'Too deep.'))
  write('z/good.jsonl', line('1', tuesdays))
  write('broken.jsonl', 'no JSON\n', line('1', 'Behind a broken line.'))
  await pickUp()
  expect(await texts()).toEqual({ 'broken.jsonl': ['Behind a broken line.'], 'z/good.jsonl': [tuesdays] })
  const { enabled, reading } = await source()
  expect({ enabled, reason: reading.reason }).toEqual({ enabled: true, reason: null })
  expect(reading.skipped).toEqual({
    link: 3,
    hard_linked: 1,
    not_a_file: 1,
    too_large: 1,
    other_kind: 1,
    too_deep: 1,
  })
  const broken = (await conversations()).find(({ conversation_id }) => conversation_id === 'broken.jsonl')
  expect(broken?.dropped).toEqual({ broken_line: 1 })
})

test('a directory outside of that of the workspace cannot be named', async () => {
  const { work } = await open()
  const statusOf = async (directory: unknown) => (await work.create({ config: { directory } })).status
  for (const directory of [
    '..',
    '../1',
    'a/../../1',
    '/etc',
    `${root}/1`,
    '',
    '.',
    './a',
    'a//b',
    'a/',
    'a\0b',
    'a\\b',
    5,
  ])
    expect(await statusOf(directory)).toBe(422)
  expect(await statusOf('projects/one')).toBe(201)
})

test('a directory that is a link to that of another workspace is not read, and pauses the source with an event', {
  timeout,
}, async () => {
  const other = await open({ enabled: false })
  other.write('secret.jsonl', line('1', 'A secret of another workspace.'))
  for (const path of ['sessions', 'sessions/below']) {
    const { home, id, work, texts, source, pauses } = await open({ config: { directory: path } })
    rmSync(join(home, 'sessions'), { recursive: true })
    symlinkSync(path === 'sessions' ? join(other.home, 'sessions') : other.home, join(home, 'sessions'))
    await pickUp()
    expect(await texts()).toEqual({})
    expect(await source()).toMatchObject({
      enabled: false,
      paused_reason: 'The directory is a link or a file',
      reading: { reason: 'directory_is_link', next_read_at: null },
    })
    expect(await pauses()).toBe(1)
    rmSync(join(home, 'sessions'))
    mkdirSync(join(home, path), { recursive: true })
    writeFileSync(join(home, path, 'a.jsonl'), line('1', tuesdays))
    await work.call('POST', `/sources/${id}/resume`)
    await pickUp()
    expect(await texts()).toEqual({ 'a.jsonl': [tuesdays] })
    expect(await source()).toMatchObject({ enabled: true, reading: { reason: null, failures: 0 } })
  }
})

test('a missing directory is looked for after 10 min, 30 min, 2 h and 8 h, and then pauses the source', {
  timeout,
}, async () => {
  const missing = await open()
  const neighbour = await open()
  neighbour.write('a.jsonl', line('1', tuesdays))
  rmSync(join(missing.home, 'sessions'), { recursive: true })
  for (const [failures, wait] of [10, 30, 120, 480].entries()) {
    await pickUp()
    const { enabled, reading } = await missing.source()
    expect({ enabled, ...reading }).toMatchObject({
      enabled: true,
      reason: 'directory_missing',
      failures: failures + 1,
    })
    expect(await missing.pauses()).toBe(0)
    await advance(wait * minute)
  }
  await pickUp()
  expect(await missing.source()).toMatchObject({ enabled: false, paused_reason: 'The directory is missing' })
  expect(await missing.pauses()).toBe(1)
  expect(await neighbour.texts()).toEqual({ 'a.jsonl': [tuesdays] })
})

test('CONV-G7: a source that is paused is not read, and one that gets another directory begins anew', {
  timeout,
}, async () => {
  const { home, id, work, write, texts } = await open({ enabled: false })
  write('a.jsonl', line('1', tuesdays))
  await pickUp()
  expect(await texts()).toEqual({})
  mkdirSync(join(home, 'other'))
  writeFileSync(join(home, 'other/b.jsonl'), line('1', 'In the other directory.'))
  await work.call('PATCH', `/sources/${id}`, { enabled: true, config: { directory: 'other' } })
  await pickUp()
  expect(await texts()).toEqual({ 'b.jsonl': ['In the other directory.'] })
})

test('SYS-17: what two workers find at the same time is stored once', { timeout }, async () => {
  const { write, conversations } = await open()
  for (let n = 0; n < 40; n += 1)
    write(
      `${n % 4}/${n}.jsonl`,
      line(`${n}`, `Message ${n} of the session.`),
      line(`${n}b`, 'Yes, indeed.', 'assistant'),
    )
  await pickUp()
  expect((await conversations()).map(({ message_count }) => message_count)).toEqual(Array(40).fill(2))
})
