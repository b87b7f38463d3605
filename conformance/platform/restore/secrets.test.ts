import { json } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { call, type Get } from '@crewhall/testkit/world/call.ts'
import { digestOf } from '@crewhall/testkit/world/secrets.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { expect, test } from 'vitest'
import { deliver, type Hook, HookWorkspace, openHook, ping, urls } from '../../boards/hook-world.ts'
import { DeskWorkspace } from '../../fleet/desk-workspace.ts'
import { linkTo } from '../../workspaces/members/invitation-links.ts'
import { RestoredServer } from './restored-server.ts'

const server = useServer('product')
const restored = new RestoredServer(server)
const noted = async () => (await server.sql<{ kind: string }>('select kind from platform.revocations')).length

interface Invited {
  readonly id: number
  readonly email: string
  readonly status: string
  readonly delivery: string
}

test('links, codes and secrets that come back with a restore let nobody in', async () => {
  const world = new World(server)
  const hooks = await HookWorkspace.open(server)
  const { owner } = hooks
  const invitations = `/api/v1/brands/${owner.brand_id}/invitations`
  const invited = await world.made<Invited>(owner, 'POST', invitations, {
    email: `${'a'.repeat(9)}@example.com`,
  })
  const token = await linkTo(world, invited.id)
  const reset = 'a-link-that-was-used-since-the-restored-moment'
  await server.sql(
    `insert into identity.password_resets (token_hash, person_id, expires_at) values ($1, $2, now() + interval '1 hour')`,
    [digestOf(reset), owner.person_id],
  )
  const desks = await DeskWorkspace.open(server)
  const { workstation_id, pat } = await desks.ordered()
  const [rotated, removed, kept] = [
    await openHook(hooks),
    await openHook(hooks, { url: 'https://github.com/difference/other' }),
    await openHook(hooks, { service: 'gitlab', url: urls.gitlab }),
  ]
  const to = await restored.now()
  const [row] = await server.sql<{ row: string }>(
    'select to_json(h)::text as row from boards.hooks h where id = $1',
    [removed.id],
  )
  const old = await server.sql('select secret from boards.hooks where id = $1', [rotated.id])

  expect((await hooks.call('POST', `/hooks/${rotated.id}/rotate-secret`)).status).toBe(200)
  expect((await hooks.call('DELETE', `/hooks/${removed.id}`)).status).toBe(200)
  // The same secret, encrypted with another key: nobody's end.
  await server.sql('update boards.hooks set secret = $2 where id = $1', [kept.id, Buffer.from('sealed anew')])
  expect(await noted()).toBe(2)
  const worker = await server.start('worker')
  await waitFor(async () => (await noted()) === 0, 30_000)
  await worker.stop()
  await server.api.stop()

  await server.sql(
    `update boards.hooks set secret = $2, old_secret = null, old_secret_until = null where id = $1`,
    [rotated.id, old[0]?.secret],
  )
  await server.sql(
    'insert into boards.hooks select * from json_populate_record(null::boards.hooks, $1::json)',
    [row?.row],
  )
  await restored.forget(to)
  const { output } = await restored.restore(to, ['--without-amcheck'])
  expect(output).toContain('ended: 2 secrets of hooks (rotate them), 1 install commands of desks\n')
  expect(output).toMatch(/^ended: [1-9]\d* links for passwords and addresses, 0 codes of programs$/m)
  expect(output).toContain('ended: 1 links of invitations (send them again)\n')

  const api = await server.start('api')
  const get: Get = (path, init) => fetch(`${api.url}${path}`, init)
  const accept = { token, full_name: 'Bo Example', password: 'a new password' }
  expect((await get('/api/v1/invitations/accept', json(accept))).status).toBe(400)
  const used = await get(
    '/api/v1/auth/password-reset/confirm',
    json({ token: reset, password: 'a new password' }),
  )
  expect(used.status).toBe(400)
  expect(await server.sql('select from identity.password_resets')).toEqual([])
  expect((await get(`/install/sidecar?pat=${pat}&env_id=${workstation_id}`)).status).not.toBe(200)
  for (const hook of [rotated, removed]) expect((await deliver(get, hook, ping())).status).toBe(403)

  // An admin goes on from there.
  const listed = await call<{ invitations: Invited[] }>(get, owner, 'GET', invitations)
  expect(listed.body.invitations).toMatchObject([{ id: invited.id, status: 'expired' }])
  const resent = await call<Invited>(get, owner, 'POST', `${invitations}/${invited.id}/resend`)
  expect(resent.body).toMatchObject({ status: 'pending', delivery: 'queued' })
  const fresh = (await call<Hook>(get, owner, 'POST', `${hooks.root}/hooks/${rotated.id}/rotate-secret`)).body
  expect((await deliver(get, fresh, ping())).status).toBe(202)
  expect((await deliver(get, rotated, ping())).status).toBe(403)
  await api.stop()
}, 120_000)
