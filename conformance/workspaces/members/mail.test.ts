import { newEmail } from '@crewhall/testkit/people.ts'
import { startRefusingMailServer } from '@crewhall/testkit/refusing-mail-server.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type ArrivedLetter, listLetters, newMailAddress, secretIn } from './letters.ts'
import { memberVerbs, type Team } from './member-verbs.ts'

// The links of these tests are the ones that were delivered.
const env = { PUBLIC_URL: 'https://crewhall.test/' }
const server = useServer('product', env)
const world = new World(server)
const { newTeam, givePassword } = memberVerbs(world)
let clock: VirtualClock
beforeAll(() => {
  clock = createVirtualClock(server.database.name)
})
afterAll(() => clock?.close())

const post = (path: string, body: object, headers?: Record<string, string>) =>
  world.call<Record<string, unknown>>(null, 'POST', path, body, headers)
const newest = (address: string, count: number): Promise<ArrivedLetter> =>
  waitFor(async () => {
    const letters = await listLetters(address)
    return letters.length >= count && letters.at(-1)
  }, 120_000)
const invitationOf = async (team: Team) => {
  const { body } = await team.call('GET', '/invitations')
  return (body as { invitations: { delivery: string }[] }).invitations[0]
}
/** A worker for one test, so that others see jobs that nobody has taken. */
async function startWorker(more: Record<string, string> = {}) {
  const worker = await server.start('worker', { ...env, ...more })
  onTestFinished(async () => {
    await worker.stop()
  })
  return worker
}
const account = { full_name: 'Bo Example', password: 'a new password' }

test('GST-G6: an invitation is mailed in the background, and its link makes a member who signs in', async () => {
  const team = await newTeam()
  const email = newMailAddress()
  expect((await team.call('POST', '/invitations', { email: email.toUpperCase() })).status).toBe(201)
  await startWorker()
  const letter = await newest(email, 1)
  const token = secretIn(letter)
  expect(letter.subject).toMatch(/^Invitation to Workspace /)
  expect(letter.text).toContain(`https://crewhall.test/dashboard/invite?token=${token}`)
  expect(letter.html).toContain(`href="https://crewhall.test/dashboard/invite?token=${token}"`)
  const joined = await post('/api/v1/invitations/accept', { token, ...account })
  expect(joined).toMatchObject({ status: 200, body: { brand_id: team.brand_id, role: 'member' } })
  const signedIn = await post('/api/v1/auth/sign-in', { email, password: account.password })
  expect(signedIn.body).toMatchObject({ brand_id: team.brand_id, role: 'member' })
})

test('the link of a letter that was sent again is good, and the one before it is dead', async () => {
  const team = await newTeam()
  const email = newMailAddress()
  const { body } = await team.call('POST', '/invitations', { email })
  await startWorker()
  const first = secretIn(await newest(email, 1))
  await waitFor(async () => (await invitationOf(team))?.delivery === 'sent', 30_000)
  await team.call('POST', `/invitations/${(body as { id: number }).id}/resend`)
  const second = secretIn(await newest(email, 2))
  expect((await post('/api/v1/invitations/accept', { token: first, ...account })).status).toBe(400)
  expect((await post('/api/v1/invitations/accept', { token: second, ...account })).status).toBe(200)
})

test('no secret of an invitation lies in the database in clear', async () => {
  const team = await newTeam()
  const email = newMailAddress()
  await team.call('POST', '/invitations', { email })
  await startWorker()
  const token = secretIn(await newest(email, 1))
  const rows = await world.sql<{ row: string }>(
    `select i::text as row from workspaces.invitations i union all select j::text from pgboss.job j
     union all select a::text from platform.audit_entries a`,
  )
  expect(rows.length).toBeGreaterThan(2)
  expect(rows.filter(({ row }) => row.includes(token))).toEqual([])
})

test('an invitation that was revoked before its mail went out is not mailed', async () => {
  const team = await newTeam()
  const email = newMailAddress()
  const { body } = await team.call('POST', '/invitations', { email })
  await team.call('DELETE', `/invitations/${(body as { id: number }).id}`)
  const later = newMailAddress()
  await team.call('POST', '/invitations', { email: later })
  await startWorker()
  await newest(later, 1)
  expect(await listLetters(email)).toEqual([])
})

test('an address that the mail server refuses for good is tried once, and the invitation says so', async () => {
  const refusing = await startRefusingMailServer(550)
  onTestFinished(() => refusing.close())
  const team = await newTeam()
  await team.call('POST', '/invitations', { email: newEmail() })
  const worker = await startWorker({ SMTP_URL: refusing.url })
  await waitFor(async () => (await invitationOf(team))?.delivery === 'refused', 20_000)
  expect(refusing.tries()).toBe(1)
  expect(worker.logs().filter(({ msg }) => msg === 'job failed')).toEqual([])
  // Nothing is left to be tried again, and nothing was given up.
  await waitFor(async () => {
    const left = await world.sql(
      `select 1 from pgboss.job where name = 'workspaces.send-invitation' and state <> 'completed'`,
    )
    return left.length === 0
  }, 30_000)
})

test('an address that the mail server puts off is tried again', async () => {
  const patient = await startRefusingMailServer(450)
  onTestFinished(() => patient.close())
  const team = await newTeam()
  await team.call('POST', '/invitations', { email: newEmail() })
  const worker = await startWorker({ SMTP_URL: patient.url })
  await waitFor(() => worker.logs().some(({ msg }) => msg === 'job failed'), 20_000)
  expect((await invitationOf(team))?.delivery).toBe('queued')
  await clock.advance(10_000)
  await waitFor(() => patient.tries() > 1, 20_000)
})

test('MBR-20, MBR-G12: a delivered reset link is good for an hour and not longer', async () => {
  const team = await newTeam()
  const email = newMailAddress()
  await world.sql('update identity.people set email = $2 where id = $1', [team.member.person_id, email])
  await givePassword(team.member.person_id)
  const path = `/members/${team.member.person_id}/reset-password`
  expect((await team.call('POST', path)).status).toBe(200)
  const late = secretIn(await newest(email, 1))
  await clock.advance(3_600_000)
  const confirm = (token: string) =>
    post('/api/v1/auth/password-reset/confirm', { token, password: 'chosen by the member' })
  expect((await confirm(late)).status).toBe(400)
  expect((await team.call('POST', path)).status).toBe(200)
  const early = secretIn(await newest(email, 2))
  await clock.advance(3_540_000)
  expect((await confirm(early)).status).toBe(200)
  const signedIn = await post('/api/v1/auth/sign-in', { email, password: 'chosen by the member' })
  expect(signedIn.status).toBe(200)
})
