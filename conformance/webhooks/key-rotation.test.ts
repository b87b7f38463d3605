import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { arrived, type HookAdmin, hookEnv, useHookWorld, verified } from './hook-world.ts'

const [oldKey, newKey] = ['the-old-key-of-this-installation', 'the-new-key-of-this-installation']
const server = useServer('product', { ...hookEnv, SIGNING_KEY: oldKey })
const world = useHookWorld(server)
let clock: ReturnType<typeof createVirtualClock>
beforeAll(() => {
  clock = createVirtualClock(server.database.name)
})
afterAll(() => clock.close())

const audit = async (api: ServerProcess, { workspace }: HookAdmin, since = '') => {
  const response = await fetch(
    `${api.url}/api/v1/brands/${workspace.owner.brand_id}/audit${since && `?since=${since}`}`,
    { headers: { cookie: workspace.owner.cookie } },
  )
  return { status: response.status, body: (await response.json()) as { next_cursor: string } }
}

test('S15: through a rotation of the key old cursors, cookies and webhook secrets work, and afterwards the old key is not needed', async () => {
  const [admin, receiver] = [await world.newAdmin(), await world.newReceiver()]
  const hook = await admin.open(receiver.url)
  const rotated = (await admin.call('POST', `/${hook.id}/rotate-secret`)).body
  const cursor = (await audit(server.api, admin)).body.next_cursor
  const sealed = () => world.sql<object>('select secret, old_secret from webhooks.endpoints')
  const before = await sealed()
  // The hour may strike at any time; here it strikes when the clock is moved on.
  await world.sql(
    `update jobs.schedules set next_at = platform.now() + interval '50 minutes' where name = 'webhooks.reseal-secrets'`,
  )

  const both = { SIGNING_KEY: newKey, SIGNING_KEYS_ACCEPTED: oldKey }
  const [api, worker] = await Promise.all([
    server.start('api', both),
    server.start('worker', { ...both, ...clock.env }),
  ])
  // The cookie is that of the old process, and so is the cursor.
  const answer = await audit(api, admin, cursor)
  expect(answer.status).toBe(200)
  await admin.workspace.board()
  const [first] = await arrived(receiver, 1)
  if (!first) throw new Error('nothing came')
  for (const { secret } of [hook, rotated]) expect(verified(secret, first)).toBeTruthy()

  expect(await sealed()).toEqual(before)
  await clock.advance(3_600_000)
  await waitFor(async () => JSON.stringify(await sealed()) !== JSON.stringify(before), 30_000)
  await worker.stop()

  const alone = { SIGNING_KEY: newKey }
  const [nextApi, nextWorker] = await Promise.all([
    server.start('api', alone),
    server.start('worker', { ...alone, ...clock.env }),
  ])
  await admin.workspace.board()
  const [, second] = await arrived(receiver, 2)
  if (!second) throw new Error('nothing came')
  for (const { secret } of [hook, rotated]) expect(verified(secret, second)).toBeTruthy()
  // One rotation is what a cursor lives through: the reader had a newer one by now.
  expect((await audit(nextApi, admin, answer.body.next_cursor)).status).toBe(200)
  expect((await audit(nextApi, admin, cursor)).status).toBe(422)
  await nextWorker.stop()
})

test('S15: a process that was told of the coming key reads what it signs', async () => {
  const admin = await world.newAdmin()
  const [first, second] = await Promise.all([
    server.start('api', { SIGNING_KEYS_ACCEPTED: newKey }),
    server.start('api', { SIGNING_KEY: newKey, SIGNING_KEYS_ACCEPTED: oldKey }),
  ])
  const { next_cursor } = (await audit(second, admin)).body
  expect((await audit(first, admin, next_cursor)).status).toBe(200)
  expect((await audit(server.api, admin, next_cursor)).status).toBe(422)
})
