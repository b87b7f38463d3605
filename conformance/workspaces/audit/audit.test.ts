import { useServer } from '@crewhall/testkit/test-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { describe, expect, test } from 'vitest'
import { adminEnv, featureVerbs } from '../features/feature-verbs.ts'
import { auditVerbs, type Entry } from './audit-verbs.ts'

const server = useServer('product', adminEnv)
const at = new World(server)
const { newAdmin, join, put } = featureVerbs(at)
const { page, whole, ask } = auditVerbs(at)
const notACursor = { status: 422, body: { detail: 'since: must be a next_cursor of this list' } }

describe('an entry', () => {
  test('says who changed what, from what to what, in which request and with which token', async () => {
    const admin = await newAdmin()
    const [issued] = await at.newTokens(admin, ['brand:admin'], 1)
    const { headers } = await put({ ...admin, token: issued?.token ?? '' }, 'feed', { on: false })
    const [entry, ...more] = await whole(admin)
    expect(more).toEqual([])
    expect(entry).toEqual({
      id: expect.stringMatching(/^\d+$/),
      action: 'feature.changed',
      target: 'feature:feed',
      from: null,
      to: false,
      actor: { kind: 'person', user_id: admin.person_id, name: 'Ann Example' },
      credential: { kind: 'token', id: issued?.id },
      request_id: headers.get('x-request-id'),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/),
    })
    expect(headers.get('x-request-id')).toMatch(/./)
  })

  test('names the session by its number when the change was made with a cookie', async () => {
    const admin = await newAdmin()
    const cookie = await at.newCookie(admin.person_id, admin.brand_id)
    const path = `/api/v1/brands/${admin.brand_id}/features/feed`
    const headers = { cookie, 'content-type': 'application/json' }
    await server.get(path, { method: 'PUT', headers, body: '{"on":true}' })
    const [session] = await at.sql<{ id: number }>('select id from identity.sessions where person_id = $1', [
      admin.person_id,
    ])
    const [entry] = await whole(admin)
    expect(entry?.credential).toEqual({ kind: 'session', id: String(session?.id) })
  })

  test('holds neither the token nor the cookie', async () => {
    const admin = await newAdmin()
    const cookie = await at.newCookie(admin.person_id, admin.brand_id)
    const path = `/api/v1/brands/${admin.brand_id}/features/feed`
    const headers = { cookie, 'content-type': 'application/json' }
    await server.get(path, { method: 'PUT', headers, body: '{"on":true}' })
    await put(admin, 'feed', { on: false })
    const text = JSON.stringify(await whole(admin))
    expect(text).toContain('feature.changed')
    for (const secret of [admin.token, cookie.slice(cookie.indexOf('=') + 1)]) {
      expect(text).not.toContain(secret)
    }
  })

  test('tells the value that was there before, also when it was the same', async () => {
    const admin = await newAdmin()
    for (const on of [true, false, false, true]) await put(admin, 'feed', { on })
    expect((await whole(admin)).map(({ from, to }) => [from, to])).toEqual([
      [null, true],
      [true, false],
      [false, false],
      [false, true],
    ])
  })

  test('keeps the name that the person had on that day', async () => {
    const admin = await newAdmin()
    await put(admin, 'feed', { on: false })
    await at.sql(`update identity.people set full_name = 'Ann Renamed' where id = $1`, [admin.person_id])
    expect((await whole(admin)).map(({ actor }) => actor.name)).toEqual(['Ann Example'])
  })

  test('is not written for a change that was refused', async () => {
    const admin = await newAdmin()
    const member = await join(admin.brand_id, 'member')
    const refused = [
      await put(admin, 'crm', { on: true }),
      await put(admin, 'feed', { on: 'yes' }),
      await put(admin, 'nothing', { on: true }),
      await put(member, 'feed', { on: true }),
      await put({ ...admin, token: 'chp_nothing' }, 'feed', { on: true }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([409, 422, 422, 403, 401])
    expect(await whole(admin)).toEqual([])
  })

  test('is written with the change or not at all', async () => {
    const admin = await newAdmin()
    // From now on the table refuses entries about this workspace.
    const owner = await server.connection('owner')
    await owner.query(
      `alter table platform.audit_entries add constraint planted check (brand_id <> ${admin.brand_id})`,
    )
    await owner.end()
    expect((await put(admin, 'feed', { on: false })).status).toBe(500)
    const rows = await at.sql('select 1 from workspaces.feature_switches where brand_id = $1', [
      admin.brand_id,
    ])
    expect([rows, await whole(admin)]).toEqual([[], []])
  })
})

describe('reading', () => {
  test('is oldest first, at most limit entries, and goes on behind the last one', async () => {
    const admin = await newAdmin()
    for (const on of [true, false, true]) await put(admin, 'feed', { on })
    const first = await page(admin, { limit: 2 })
    const second = await page(admin, { limit: 2, since: first.next_cursor })
    expect(first.items.map(({ to }) => to)).toEqual([true, false])
    expect(second.items.map(({ to }) => to)).toEqual([true])
  })

  test('goes back from the newest with order, also by person and action, and a cursor keeps its order', async () => {
    const admin = await newAdmin()
    for (const on of [true, false, true]) await put(admin, 'feed', { on })
    const back = { limit: 2, order: 'newest_first' }
    const ids = (await whole(admin)).map(({ id }) => id).reverse()
    const first = await page(admin, back)
    const second = await page(admin, { ...back, since: first.next_cursor })
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids)
    const end = await page(admin, { ...back, since: second.next_cursor })
    expect(end).toEqual({ items: [], next_cursor: second.next_cursor })
    for (const filter of [{ actor: admin.person_id }, { action: 'feature.changed' }])
      expect((await page(admin, { ...back, ...filter })).items.map(({ id }) => id)).toEqual(ids.slice(0, 2))
    expect((await page(admin, { ...back, actor: 2_000_000_000 })).items).toEqual([])
    expect(await ask(admin, `?since=${first.next_cursor}`)).toMatchObject(notACursor)
    const stranger = await newAdmin()
    expect((await page(stranger, back)).items).toEqual([])
    expect(await ask(stranger, `?order=newest_first&since=${first.next_cursor}`)).toMatchObject(notACursor)
  })

  test('an empty page answers the place where the reader stands, and goes on from there', async () => {
    const admin = await newAdmin()
    const empty = await page(admin)
    expect(empty.items).toEqual([])
    expect((await page(admin, { since: empty.next_cursor })).next_cursor).toBe(empty.next_cursor)
    await put(admin, 'feed', { on: false })
    const first = await page(admin, { since: empty.next_cursor })
    expect(first.items).toHaveLength(1)
    const end = await page(admin, { since: first.next_cursor })
    expect(end).toEqual({ items: [], next_cursor: first.next_cursor })
  })

  test('a page has 50 entries when nothing is said, and 100 at most', async () => {
    const admin = await newAdmin()
    await at.sql(
      `insert into platform.audit_entries (brand_id, action, target, actor_kind)
       select $1, 'thing.changed', 'thing:' || n, 'system' from generate_series(1, 101) n`,
      [admin.brand_id],
    )
    expect((await page(admin)).items).toHaveLength(50)
    expect((await page(admin, { limit: 100 })).items).toHaveLength(100)
    for (const limit of ['101', '0', '-1', '1.5', '', 'ten']) {
      const { status, body } = await ask(admin, `?limit=${limit}`)
      expect([limit, status, body.detail]).toEqual([
        limit,
        422,
        'limit: must be a whole number from 1 to 100',
      ])
    }
  })

  test('actor keeps what one person did, also on later pages', async () => {
    const ann = await newAdmin()
    const ben = await join(ann.brand_id)
    for (const who of [ann, ben, ann, ben, ann]) await put(who, 'feed', { on: true })
    const first = await page(ann, { actor: ann.person_id, limit: 2 })
    const second = await page(ann, { actor: ann.person_id, limit: 2, since: first.next_cursor })
    const actors = [...first.items, ...second.items].map(({ actor }) => actor.user_id)
    expect(actors).toEqual([ann.person_id, ann.person_id, ann.person_id])
    expect((await page(ann, { actor: 2_000_000_000 })).items).toEqual([])
  })

  test('action keeps entries of exactly that kind', async () => {
    const admin = await newAdmin()
    await put(admin, 'feed', { on: true })
    await at.sql(
      `insert into platform.audit_entries (brand_id, action, target, actor_kind, actor_person_id)
       values ($1, 'feature.changed_again', 'x', 'system', null), ($1, 'thing.changed', 'y', 'person', $2)`,
      [admin.brand_id, admin.person_id],
    )
    await at.sql('update platform.audit_marks set last_at = clock_timestamp() where brand_id = $1', [
      admin.brand_id,
    ])
    const actions = async (query: Record<string, string | number>) =>
      (await page(admin, query)).items.map(({ target }) => target)
    expect(await actions({ action: 'feature.changed' })).toEqual(['feature:feed'])
    expect(await actions({ action: 'thing.changed', actor: admin.person_id })).toEqual(['y'])
    expect(await actions({ action: 'feature.changed_again', actor: admin.person_id })).toEqual([])
  })

  test.each([
    'actor=0',
    'actor=ann',
    'actor=',
    'actor=1&actor=2',
    'action=',
    'action=Feature',
    'action=a%25',
    'order=newest',
  ])('?%s is 422', async (query) => expect((await ask(await newAdmin(), `?${query}`)).status).toBe(422))
})

describe('a cursor', () => {
  test('that was edited in any place is refused', async () => {
    const admin = await newAdmin()
    await put(admin, 'feed', { on: false })
    const { next_cursor } = await page(admin)
    for (let place = 0; place < next_cursor.length; place += 1) {
      const other = next_cursor[place] === 'A' ? 'B' : 'A'
      const edited = next_cursor.slice(0, place) + other + next_cursor.slice(place + 1)
      expect(await ask(admin, `?since=${edited}`)).toMatchObject(notACursor)
    }
  })

  test('of another workspace is refused', async () => {
    const [ann, ben] = [await newAdmin(), await newAdmin()]
    for (const who of [ann, ben]) await put(who, 'feed', { on: false })
    const { next_cursor } = await page(ben)
    expect(await ask(ann, `?since=${next_cursor}`)).toMatchObject(notACursor)
    expect((await ask(ben, `?since=${next_cursor}`)).status).toBe(200)
  })

  test.each(['', '0', '1', '2026-11-15T05:00:00Z', 'MQ', 'MQ.', '%00', '%20', 'x'.repeat(301), 'a&since=a'])(
    '%s was not issued and is refused',
    async (since) => {
      const { status, body } = await ask(await newAdmin(), `?since=${since}`)
      expect(status).toBe(422)
      if (since !== '%00') expect(body.detail).toBe(notACursor.body.detail)
    },
  )

  test('is read by another process of the installation', async () => {
    const admin = await newAdmin()
    await put(admin, 'feed', { on: false })
    const { next_cursor } = await page(admin)
    const second = await server.start('api')
    const response = await fetch(`${second.url}/api/v1/brands/${admin.brand_id}/audit?since=${next_cursor}`, {
      headers: { authorization: `Bearer ${admin.token}` },
    })
    expect([response.status, await response.json()]).toEqual([200, { items: [], next_cursor }])
  })

  test('is refused by a process that signs with another key', async () => {
    const admin = await newAdmin()
    const { next_cursor } = await page(admin)
    const other = await server.start('api', { SIGNING_KEY: 'another-key-of-at-least-32-characters' })
    const response = await fetch(`${other.url}/api/v1/brands/${admin.brand_id}/audit?since=${next_cursor}`, {
      headers: { authorization: `Bearer ${admin.token}` },
    })
    expect(response.status).toBe(422)
  })
})

describe('who may read', () => {
  test('an admin sees the entries of this workspace and of no other', async () => {
    const [ann, ben] = [await newAdmin(), await newAdmin()]
    await put(ann, 'feed', { on: false })
    await put(ben, 'skills', { on: false })
    const targets = (entries: readonly Entry[]) => entries.map(({ target }) => target)
    expect(targets(await whole(ann))).toEqual(['feature:feed'])
    expect(targets(await whole(ben))).toEqual(['feature:skills'])
    expect(targets((await page(ann, { actor: ben.person_id })).items)).toEqual([])
  })

  test('AUTH-25: the log of another workspace is not found', async () => {
    const [ann, ben] = [await newAdmin(), await newAdmin()]
    const { status, body } = await ask({ ...ann, brand_id: ben.brand_id }, '')
    expect([status, body]).toEqual([404, { detail: 'Brand not found' }])
  })

  test('AUTH-30: a member is refused', async () => {
    const member = await join((await newAdmin()).brand_id, 'member')
    const { status, body } = await ask(member, '')
    expect([status, body]).toEqual([403, { detail: 'Brand admin access required' }])
  })

  test('AUTH-28: a token of an admin without brand:admin is told so', async () => {
    const admin = await newAdmin()
    const { status, body } = await ask({ ...admin, token: await at.newToken(admin, ['brand:read']) }, '')
    expect([status, body.detail]).toEqual([
      403,
      'Token lacks scope brand:admin; the workspace policy allows it',
    ])
  })

  test('AUTH-G14: a member is refused before a bad cursor is', async () => {
    const member = await join((await newAdmin()).brand_id, 'member')
    expect((await ask(member, '?since=x')).status).toBe(403)
  })
})
