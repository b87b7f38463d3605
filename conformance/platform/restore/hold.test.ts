import { endOfProcess, type ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { call } from '@crewhall/testkit/world/call.ts'
import { expect, test } from 'vitest'
import { BoardWorkspace } from '../../boards/board-workspace.ts'
import { arrived, HookAdmin, hookEnv, useHookWorld } from '../../webhooks/hook-world.ts'
import { listLetters, newMailAddress } from '../../workspaces/members/letters.ts'

const server = useServer('product', hookEnv)
const world = useHookWorld(server)

/** The same workspace through another process. */
function at(process: ServerProcess, { workspace }: HookAdmin): HookAdmin {
  const { owner, token } = workspace
  const get = (path: string, init?: RequestInit) => fetch(`${process.url}${path}`, init)
  return new HookAdmin(new BoardWorkspace({ server: { get, sql: server.sql }, owner, token }))
}

async function invite({ workspace }: HookAdmin): Promise<string> {
  const email = newMailAddress()
  const path = `/api/v1/brands/${workspace.owner.brand_id}/invitations`
  const invited = { email, role: 'member' }
  expect((await call(workspace.server.get, workspace.owner, 'POST', path, invited)).status).toBe(201)
  return email
}

test('after a restore nothing goes out until it is released, and then only what came after it', async () => {
  const [old, receiver] = [await world.newAdmin(), await world.newReceiver()]
  const hook = await old.open(receiver.url)
  await old.workspace.board()
  const before = await invite(old)

  const owner = await server.connection('owner')
  await owner.query(`insert into platform.timelines values (2, now() - interval '1 minute', now(), null)`)
  const restored = at(await server.start('api'), old)
  const worker = await server.start('worker')
  const board = await restored.workspace.board({ name: 'After', key: 'AFT' })
  const after = await invite(restored)
  const held = () => worker.logs().some(({ msg }) => msg?.includes('mail is held'))
  await waitFor(held, 20_000)
  // Two rounds of a loop that runs beside those that send, and as often.
  for (const _ of [1, 2]) {
    await server.sql(
      `insert into platform.revocations (kind, subject, revoked_at) values ('session', '0', now())`,
    )
    await waitFor(async () => (await server.sql('select from platform.revocations')).length === 0, 20_000)
  }
  expect(receiver.received).toEqual([])
  const [waiting] = await server.sql<{ arrivals: number; pending: number }>(
    `select (select count(*)::int from webhooks.arrivals) as arrivals,
       (select count(*)::int from webhooks.deliveries where status = 'pending') as pending`,
  )
  expect(waiting).toEqual({ arrivals: 2, pending: 2 })

  const release = () =>
    endOfProcess({
      entry: 'apps/server/src/crewhall-admin.ts',
      database_url: server.database.url,
      env: { DATABASE_OWNER_URL: server.database.owner_url },
      args: ['release'],
    })
  const said = await release()
  expect([said.code, said.output]).toEqual([0, expect.stringContaining('1 deliveries')])
  expect(said.output).toContain('2 letters')
  await arrived(receiver, 1)
  await waitFor(async () => (await listLetters(after)).length > 0, 30_000)
  await waitFor(async () => (await restored.deliveries(hook, '?status=pending')).items.length === 0, 20_000)
  expect(receiver.received.map(({ event }) => event.data.board_id)).toEqual([board.id])
  expect(await listLetters(before)).toEqual([])
  const { items } = await restored.deliveries(hook)
  expect(items.map(({ status, last_error }) => [status, last_error])).toEqual([
    ['delivered', null],
    ['failed', 'restored'],
  ])
  expect(await release()).toMatchObject({ code: 0, output: 'Nothing is held.\n' })
  await worker.stop()
}, 120_000)
