import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { expect, test } from 'vitest'
import { memberVerbs } from './member-verbs.ts'

const server = useSharedServer('product')
const world = new World(server)
const { newTeam, emailOf } = memberVerbs(world)

interface Page {
  readonly members: { readonly user_id: number }[]
  readonly total: number
}

test('MBR-G18: a member is shown with name, address, role, position, photo and the day they joined', async () => {
  const team = await newTeam()
  const { person_id } = team.member
  const [{ joined_at } = { joined_at: '' }] = await world.sql<{ joined_at: string }>(
    `select to_char(joined_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as joined_at
     from identity.memberships where person_id = $1`,
    [person_id],
  )
  const { joined_at: shown, ...rest } = await team.read()
  expect(rest).toEqual({
    user_id: person_id,
    name: 'Ann Example',
    email: await emailOf(person_id),
    role: 'member',
    position: null,
    photo: null,
  })
  expect(new Date(String(shown))).toEqual(new Date(joined_at))
})

test('the list holds active members of this workspace, and their number', async () => {
  const team = await newTeam()
  const former = await world.join(team.brand_id, 'member')
  await team.call('DELETE', `/members/${former.person_id}`)
  await world.join(await world.newBrand(), 'member')
  const { members, total } = (await team.call('GET', '/members')).body as Page
  expect(members.map(({ user_id }) => user_id)).toEqual([team.admin.person_id, team.member.person_id])
  expect(total).toBe(2)
})

test('pages of the list follow each other without gap or repeat', async () => {
  const team = await newTeam()
  for (let more = 0; more < 5; more += 1) await world.join(team.brand_id, 'member')
  const pages = await Promise.all(
    [1, 2, 3, 4].map(async (page) => {
      const answer = await team.call('GET', `/members?per_page=3&page=${page}`)
      return answer.body as Page
    }),
  )
  expect(pages.map(({ members }) => members.length)).toEqual([3, 3, 1, 0])
  expect(pages.map(({ total }) => total)).toEqual([7, 7, 7, 7])
  const seen = pages.flatMap(({ members }) => members.map(({ user_id }) => user_id))
  expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b))
})

test.for(['per_page=0', 'per_page=101', 'page=0', 'page=x', 'q=', `q=${'x'.repeat(201)}`])(
  'the query %s is refused',
  async (query) => {
    const team = await newTeam()
    expect((await team.call('GET', `/members?${query}`)).status).toBe(422)
  },
)

test('K13: q looks for a text in names and addresses, whatever the case', async () => {
  const team = await newTeam()
  await world.sql(`update identity.people set full_name = 'Zoë 100%' where id = $1`, [team.member.person_id])
  const found = async (q: string) => {
    const { body } = await team.call('GET', `/members?q=${encodeURIComponent(q)}`)
    const { members, total } = body as Page
    expect(total).toBe(members.length)
    return members.map(({ user_id }) => user_id)
  }
  const email = await emailOf(team.member.person_id)
  expect(await found('zoË')).toEqual([team.member.person_id])
  expect(await found(email.slice(1, 9).toUpperCase())).toEqual([team.member.person_id])
  expect(await found('100%')).toEqual([team.member.person_id])
  expect(await found('1_0%')).toEqual([])
  await world.sql(`update identity.people set full_name = 'Zoë Weiß' where id = $1`, [team.member.person_id])
  expect(await found('WEISS')).toEqual([team.member.person_id])
})

test('a plain member with brand:read sees the members, and without that scope nobody does', async () => {
  const team = await newTeam()
  const path = `/api/v1/brands/${team.brand_id}/members`
  const reader = { token: await world.newToken(team.member, ['brand:read']) }
  const other = { token: await world.newToken(team.admin, ['memory:read']) }
  expect((await world.call(reader, 'GET', path)).status).toBe(200)
  expect((await world.call(reader, 'GET', `${path}/${team.admin.person_id}`)).status).toBe(200)
  expect(await world.call(other, 'GET', path)).toEqual({
    status: 403,
    body: { detail: 'Token lacks scope brand:read; the workspace policy allows it' },
  })
})
