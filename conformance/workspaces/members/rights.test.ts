import { formOf } from '@crewhall/testkit/people.ts'
import { png } from '@crewhall/testkit/pictures/picture-png.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { bearer, call, type Headers } from '@crewhall/testkit/world/call.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { memberVerbs, type Team } from './member-verbs.ts'

const server = useSharedServer('product')
const world = new World(server)
const { newTeam, givePassword } = memberVerbs(world)
/** Another process, which remembers callers on its own. */
let second: ServerProcess
beforeAll(async () => {
  second = await server.start('api')
})

const picture = () => formOf('file', png({ width: 2, height: 2 }))
/** Every route of the interface that is about a member, and the invitations beside it. */
const routes: { method: string; path: (user_id: number) => string; body?: () => object | FormData }[] = [
  { method: 'PATCH', path: (id) => `/members/${id}`, body: () => ({ position: 'x' }) },
  { method: 'DELETE', path: (id) => `/members/${id}` },
  { method: 'POST', path: (id) => `/members/${id}/photo`, body: picture },
  { method: 'DELETE', path: (id) => `/members/${id}/photo` },
  { method: 'POST', path: (id) => `/members/${id}/reset-password` },
  { method: 'POST', path: (id) => `/members/${id}/set-password`, body: () => ({ password: 'long enough' }) },
  { method: 'GET', path: () => '/invitations' },
  { method: 'POST', path: () => '/invitations', body: () => ({ email: 'new@example.test' }) },
  { method: 'DELETE', path: () => '/invitations/1' },
  { method: 'POST', path: () => '/invitations/1/resend' },
]
const told = routes.map((route) => ({ ...route, name: `${route.method} ${route.path(7)}` }))

/** A call of one route in one process, as status and detail. */
async function callRoute(
  url: string,
  team: Team,
  route: (typeof routes)[number],
  headers: Headers,
  user_id = team.member.person_id,
) {
  const get = (path: string, init?: RequestInit) => fetch(`${url}${path}`, init)
  const path = `/api/v1/brands/${team.brand_id}${route.path(user_id)}`
  const sent = route.body?.()
  const { status, body } = await call<{ detail?: string }>(get, null, route.method, path, sent, headers)
  return [status, body.detail]
}

const adminRequired = [403, 'Brand admin access required']

describe.for(told)('AUTH-16: $name', (route) => {
  test('needs the scope brand:admin, also from an admin', async () => {
    const team = await newTeam()
    const token = await world.newToken(team.admin, ['brand:read'])
    expect(await callRoute(server.api.url, team, route, bearer(token))).toEqual([
      403,
      'Token lacks scope brand:admin; the workspace policy allows it',
    ])
  })

  test('needs the role, also with the scope, with a session and for one’s own record', async () => {
    const team = await newTeam()
    const token = await world.newToken(team.member, ['brand:admin'])
    const cookie = await world.newCookie(team.member.person_id, team.brand_id)
    for (const headers of [bearer(token), { cookie }])
      expect(await callRoute(server.api.url, team, route, headers)).toEqual(adminRequired)
  })

  test('lets no admin of another workspace in', async () => {
    const [team, other] = [await newTeam(), await newTeam()]
    expect(await callRoute(server.api.url, team, route, bearer(other.token))).toEqual([
      404,
      'Brand not found',
    ])
  })

  test('refuses a demoted admin on the very next request, in every process', async () => {
    const team = await newTeam()
    const boss = await world.join(team.brand_id, 'admin')
    const token = await world.newToken(boss, ['brand:admin'])
    const cookie = await world.newCookie(boss.person_id, team.brand_id)
    const all = [server.api.url, second.url].flatMap((url) =>
      [bearer(token), { cookie }].map((by) => ({ url, by })),
    )
    const list = `/api/v1/brands/${team.brand_id}/invitations`
    for (const { url, by } of all) expect((await fetch(`${url}${list}`, { headers: by })).status).toBe(200)
    expect((await team.call('PATCH', `/members/${boss.person_id}`, { role: 'member' })).status).toBe(200)
    for (const { url, by } of all) expect(await callRoute(url, team, route, by)).toEqual(adminRequired)
  })

  test('refuses a removed admin on the very next request, in every process', async () => {
    const team = await newTeam()
    const boss = await world.join(team.brand_id, 'admin')
    const token = await world.newToken(boss, ['brand:admin'])
    const cookie = await world.newCookie(boss.person_id, team.brand_id)
    const list = `/api/v1/brands/${team.brand_id}/invitations`
    for (const url of [server.api.url, second.url])
      for (const by of [bearer(token), { cookie }])
        expect((await fetch(`${url}${list}`, { headers: by })).status).toBe(200)
    expect((await team.call('DELETE', `/members/${boss.person_id}`)).status).toBe(200)
    for (const url of [server.api.url, second.url]) {
      expect(await callRoute(url, team, route, bearer(token))).toEqual([401, 'Not authenticated'])
      expect(await callRoute(url, team, route, { cookie })).toEqual([404, 'Brand not found'])
    }
  })
})

describe('removing a member', () => {
  test('answers success, and a second time that nobody is there', async () => {
    const team = await newTeam()
    const path = `/members/${team.member.person_id}`
    expect(await team.call('DELETE', path)).toEqual({ status: 200, body: { success: true } })
    expect(await team.call('DELETE', path)).toEqual({ status: 404, body: { detail: 'Member not found' } })
  })

  test('the last admin cannot be removed, and stays', async () => {
    const team = await newTeam()
    const answer = await team.call('DELETE', `/members/${team.admin.person_id}`)
    expect(answer).toEqual({ status: 409, body: { detail: 'The last workspace admin cannot be removed' } })
    expect(await team.read(team.admin.person_id)).toMatchObject({ role: 'admin' })
  })

  test('an admin who is not the last one may leave', async () => {
    const team = await newTeam()
    await world.join(team.brand_id, 'admin')
    expect((await team.call('DELETE', `/members/${team.admin.person_id}`)).status).toBe(200)
    expect((await team.call('GET', '/members')).status).toBe(401)
  })

  test('tokens of this workspace are dead for ever, and those of another one live', async () => {
    const team = await newTeam()
    const elsewhere = await world.join(await world.newBrand(), 'member', team.member.person_id)
    const here = { token: await world.newToken(team.member) }
    const there = { token: await world.newToken(elsewhere) }
    await team.call('DELETE', `/members/${team.member.person_id}`)
    await world.sql(
      `update identity.memberships set status = 'active', removed_at = null where brand_id = $1 and person_id = $2`,
      [team.brand_id, team.member.person_id],
    )
    expect((await world.call(here, 'GET', '/api/v1/me')).status).toBe(401)
    expect((await world.call(there, 'GET', '/api/v1/me')).status).toBe(200)
  })

  test('a session of the person goes on without a workspace', async () => {
    const team = await newTeam()
    const cookie = await world.newCookie(team.member.person_id, team.brand_id)
    await team.call('DELETE', `/members/${team.member.person_id}`)
    const me = await world.call({ cookie }, 'GET', '/api/v1/me')
    expect(me).toMatchObject({ status: 200, body: { brand_id: null, role: null, memberships: [] } })
    const [session] = await world.sql('select brand_id from identity.sessions where person_id = $1', [
      team.member.person_id,
    ])
    expect(session).toEqual({ brand_id: null })
  })
})

describe('a person in two workspaces', () => {
  async function inTwo() {
    const [one, two] = [await newTeam(), await newTeam()]
    const person_id = one.member.person_id
    await world.join(two.brand_id, 'member', person_id)
    return { one, two, person_id }
  }
  const members = (team: Team) => `/api/v1/brands/${team.brand_id}/members`
  const notFound = { status: 404, body: { detail: 'Brand not found' } }

  test('AUTH-25: sees exactly the workspace of the token', async () => {
    const { one, two, person_id } = await inTwo()
    for (const [here, there] of [
      [one, two],
      [two, one],
    ] as const) {
      const token = await world.newToken({ brand_id: here.brand_id, person_id }, ['brand:read'])
      const seen = (await world.call({ token }, 'GET', members(here))).body as {
        members: { user_id: number }[]
      }
      const expected = [here.admin.person_id, here.member.person_id, person_id]
      expect(new Set(seen.members.map(({ user_id }) => user_id))).toEqual(new Set(expected))
      expect(await world.call({ token }, 'GET', members(there))).toEqual(notFound)
      const me = (await world.call({ token }, 'GET', '/api/v1/me')).body as {
        memberships: { brand_id: number }[]
      }
      expect(me.memberships.map(({ brand_id }) => brand_id)).toEqual([here.brand_id])
    }
  })

  test('sees exactly the workspace its session acts for, and the other one after a switch', async () => {
    const { one, two, person_id } = await inTwo()
    const cookie = await world.newCookie(person_id, one.brand_id)
    expect((await world.call({ cookie }, 'GET', members(one))).status).toBe(200)
    expect(await world.call({ cookie }, 'GET', members(two))).toEqual(notFound)
    const moved = await world.call({ cookie }, 'PUT', '/api/v1/me/brand', { brand_id: two.brand_id })
    expect(moved.status).toBe(200)
    expect(await world.call({ cookie }, 'GET', members(one))).toEqual(notFound)
    expect((await world.call({ cookie }, 'GET', members(two))).status).toBe(200)
  })

  test('is shown in each with the role and position of that one', async () => {
    const { one, two, person_id } = await inTwo()
    await two.call('PATCH', `/members/${person_id}`, { role: 'admin', position: 'Founder' })
    await givePassword(person_id)
    expect(await one.read(person_id)).toMatchObject({ role: 'member', position: null })
    expect(await two.read(person_id)).toMatchObject({ role: 'admin', position: 'Founder' })
  })
})

test.for([2_147_483_648, 9_007_199_254_740_991, -2_147_483_649])(
  'the session cannot be switched to workspace %s, which is answered like a missing one',
  async (brand_id) => {
    const team = await newTeam()
    const cookie = await world.newCookie(team.member.person_id, team.brand_id)
    const answer = await world.call({ cookie }, 'PUT', '/api/v1/me/brand', { brand_id })
    expect(answer).toEqual(
      await world.call({ cookie }, 'PUT', '/api/v1/me/brand', { brand_id: 2_000_000_000 }),
    )
    expect(answer).toEqual({ status: 404, body: { detail: 'Brand not found' } })
  },
)
