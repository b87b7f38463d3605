import { json, newEmail } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { expect, onTestFinished, test } from 'vitest'
import { linkTo } from './invitation-links.ts'
import { type ArrivedLetter, listLetters, newMailAddress } from './letters.ts'
import { memberVerbs, type Team } from './member-verbs.ts'

const env = { PUBLIC_URL: 'https://crewhall.test/', LETTERS_PER_ADDRESS: '5', LETTERS_PER_WORKSPACE: '12' }
const server = useServer('product', env)
const world = new World(server)
const { newTeam, givePassword } = memberVerbs(world)

const resend = (team: Team, id: number) =>
  server.get(`/api/v1/brands/${team.brand_id}/invitations/${id}/resend`, {
    method: 'POST',
    headers: { authorization: `Bearer ${team.token}` },
  })
const inviteAs = async (team: Team, token: string, email: string): Promise<number> => {
  const path = `/api/v1/brands/${team.brand_id}/invitations`
  const { status, body } = await world.call({ token }, 'POST', path, { email })
  expect(status).toBe(201)
  return (body as { id: number }).id
}
const accept = async (token: string) => {
  const account = { token, full_name: 'Bo Example', password: 'a new password' }
  const response = await server.get('/api/v1/invitations/accept', json(account))
  return { status: response.status, body: await response.json() }
}
async function arrived(address: string): Promise<ArrivedLetter> {
  const worker = await server.start('worker', env)
  onTestFinished(async () => {
    await worker.stop()
  })
  return waitFor(async () => (await listLetters(address))[0], 30_000)
}
const dead = { status: 400, body: { detail: 'This invitation is no longer valid' } }

test('S8: of 50 resends at once only as many pass as an address may get letters', async () => {
  const team = await newTeam()
  const id = await inviteAs(team, team.token, newEmail())
  const answers = await Promise.all(Array.from({ length: 50 }, () => resend(team, id)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(4)
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(46)
  for (const answer of refused) {
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(80_000)
    expect(await answer.json()).toEqual({ detail: 'Too many e-mails were sent; try again later' })
  }
})

test('S8: a workspace invites so many a day, and another workspace is not held up by it', async () => {
  const [team, other] = [await newTeam(), await newTeam()]
  const statuses = []
  for (let n = 0; n < 14; n += 1) {
    statuses.push((await team.call('POST', '/invitations', { email: newEmail() })).status)
  }
  expect(statuses).toEqual([...Array.from({ length: 12 }, () => 201), 429, 429])
  expect((await other.call('POST', '/invitations', { email: newEmail() })).status).toBe(201)
})

test('S8: an address gets so many invitations, whoever sends them, and can still get a reset', async () => {
  const email = newMailAddress()
  const statuses = []
  for (let n = 0; n < 6; n += 1) {
    statuses.push((await (await newTeam()).call('POST', '/invitations', { email })).status)
  }
  expect(statuses).toEqual([201, 201, 201, 201, 201, 429])
  const team = await newTeam()
  await world.sql('update identity.people set email = $2 where id = $1', [team.member.person_id, email])
  await givePassword(team.member.person_id)
  const reset = () => team.call('POST', `/members/${team.member.person_id}/reset-password`, {})
  const resets = []
  for (let n = 0; n < 6; n += 1) resets.push((await reset()).status)
  expect(resets).toEqual([200, 200, 200, 200, 200, 429])
})

test('K20 S8: an invitation tells who invites, to what, until when and what to do, each in one line', async () => {
  const team = await newTeam()
  const email = newMailAddress()
  await world.sql(`update identity.people set full_name = $2 where id = $1`, [
    team.admin.person_id,
    'Ada\r\nLovelace <b>',
  ])
  await world.sql(`update identity.brands set name = $2 where id = $1`, [
    team.brand_id,
    `Engines\r\nBcc: victim@example.test ${'x'.repeat(200)}`,
  ])
  await inviteAs(team, team.token, email)
  const letter = await arrived(email)
  expect(letter.subject).toMatch(/^Invitation to Engines Bcc: victim@example.test x+…$/)
  expect(letter.subject.length).toBeLessThanOrEqual(100)
  expect(letter.text).toContain('Ada Lovelace <b> (')
  expect(letter.text).toMatch(/invites you to the workspace Engines Bcc: .* on Crewhall, as a member\./)
  expect(letter.text).toContain('The link works once and expires in 7 days.')
  expect(letter.text).toContain('If you do not know the sender, ignore this e-mail')
  expect(letter.html).toContain('Ada Lovelace &#60;b&#62;')
})

test.for([
  ['was removed', (team: Team, id: number) => team.call('DELETE', `/members/${id}`)],
  [
    'is an admin no more',
    (team: Team, id: number) => team.call('PATCH', `/members/${id}`, { role: 'member' }),
  ],
] as const)('S16: an invitation by somebody who %s is void', async ([, lose]) => {
  const team = await newTeam()
  const second = await world.join(team.brand_id, 'admin')
  const token = await world.newToken(second, ['brand:read', 'brand:admin'])
  const [void_id, kept_id] = [
    await inviteAs(team, token, newEmail()),
    await inviteAs(team, token, newEmail()),
  ]
  // Whoever sends it again answers for it.
  expect((await resend(team, kept_id)).status).toBe(200)
  const [voided, kept] = [await linkTo(world, void_id), await linkTo(world, kept_id)]
  expect((await lose(team, second.person_id)).status).toBe(200)
  expect(await accept(voided)).toEqual(dead)
  expect((await accept(kept)).status).toBe(200)
  const { body } = await team.call('GET', '/invitations')
  expect((body as { invitations: unknown[] }).invitations).toEqual([])
})

test('S16: an invitation that was written while its admin lost the right is void as well', async () => {
  const team = await newTeam()
  const second = await world.join(team.brand_id, 'admin')
  const token = await world.newToken(second, ['brand:read', 'brand:admin'])
  const id = await inviteAs(team, token, newEmail())
  const secret = await linkTo(world, id)
  await world.sql(`update identity.memberships set role = 'member' where brand_id = $1 and person_id = $2`, [
    team.brand_id,
    second.person_id,
  ])
  expect(await accept(secret)).toEqual(dead)
})
