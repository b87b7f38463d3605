import { appendFile, chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useSidecars } from '@crewhall/testkit/sidecar-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expect, onTestFinished, test } from 'vitest'
import { type Conversation, ConversationWorkspace } from '../conversations/conversation-world.ts'
import { DeskWorkspace } from './desk-workspace.ts'

const server = useServer('product', { DESK_NETWORKS: '127.0.0.0/8' })
const sidecars = useSidecars()
const limitMs = 30_000

const line = (uuid: string, parentUuid: string | null, content: string) =>
  `${JSON.stringify({
    type: 'user',
    uuid,
    parentUuid,
    sessionId: 'session',
    timestamp: '2026-11-16T09:00:00Z',
    message: { role: 'user', content },
  })}\n`

async function newDesk() {
  const work = await ConversationWorkspace.open(server)
  const cookie = await work.world.newCookie(work.person_id, work.brand_id)
  const desk = await new DeskWorkspace(server, { ...work, cookie }).ordered()
  const folder = await mkdtemp(join(tmpdir(), 'sessions-'))
  const [directory, token_file] = [join(folder, 'sessions'), join(folder, 'token')]
  await mkdir(join(directory, 'shop'), { recursive: true })
  await writeFile(token_file, work.token, { mode: 0o600 })
  const source = await work.add()
  const place = await sidecars.place({
    server_url: server.api.url,
    env_id: desk.workstation_id,
    pat: desk.pat,
    settings: { transcripts: { directory, source_id: source.id, token_file, interval_s: 1 } },
  })
  onTestFinished(() => rm(folder, { recursive: true }))
  const list = async () =>
    (await work.call<{ conversations: Conversation[] }>('GET', '/conversations')).body.conversations
  /** Once the newest has so many messages. */
  const has = (count: number) =>
    waitFor(async () => {
      const [found] = await list()
      return found?.message_count === count && found
    }, limitMs)
  return { work, place, directory, token_file, list, has }
}

test('sessions of a desk are sent as they grow, whole lines only, each once, also after kill -9', async () => {
  const { work, place, directory, list, has } = await newDesk()
  const file = join(directory, 'shop', 'a.jsonl')
  const third = line('u3', 'u2', 'Never send invoices on Sundays.')
  await writeFile(file, line('u1', null, 'Invoices carry a number.') + line('u2', 'u1', 'Use the template.'))
  await appendFile(file, third.slice(0, 40))
  const first = sidecars.run(place)
  const found = await has(2)
  expect(found.conversation_id).toBe('shop/a.jsonl')
  await appendFile(file, third.slice(40))
  await has(3)
  await first.kill()
  await appendFile(file, line('u4', 'u3', 'Ask before you refund.'))
  const second = sidecars.run(place)
  expect((await has(4)).id).toBe(found.id)
  expect((await work.messagesOf(found.id)).map(({ text }) => text)).toEqual([
    'Invoices carry a number.',
    'Use the template.',
    'Never send invoices on Sundays.',
    'Ask before you refund.',
  ])
  expect(await list()).toHaveLength(1)
  expect(await second.stop()).toBe(0)
  expect([...first.lines, ...second.lines].join('\n')).not.toContain(work.token)
})

test('links are not followed, and a token that others can read is not used', async () => {
  const { place, directory, token_file, list, has } = await newDesk()
  const outside = join(place.folder, 'outside.jsonl')
  await writeFile(outside, line('o1', null, 'Not for anybody.'))
  await symlink(outside, join(directory, 'linked.jsonl'))
  await symlink(place.folder, join(directory, 'linked'))
  const sidecar = sidecars.run(place)
  await sidecar.logged('registered')
  await chmod(token_file, 0o644)
  await writeFile(join(directory, 'z.jsonl'), line('z1', null, 'The shop closes at six.'))
  const { error } = await sidecar.logged('transcripts were not sent')
  expect(error).toContain('its mode has to be 600')
  expect(await list()).toEqual([])
  await chmod(token_file, 0o600)
  expect((await has(1)).conversation_id).toBe('z.jsonl')
  expect(await list()).toHaveLength(1)
  await sidecar.stop()
})
