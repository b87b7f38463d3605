import { json, newToken, signUp } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { describe, expect, test } from 'vitest'
import { adminEnv, adminVerbs, byKey, digestOf, key, nextKey } from './admin-verbs.ts'

const server = useServer('product', adminEnv)
const { get, ask, onlyStaff } = adminVerbs(server)
const scopesOf = async (token: string) => {
  const response = await get('/api/v1/me', { headers: bearer(token) })
  return ((await response.json()) as { scopes: string[] }).scopes
}

describe('who is let in', () => {
  test('the right key is let in, and so is the one that will replace it', async () => {
    expect((await ask('GET', '/plans')).status).toBe(200)
    expect((await ask('GET', '/plans', undefined, { 'x-admin-key': nextKey })).status).toBe(200)
  })

  test.each([
    ['no key', {}],
    ['a wrong key', { 'x-admin-key': 'wrong' }],
    ['an empty key', { 'x-admin-key': '' }],
    ['the digest of the key', { 'x-admin-key': digestOf(key) }],
  ])('%s is 401', async (_, headers) => {
    const { status, body } = await ask('GET', '/plans', undefined, headers)
    expect([status, body]).toEqual([401, { detail: 'Not authenticated' }])
  })

  test('a session of a platform admin is let in', async () => {
    const ann = await signUp(get)
    await onlyStaff(ann)
    expect((await ask('GET', '/plans', undefined, { cookie: ann.cookie })).status).toBe(200)
  })

  test('AUTH-G3 a wrong key is 401 also beside a valid session of a platform admin', async () => {
    const ann = await signUp(get)
    await onlyStaff(ann)
    const headers = { cookie: ann.cookie, 'x-admin-key': 'wrong' }
    expect((await ask('GET', '/plans', undefined, headers)).status).toBe(401)
  })

  test('AUTH-G3 the right key decides also beside a session that would be refused', async () => {
    const bob = await signUp(get)
    expect((await ask('GET', '/plans', undefined, { cookie: bob.cookie, ...byKey })).status).toBe(200)
  })

  test('a workspace admin who is not a platform admin is 403', async () => {
    const bob = await signUp(get)
    const { status, body } = await ask('GET', '/plans', undefined, { cookie: bob.cookie })
    expect([status, body]).toEqual([403, { detail: 'Platform admin access required' }])
  })

  test('a token of a platform admin is 401', async () => {
    const ann = await signUp(get)
    await onlyStaff(ann)
    const { token } = await newToken(get, ann, ['brand:read'])
    expect((await ask('GET', '/plans', undefined, { authorization: `Bearer ${token}` })).status).toBe(401)
  })

  test('another site cannot make the browser of a platform admin act', async () => {
    const ann = await signUp(get)
    await onlyStaff(ann)
    const headers = { cookie: ann.cookie, origin: 'https://evil.test' }
    expect((await ask('PUT', `/staff/${ann.person_id}`, undefined, headers)).status).toBe(403)
  })

  test('somebody whose right was taken is refused at the next request', async () => {
    const [ann, bob] = [await signUp(get), await signUp(get)]
    await onlyStaff(ann, bob)
    const headers = { cookie: bob.cookie }
    expect((await ask('GET', '/plans', undefined, headers)).status).toBe(200)
    expect((await ask('DELETE', `/staff/${bob.person_id}`)).status).toBe(200)
    expect((await ask('GET', '/plans', undefined, headers)).status).toBe(403)
  })
})

describe('policy', () => {
  test('AUTH-27 AUTH-G9 a token with brand:admin can be made only after a platform admin widened the policy', async () => {
    const owner = await signUp(get)
    const order = () =>
      get(
        `/api/v1/brands/${owner.brand_id}/tokens`,
        json({ name: 'x', scopes: ['brand:admin'] }, { cookie: owner.cookie }),
      )
    expect((await order()).status).toBe(403)
    const wide = { scope_ceiling: ['brand:admin', 'brand:read', 'brand:admin'] }
    const widened = await ask('PUT', `/brands/${owner.brand_id}/policy`, wide)
    expect(widened).toMatchObject({ status: 200, body: { scope_ceiling: ['brand:read', 'brand:admin'] } })
    const made = await order()
    expect(made.status).toBe(201)
    const { token } = (await made.json()) as { token: string }
    expect(await scopesOf(token)).toEqual(['brand:admin'])
  })

  test('AUTH-G10 a scope outside a narrowed policy sleeps from the next request on, and wakes when it is widened again', async () => {
    const owner = await signUp(get)
    const path = `/brands/${owner.brand_id}/policy`
    await ask('PUT', path, { scope_ceiling: ['brand:read', 'brand:admin'] })
    const { token } = await newToken(get, owner, ['brand:read', 'brand:admin'])
    expect(await scopesOf(token)).toEqual(['brand:read', 'brand:admin'])
    await ask('PUT', path, { scope_ceiling: ['brand:read'] })
    expect(await scopesOf(token)).toEqual(['brand:read'])
    await ask('PUT', path, { scope_ceiling: ['brand:read', 'brand:admin'] })
    expect(await scopesOf(token)).toEqual(['brand:read', 'brand:admin'])
  })

  test('AUTH-G10 AUTH-G11 a remembered token loses a scope in every process with the policy', async () => {
    const owner = await signUp(get)
    const other = await server.start('api')
    const path = `/brands/${owner.brand_id}/policy`
    await ask('PUT', path, { scope_ceiling: ['brand:read', 'brand:admin'] })
    const { token } = await newToken(get, owner, ['brand:admin'])
    const order = () =>
      fetch(`${other.url}/api/v1/brands/${owner.brand_id}/tokens`, {
        ...json({ name: 'child', scopes: ['brand:admin'] }, { authorization: `Bearer ${token}` }),
      })
    expect((await order()).status).toBe(201)
    await ask('PUT', path, { scope_ceiling: ['brand:read'] })
    const refused = await order()
    expect([refused.status, await refused.json()]).toEqual([
      403,
      { detail: 'Token lacks scope brand:admin; the workspace policy does not allow it' },
    ])
  })

  test('AUTH-26 a policy without brand:read is 422 and changes nothing', async () => {
    const owner = await signUp(get)
    const refused = await ask('PUT', `/brands/${owner.brand_id}/policy`, { scope_ceiling: ['memory:read'] })
    expect(refused).toEqual({ status: 422, body: { detail: 'scope_ceiling: must contain brand:read' } })
    const { token } = await newToken(get, owner, ['brand:read', 'code:read'])
    expect(await scopesOf(token)).toEqual(['brand:read', 'code:read'])
  })

  test('a policy with an unknown scope is 422', async () => {
    const owner = await signUp(get)
    const wrong = { scope_ceiling: ['brand:read', 'brand:everything'] }
    expect((await ask('PUT', `/brands/${owner.brand_id}/policy`, wrong)).status).toBe(422)
  })

  test('a policy of one workspace does not touch another', async () => {
    const [one, two] = [await signUp(get), await signUp(get)]
    const { token } = await newToken(get, two, ['brand:read', 'code:read'])
    await ask('PUT', `/brands/${one.brand_id}/policy`, { scope_ceiling: ['brand:read'] })
    expect(await scopesOf(token)).toEqual(['brand:read', 'code:read'])
  })
})

describe('plans', () => {
  const wide = { name: 'Team', features: ['crm', 'crm', 'feed'], desk_cap: 11, source_cap: 0 }

  test('a plan is changed as a whole and listed as it is', async () => {
    const changed = await ask('PUT', '/plans/team', wide)
    const plan = { ...wide, key: 'team', features: ['crm', 'feed'] }
    expect(changed).toEqual({ status: 200, body: plan })
    expect((await ask('GET', '/plans')).body.plans).toContainEqual(plan)
  })

  test.each(['gold', 'NO-SUCH', '%00', 'a'.repeat(200)])('plan %j is not found', async (name) => {
    const { status, body } = await ask('PUT', `/plans/${name}`, wide)
    expect([status, body]).toEqual([404, { detail: 'Plan not found' }])
  })

  test.each([
    { ...wide, features: ['flying'] },
    { ...wide, desk_cap: -1 },
    { ...wide, source_cap: 1.5 },
    { ...wide, desk_cap: 1e12 },
    { ...wide, name: '' },
  ])('a plan such as %j is 422', async (body) => {
    expect((await ask('PUT', '/plans/team', body)).status).toBe(422)
  })

  test('a workspace is put on another plan, and stays where it is when the plan is unknown', async () => {
    const { brand_id } = await signUp(get)
    const moved = await ask('PUT', `/brands/${brand_id}/plan`, { plan_key: 'business' })
    expect(moved).toMatchObject({ status: 200, body: { id: brand_id, plan_key: 'business' } })
    const refused = await ask('PUT', `/brands/${brand_id}/plan`, { plan_key: 'gold' })
    expect(refused).toEqual({ status: 404, body: { detail: 'Plan not found' } })
    const page = await ask('GET', `/brands?after=${brand_id - 1}&limit=1`)
    expect(page.body.brands).toMatchObject([{ id: brand_id, plan_key: 'business' }])
  })
})

describe('workspaces', () => {
  test('all workspaces are listed once, a page at a time, in the order of their ids', async () => {
    const made = [await signUp(get), await signUp(get), await signUp(get)].map((owner) => owner.brand_id)
    const seen: number[] = []
    for (let after: number | null = 0; after !== null; ) {
      const { body } = await ask('GET', `/brands?limit=2&after=${after}`)
      const brands = body.brands as { id: number }[]
      expect(brands.length).toBeGreaterThan(0)
      expect(brands.length).toBeLessThanOrEqual(2)
      seen.push(...brands.map(({ id }) => id))
      after = body.next_after as number | null
    }
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b))
    expect(seen).toEqual(expect.arrayContaining(made))
  })

  test.each(['limit=0', 'limit=101', 'after=-1', 'after=x', 'after=2147483648'])(
    '%s is 422',
    async (query) => {
      expect((await ask('GET', `/brands?${query}`)).status).toBe(422)
    },
  )

  test('AUTH-26 a new workspace has the default policy and the named person as its admin', async () => {
    const ann = await signUp(get)
    await server.sql('update identity.people set email_verified = true where id = $1', [ann.person_id])
    const order = { name: 'Second', plan_key: 'team', admin_email: ` ${ann.email.toUpperCase()} ` }
    const made = await ask('POST', '/brands', order)
    expect(made).toMatchObject({
      status: 201,
      body: {
        name: 'Second',
        plan_key: 'team',
        subscription: { status: 'none', ends_at: null },
        scope_ceiling: ['brand:read', 'memory:read', 'memory:write', 'code:read'],
      },
    })
    const mine = await get('/api/v1/me', { headers: { cookie: ann.cookie } })
    expect(((await mine.json()) as { memberships: unknown[] }).memberships).toContainEqual({
      brand_id: made.body.id,
      name: 'Second',
      role: 'admin',
    })
  })

  test('no workspace is left behind when its admin is unknown', async () => {
    const name = `Nobody’s ${digestOf(String(process.hrtime.bigint())).slice(0, 12)}`
    const order = { name, plan_key: 'team', admin_email: 'nobody@example.test' }
    expect(await ask('POST', '/brands', order)).toEqual({ status: 404, body: { detail: 'Person not found' } })
    const left = await server.sql('select 1 from identity.brands where name = $1', [name])
    expect(left).toEqual([])
  })

  test('a workspace on an unknown plan is 404', async () => {
    const refused = await ask('POST', '/brands', { name: 'X', plan_key: 'gold' })
    expect(refused).toEqual({ status: 404, body: { detail: 'Plan not found' } })
  })

  test('a subscription has a state and an end, or none', async () => {
    const { brand_id } = await signUp(get)
    const paid = { status: 'active', ends_at: '2030-02-28T12:00:00.000000Z' }
    const one = await ask('PUT', `/brands/${brand_id}/subscription`, paid)
    expect(one).toMatchObject({ status: 200, body: { subscription: { status: 'active' } } })
    expect(Date.parse(String((one.body.subscription as { ends_at: string }).ends_at))).toBe(
      Date.parse(paid.ends_at),
    )
    const none = { status: 'canceled', ends_at: null }
    expect((await ask('PUT', `/brands/${brand_id}/subscription`, none)).body.subscription).toEqual(none)
  })

  test.each([
    { status: 'active' },
    { status: 'forever', ends_at: null },
    { status: 'active', ends_at: '2030-02-30T12:00:00Z' },
    { status: 'active', ends_at: '0000-01-01T00:00:00Z' },
    { status: 'active', ends_at: '2030-01-01T24:00:00Z' },
    { status: 'active', ends_at: '2030-01-01T12:00:00+02:00' },
  ])('a subscription such as %j is 422', async (body) => {
    const { brand_id } = await signUp(get)
    expect((await ask('PUT', `/brands/${brand_id}/subscription`, body)).status).toBe(422)
  })

  const changes = [
    ['plan', { plan_key: 'team' }],
    ['subscription', { status: 'none', ends_at: null }],
    ['policy', { scope_ceiling: ['brand:read'] }],
  ] as const
  test.each(changes)('the %s of a workspace that does not exist is 404', async (what, body) => {
    for (const id of ['2147483647', '2147483648', '0', '-1', '01', 'x', '1e1', '%00']) {
      const answer = await ask('PUT', `/brands/${id}/${what}`, body)
      expect([id, answer]).toEqual([id, { status: 404, body: { detail: 'Brand not found' } }])
    }
  })
})
