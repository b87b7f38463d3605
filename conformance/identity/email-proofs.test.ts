import { cookieOf, json } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type ArrivedLetter, listLetters, newMailAddress, secretIn } from '../workspaces/members/letters.ts'
import { memberVerbs } from '../workspaces/members/member-verbs.ts'

const settings = { PUBLIC_URL: 'https://crewhall.test', SIGN_UP_MAIL_DOMAINS: '' }
const server = useServer('product', settings)
const world = new World(server)
const { newTeam } = memberVerbs(world)
const get = (path: string, init?: RequestInit) => server.get(path, init)
beforeAll(async () => {
  await server.start('worker', settings)
})

const password = 'correct horse battery'
const post = async (path: string, body: unknown, cookie = '') =>
  get(`/api/v1${path}`, json(body, cookie ? { cookie } : {}))

async function signUpAs(email: string) {
  const response = await post('/auth/sign-up', { email, password, full_name: 'Ann', brand_name: 'Own' })
  expect(response.status).toBe(201)
  const me = (await response.json()) as { brand_id: number; person: { id: number; email_verified: boolean } }
  expect(me.person.email_verified).toBe(false)
  return { email, cookie: cookieOf(response), person_id: me.person.id, brand_id: me.brand_id }
}
const isProven = async (cookie: string) => {
  const { body } = await world.call({ cookie }, 'GET', '/api/v1/me')
  return (body as { person: { email_verified: boolean } }).person.email_verified
}
const letterTo = (email: string, subject: string): Promise<ArrivedLetter> =>
  waitFor(async () => (await listLetters(email)).findLast((letter) => letter.subject === subject), 20_000)
const proofOf = async (email: string) => secretIn(await letterTo(email, 'Confirm your e-mail address'))
const confirm = async (token: string, cookie?: string) =>
  (await post('/me/email/confirm', { token }, cookie)).status

/** A workspace that lets an address onto a board and into a docs space. */
async function shareWith(email: string) {
  const host = await newTeam()
  const { id: board_id } = (
    await world.call(host, 'POST', '/api/v1/board/boards', { name: 'Plans', key: 'PLANS' })
  ).body as { id: string }
  const { id: space_id } = (await world.call(host, 'POST', '/api/v1/docs/spaces', { name: 'Plans' }))
    .body as {
    id: string
  }
  const given = [`/api/v1/board/boards/${board_id}/guests`, `/api/v1/docs/spaces/${space_id}/guests`]
  for (const path of given) {
    expect((await world.call(host, 'POST', path, { email, role: 'editor' })).status).toBe(201)
  }
  const seen = async (cookie: string) => {
    const boards = await world.call({ cookie }, 'GET', '/api/v1/board/shared')
    const spaces = await world.call({ cookie }, 'GET', '/api/v1/docs/shared')
    return [
      (boards.body as { boards: unknown[] }).boards.length,
      (spaces.body as { spaces: unknown[] }).spaces.length,
    ]
  }
  return { host, board_id, space_id, seen }
}

describe('S1: an address is nobody’s until a link that was sent to it comes back', () => {
  test('S1: the stranger who signed up as the partner gets nothing, and the partner everything', async () => {
    const email = newMailAddress()
    const stranger = await signUpAs(email)
    const tokens = `/brands/${stranger.brand_id}/tokens`
    const made = await post(tokens, { name: 'kept', scopes: [] }, stranger.cookie)
    const { token } = (await made.json()) as { token: string }
    const { board_id, space_id, seen } = await shareWith(email)

    expect(await seen(stranger.cookie)).toEqual([0, 0])
    const tries = [
      ['GET', `/api/v1/board/shared/${board_id}`],
      ['GET', `/api/v1/board/shared/${board_id}/tasks`],
      ['POST', `/api/v1/board/shared/${board_id}/tasks`, { title: 'Mine' }],
      ['GET', `/api/v1/docs/shared/${space_id}`],
      ['POST', `/api/v1/docs/shared/${space_id}/pages`, { title: 'Mine', body: '' }],
    ] as const
    for (const [method, path, body] of tries) {
      expect((await world.call(stranger, method, path, body)).status).toBe(404)
    }
    const rows = await world.sql(
      'select 1 from boards.cards where board_id = $1 union all select 1 from docs_spaces.pages where space_id = $2',
      [board_id, space_id],
    )
    expect(rows).toEqual([])

    // The partner did not make the account, has only the mail, and takes the account over with it.
    expect(await confirm(await proofOf(email))).toBe(401)
    expect((await post('/auth/password-reset', { email })).status).toBe(202)
    const secret = secretIn(await letterTo(email, 'Choose a new password'))
    const chosen = 'the password of the partner'
    expect((await post('/auth/password-reset/confirm', { token: secret, password: chosen })).status).toBe(200)
    const signedIn = await post('/auth/sign-in', { email, password: chosen })
    expect(await seen(cookieOf(signedIn))).toEqual([1, 1])
    expect((await world.call(stranger, 'GET', '/api/v1/me')).status).toBe(401)
    expect((await get('/api/v1/me', { headers: bearer(token) })).status).toBe(401)
  })

  test('K20: the letter with the link has the layout of all letters', async () => {
    const { email } = await signUpAs(newMailAddress())
    const { text, html } = await letterTo(email, 'Confirm your e-mail address')
    expect(text).toMatch(/^Hello Ann,\n\n/)
    expect(text).toMatch(/\n--\n.+ · https:\/\/crewhall\.test\n$/)
    expect(html).toMatch(/^<!doctype html>.*>Confirm this address<\/a>/s)
    for (const part of [text, html]) expect(part).toContain('https://crewhall.test/dashboard/reset')
  })

  test('S1: whoever signs up and brings the link back has what was shared with the address', async () => {
    const person = await signUpAs(newMailAddress())
    const other = await signUpAs(newMailAddress())
    const { seen } = await shareWith(person.email)
    const secret = await proofOf(person.email)
    expect([await confirm(secret), await confirm(secret, other.cookie)]).toEqual([401, 400])
    expect([await isProven(person.cookie), await seen(person.cookie)]).toEqual([false, [0, 0]])
    const newest = await proofOf(person.email)
    expect([await confirm(newest, person.cookie), await confirm(newest, person.cookie)]).toEqual([200, 400])
    expect([await isProven(person.cookie), await seen(person.cookie)]).toEqual([true, [1, 1]])
  })

  test('S1: an invitation that was accepted with its mailed link proves the address', async () => {
    const person = await signUpAs(newMailAddress())
    const team = await newTeam()
    expect((await team.call('POST', '/invitations', { email: person.email })).status).toBe(201)
    const letter = await waitFor(
      async () => (await listLetters(person.email)).find(({ subject }) => subject.startsWith('Invitation')),
      20_000,
    )
    const accepted = await post('/invitations/accept', { token: secretIn(letter) }, person.cookie)
    expect([accepted.status, await isProven(person.cookie)]).toEqual([200, true])
  })

  test('S1: the link is sent again a few times an hour, and not to an address that is proven', async () => {
    const person = await signUpAs(newMailAddress())
    const first = await proofOf(person.email)
    const again = async () => (await post('/me/email/proof', {}, person.cookie)).status
    const asked = []
    for (let n = 0; n < 7; n += 1) asked.push(await again())
    expect(asked).toEqual([200, 200, 200, 200, 200, 429, 429])
    // Letters that are sent at once may arrive in any order, so an older link counts as well.
    await waitFor(async () => (await listLetters(person.email)).length > 2 || undefined, 20_000)
    expect([await confirm(first, person.cookie), await confirm(first, person.cookie)]).toEqual([200, 400])
    expect(await again()).toBe(200)
  })
})
