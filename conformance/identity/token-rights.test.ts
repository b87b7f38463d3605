import { newToken, type SignedUp, signUp } from '@crewhall/testkit/people.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { bearer, call, type Headers } from '@crewhall/testkit/world/call.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { describe, expect, test } from 'vitest'

interface Told {
  readonly id: string
  readonly token: string
  readonly agent: string | null
  readonly expires_at: string
  readonly detail?: string
}

const server = useSharedServer('product')
const { sql } = new World(server)
const get = (path: string, init?: RequestInit) => server.get(path, init)
const pathOf = ({ brand_id }: SignedUp, id = '') => `/api/v1/brands/${brand_id}/tokens${id && `/${id}`}`

const issue = (owner: SignedUp, headers: Headers, order: object) =>
  call<Told>(get, null, 'POST', pathOf(owner), { name: 'test', scopes: [], ...order }, headers)
const rotate = (owner: SignedUp, id: string, headers: Headers) =>
  call<Told>(get, null, 'POST', `${pathOf(owner, id)}/rotate`, {}, headers)
const revoke = (owner: SignedUp, id: string, headers: Headers) =>
  call<Told>(get, null, 'DELETE', pathOf(owner, id), undefined, headers)
const works = async (token: string) => (await get('/api/v1/me', { headers: bearer(token) })).status === 200
const rowsOf = ({ brand_id }: SignedUp) =>
  sql('select id, token_hash, revoked_at, expires_at from identity.tokens where brand_id = $1 order by id', [
    brand_id,
  ])

describe('S3: a token takes no other token', () => {
  test('S3: the token of an agent lists, rotates and revokes nothing of its person’s', async () => {
    const owner = await signUp(get)
    const strong = await newToken(get, owner, ['memory:write'])
    const weak = (await issue(owner, { cookie: owner.cookie }, { agent: 'builder' })).body
    const before = await rowsOf(owner)

    const list = await get(pathOf(owner), { headers: bearer(weak.token) })
    const { tokens } = (await list.json()) as { tokens: { id: string }[] }
    expect(tokens.map(({ id }) => id)).toEqual([weak.id])
    const rotated = await rotate(owner, strong.id, bearer(weak.token))
    expect([rotated.status, rotated.body]).toEqual([
      403,
      { detail: 'Token lacks scope memory:write; the workspace policy allows it' },
    ])
    const revoked = await revoke(owner, strong.id, bearer(weak.token))
    expect([revoked.status, revoked.body.detail]).toEqual([
      403,
      'A token can manage only itself and the tokens it issued; sign in to manage others',
    ])

    expect(await rowsOf(owner)).toEqual(before)
    expect(await works(strong.token)).toBe(true)
  })

  test('S3: a token of one agent gets the secret of no token that is the person’s or another agent’s', async () => {
    const owner = await signUp(get)
    const session = { cookie: owner.cookie }
    const [plain, other, mine, twin] = await Promise.all(
      [{}, { agent: 'other' }, { agent: 'mine' }, { agent: 'mine' }].map(
        async (order) => (await issue(owner, session, order)).body,
      ),
    )
    const caller = bearer(mine?.token ?? '')
    const refusal = 'A token of an agent can create and rotate only tokens of that agent'
    for (const target of [plain, other]) {
      const answer = await rotate(owner, target?.id ?? '', caller)
      expect([answer.status, answer.body.detail]).toEqual([403, refusal])
      expect(await works(target?.token ?? '')).toBe(true)
    }
    expect((await rotate(owner, twin?.id ?? '', caller)).status).toBe(200)
    const foreign = await issue(owner, caller, { agent: 'other' })
    expect([foreign.status, foreign.body.detail]).toEqual([403, refusal])
  })

  test('S3: a token rotates itself, and what lies within its scopes; an admin’s token ends nobody else’s', async () => {
    const owner = await signUp(get)
    const wide = await newToken(get, owner, ['memory:read', 'memory:write'])
    const narrow = await newToken(get, owner, ['memory:read'])
    expect((await rotate(owner, narrow.id, bearer(wide.token))).status).toBe(200)
    const itself = await rotate(owner, wide.id, bearer(wide.token))
    expect(itself.status).toBe(200)
    expect(await works(wide.token)).toBe(false)
    expect(await works(itself.body.token)).toBe(true)
    const other = await newToken(get, owner, [])
    expect((await revoke(owner, other.id, bearer(itself.body.token))).status).toBe(403)
    expect((await revoke(owner, other.id, { cookie: owner.cookie })).status).toBe(200)
    expect((await revoke(owner, wide.id, bearer(itself.body.token))).status).toBe(200)
    expect(await works(itself.body.token)).toBe(false)
  })
})

describe('S20: what a token issues does not outlive it', () => {
  test('S20: it ends with its issuer at the latest', async () => {
    const owner = await signUp(get)
    const parent = (await issue(owner, { cookie: owner.cookie }, { expires_in_days: 1 })).body
    const child = await issue(owner, bearer(parent.token), { expires_in_days: 366 })
    expect([child.status, child.body.expires_at]).toEqual([201, parent.expires_at])
    // A secret that it gets for another token is no way around.
    const other = (await issue(owner, { cookie: owner.cookie }, { expires_in_days: 300 })).body
    const taken = await rotate(owner, other.id, bearer(parent.token))
    expect([taken.status, taken.body.expires_at]).toEqual([200, parent.expires_at])
  })

  test('S20: it is revoked with its issuer, down to the last one, and each is in the audit', async () => {
    const owner = await signUp(get)
    const parent = await newToken(get, owner, [])
    const child = (await issue(owner, bearer(parent.token), {})).body
    const grandchild = (await issue(owner, bearer(child.token), {})).body
    const taken = await newToken(get, owner, [])
    const secret = (await rotate(owner, taken.id, bearer(grandchild.token))).body.token
    const bystander = await newToken(get, owner, [])

    expect((await revoke(owner, parent.id, { cookie: owner.cookie })).status).toBe(200)

    for (const token of [parent.token, child.token, grandchild.token, secret]) {
      expect(await works(token)).toBe(false)
    }
    expect(await works(bystander.token)).toBe(true)
    const audit = await get(`/api/v1/brands/${owner.brand_id}/audit?action=token.revoked`, {
      headers: { cookie: owner.cookie },
    })
    const { items } = (await audit.json()) as { items: { target: string }[] }
    expect(items.map(({ target }) => target).sort()).toEqual(
      [parent, child, grandchild, taken].map(({ id }) => `token:${id}`).sort(),
    )
  })
})
