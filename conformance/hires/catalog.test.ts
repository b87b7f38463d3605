import { readFileSync } from 'node:fs'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { adminEnv } from '../identity/admin-verbs.ts'
import { catalogVerbs, content, type Employee, template } from './catalog-verbs.ts'

const server = useServer('product', adminEnv)
const verbs = catalogVerbs(server)
const { at, send, ask, newKey, create, change, publish, withdraw } = verbs
const notFound = { status: 404, body: { detail: 'Employee not found' } }
let token: string
beforeAll(async () => {
  token = await verbs.newReader()
})

interface Page {
  items: Employee[]
  next_after: string | null
}
const list = async (query = '?limit=100') =>
  (await at.made<Page>({ token }, 'GET', `/api/v1/employees${query}`)).items
const see = (profile_id: string) => at.call<Employee>({ token }, 'GET', `/api/v1/employees/${profile_id}`)
const isListed = async (key: string) => (await list()).some((each) => each.key === key)

describe('a workspace', () => {
  const shipped = ['builder', 'docs-writer', 'release-manager', 'reviewer', 'test-engineer']

  test('sees the five employees that every installation has, by key, all of which can be hired', async () => {
    const found = (await list()).filter(({ key }) => shipped.includes(key))
    expect(found.map(({ key }) => key)).toEqual(shipped)
    for (const each of found)
      expect(each).toMatchObject({ is_deployable: true, is_builder: each.key === 'builder' })
  })

  test('reads an employee with the names and sizes of its files, and without their texts', async () => {
    const [reviewer] = (await list()).filter(({ key }) => key === 'reviewer')
    const { status, body } = await see(reviewer?.profile_id ?? '')
    expect(status).toBe(200)
    const bytes = (path: string) => readFileSync(`apps/server/catalog/${path}`).length
    expect(body).toMatchObject({
      ...reviewer,
      template: {
        coder_profile: 'claude.hard',
        packages: ['boards', 'memory', 'lessons'],
        memory_sources: [{ source_type: 'claude_code', directory: 'sessions' }],
      },
    })
    expect(body.template?.files).toEqual([
      { name: 'PERSONA.md', bytes: bytes('reviewer/PERSONA.md') },
      { name: 'REVIEWING.md', bytes: bytes('reviewer/REVIEWING.md') },
      { name: 'SEVERITY.md', bytes: bytes('reviewer/SEVERITY.md') },
      { name: 'WORKING.md', bytes: bytes('shared/WORKING.md') },
    ])
    expect(body.description.length).toBeGreaterThan(100)
  })

  test('reads by session as well, and with an id in upper case', async () => {
    const { person_id, brand_id } = await at.join(await at.newBrand(), 'member')
    const cookie = await at.newCookie(person_id, brand_id)
    const { items } = await at.made<Page>({ cookie }, 'GET', '/api/v1/employees?limit=1')
    const path = `/api/v1/employees/${items[0]?.profile_id.toUpperCase()}`
    expect((await at.call({ cookie }, 'GET', path)).body).toMatchObject(items[0] ?? { key: 'none' })
  })

  test('reads page by page, each employee once', async () => {
    const seen: string[] = []
    let after: string | null = ''
    while (after !== null) {
      const query: string = after === '' ? '?limit=2' : `?limit=2&after=${after}`
      const page: Page = await at.made<Page>({ token }, 'GET', `/api/v1/employees${query}`)
      expect(page.items.length).toBeLessThanOrEqual(2)
      seen.push(...page.items.map(({ key }) => key))
      after = page.next_after
    }
    expect(seen).toEqual((await list()).map(({ key }) => key))
    expect(seen).toEqual(seen.toSorted())
  })

  test.each(['00000000-0000-4000-8000-000000000000', 'reviewer', '%00'])(
    'is told of %j that there is no such employee',
    async (id) => expect(await see(id)).toEqual(notFound),
  )

  test.each(['?limit=0', '?limit=101', '?after=UPPER', '?after=%00'])(
    'is refused the list %s',
    async (query) => {
      expect((await at.call({ token }, 'GET', `/api/v1/employees${query}`)).status).toBe(422)
    },
  )

  test('is needed: strangers get 401, and somebody without a workspace 403', async () => {
    const cookie = await at.newCookie(await at.newPerson(), null)
    for (const path of ['', '/db36c3fb-73e4-4434-b95c-e2dc0c9d4593']) {
      expect((await at.call(null, 'GET', `/api/v1/employees${path}`)).status).toBe(401)
      expect((await at.call({ cookie }, 'GET', `/api/v1/employees${path}`)).status).toBe(403)
    }
  })
})

describe('an employee', () => {
  test('is seen by workspaces from its publication to its withdrawal, and again when it is published again', async () => {
    const key = newKey()
    const { profile_id, ...draft } = await create(key)
    expect(draft).toMatchObject({ status: 'draft', version: null, draft_version: 1, managed_by: 'operator' })
    expect([await isListed(key), await see(profile_id)]).toEqual([false, notFound])

    expect(await publish(profile_id)).toMatchObject({ status: 'published', version: 1, draft: null })
    expect([await isListed(key), (await see(profile_id)).status]).toEqual([true, 200])

    expect(await withdraw(profile_id)).toMatchObject({ status: 'withdrawn', version: 1 })
    expect([await isListed(key), await see(profile_id)]).toEqual([false, notFound])

    expect(await publish(profile_id)).toMatchObject({ status: 'published', version: 1 })
    expect((await see(profile_id)).body).toMatchObject({ version: 1, name: content.name })
  })

  test('keeps its published version while a draft is written, and gets the next one with its publication', async () => {
    const { profile_id } = await create(newKey())
    await publish(profile_id)
    const files = [...template.files, { name: 'GLOSSARY.md', content: 'Haus: house\n' }]
    const changed = await change(profile_id, { name: 'Interpreter', template: { ...template, files } })
    expect(changed).toMatchObject({ version: 1, draft_version: 2, name: 'Interpreter' })
    expect([changed.published, changed.draft?.name]).toEqual([content, 'Interpreter'])
    expect((await see(profile_id)).body).toMatchObject({ version: 1, name: 'Translator' })
    const again = await change(profile_id, { name: 'Dragoman' })
    expect(again).toMatchObject({ version: 1, draft_version: 2 })
    await publish(profile_id)
    expect((await see(profile_id)).body).toMatchObject({ version: 2, name: 'Dragoman' })
    const versions = await at.sql<{ name: string }>(
      'select name from hires.employee_versions where profile_id = $1 order by version',
      [profile_id],
    )
    expect(versions.map(({ name }) => name)).toEqual(['Translator', 'Dragoman'])
  })

  test('without a template can be published and seen, and says that it cannot be hired', async () => {
    const { profile_id } = await create(newKey(), { template: null })
    await publish(profile_id)
    expect((await see(profile_id)).body).toMatchObject({ is_deployable: false, template: null })
  })

  test('has its key alone: of ten that are created at once, one is', async () => {
    const body = { key: newKey(), ...content }
    const sent = await Promise.all(Array.from({ length: 10 }, () => send('POST', '', body)))
    const statuses = sent.map(({ status }) => status).sort()
    expect(statuses).toEqual([201, ...Array.from({ length: 9 }, () => 409)])
    expect(sent.find(({ status }) => status === 409)?.body).toEqual({
      detail: 'An employee with this key already exists',
    })
  })

  test('that was never published cannot be withdrawn', async () => {
    const { profile_id } = await create(newKey())
    expect(await send('POST', `/${profile_id}/withdraw`)).toEqual({
      status: 409,
      body: { detail: 'The employee was never published' },
    })
  })

  test.each([
    ['GET', '', undefined],
    ['PUT', '/draft', content],
    ['POST', '/publish', {}],
    ['POST', '/withdraw', undefined],
  ])('that does not exist is 404: %s %s', async (method, path, body) => {
    for (const id of ['00000000-0000-4000-8000-000000000000', 'nope'])
      expect(await send(method, `/${id}${path}`, body)).toEqual(notFound)
  })

  test('is published as it was read, or not at all', async () => {
    const { profile_id, revision } = await create(newKey())
    await change(profile_id, { name: 'Somebody else' })
    const refused = {
      status: 409,
      body: { detail: 'The employee has changed since this revision; read it again' },
    }
    expect(await send('POST', `/${profile_id}/publish`, { revision })).toEqual(refused)
    expect(await send('PUT', `/${profile_id}/draft`, { ...content, revision })).toEqual(refused)
    const now = (await verbs.read(profile_id)).revision
    expect((await send('POST', `/${profile_id}/publish`, { revision: now })).status).toBe(200)
  })
})

describe('a template', () => {
  test('that names what does not exist or leads out is refused with all its faults, and nothing changes', async () => {
    const { profile_id } = await create(newKey(), {
      template: {
        coder_profile: 'claude.medium',
        scopes: ['brand:everything'],
        packages: ['weather'],
        memory_sources: [{ source_type: 'claude_code', directory: '../other' }],
        files: [{ name: '../../etc/cron.d/x', content: 'x' }],
      },
    })
    const before = await verbs.read(profile_id)
    const { status, body } = await send('POST', `/${profile_id}/publish`, {})
    expect([status, body.detail]).toEqual([
      422,
      {
        message: 'The template cannot be published',
        faults: [
          { field: 'coder_profile', reason: 'is not a coder profile' },
          { field: 'scopes[0]', reason: 'is not a scope' },
          { field: 'packages[0]', reason: 'is not a package' },
          {
            field: 'memory_sources[0].directory',
            reason: 'must be a plain path below the directory of the agent',
          },
          { field: 'files', reason: 'must contain PERSONA.md' },
          { field: 'files[0].name', reason: 'must be a plain file name' },
        ],
      },
    ])
    expect(await verbs.read(profile_id)).toEqual(before)
    expect(await see(profile_id)).toEqual(notFound)
  })

  test.each([
    ['is_builder is no boolean', { is_builder: 'yes' }],
    ['the name is blank', { name: ' ' }],
    [
      'a file is too long',
      { template: { ...template, files: [{ name: 'A', content: 'a'.repeat(65_537) }] } },
    ],
    [
      'there are too many files',
      {
        template: {
          ...template,
          files: Array.from({ length: 33 }, (_, n) => ({ name: `${n}`, content: 'a' })),
        },
      },
    ],
    [
      'its files are too long together',
      {
        template: {
          ...template,
          files: Array.from({ length: 5 }, (_, n) => ({ name: `${n}`, content: 'ä'.repeat(30_000) })),
        },
      },
    ],
    ['a text holds NUL', { template: { ...template, files: [{ name: 'A', content: 'a\0' }] } }],
    ['the key is a path', { key: '../x' }],
  ])('is not even a draft when %s', async (_, wrong) => {
    expect((await send('POST', '', { key: newKey(), ...content, ...wrong })).status).toBe(422)
  })

  test('as large as it may be is stored and published', async () => {
    const files = Array.from({ length: 4 }, (_, n) => ({
      name: n === 0 ? 'PERSONA.md' : `${n}.md`,
      content: '"\n'.repeat(32 * 1024),
    }))
    const { profile_id } = await create(newKey(), { template: { ...template, files } })
    await publish(profile_id)
    expect((await see(profile_id)).body.template?.files.map(({ bytes }) => bytes)).toEqual(
      files.map(() => 65_536),
    )
  })
})

describe('the operator', () => {
  test('lists all employees, or those of a status, with their drafts', async () => {
    const [one, two] = [await create(newKey()), await create(newKey())]
    await publish(two.profile_id)
    await change(two.profile_id, { name: 'Next' })
    const keysOf = async (query: string) => {
      const { body } = await ask('GET', `/employees?limit=100${query}`)
      return (body.items as { key: string }[]).map(({ key }) => key)
    }
    expect(await keysOf('')).toEqual(expect.arrayContaining([one.key, two.key, 'reviewer']))
    expect(await keysOf('&status=draft')).toContain(one.key)
    expect(await keysOf('&status=draft')).not.toContain(two.key)
    expect(await keysOf('&status=published')).toEqual(expect.arrayContaining([two.key, 'reviewer']))
    const { body } = await ask('GET', `/employees?limit=1&status=published&after=${one.key}`)
    expect(body.items).toMatchObject([{ key: two.key, name: 'Next', version: 1, draft_version: 2 }])
  })

  test('alone may: a workspace admin is 403, a token of staff and a stranger are 401', async () => {
    const { profile_id } = await create(newKey())
    const brand = await at.newBrand()
    const admin = await at.join(brand, 'admin')
    const staff = await at.join(brand, 'admin', await at.newPerson(true))
    const cookie = await at.newCookie(admin.person_id, brand)
    const ofStaff = await at.newToken(staff, ['brand:read'])
    const calls = [
      ['GET', '', undefined],
      ['POST', '', { key: newKey(), ...content }],
      ['GET', `/${profile_id}`, undefined],
      ['PUT', `/${profile_id}/draft`, content],
      ['POST', `/${profile_id}/publish`, {}],
      ['POST', `/${profile_id}/withdraw`, undefined],
    ] as const
    for (const [method, path, body] of calls) {
      const by = async (credential: Parameters<typeof at.call>[0]) =>
        (await at.call(credential, method, `/api/v1/admin/employees${path}`, body)).status
      expect([await by({ cookie }), await by({ token: ofStaff }), await by(null)]).toEqual([403, 401, 401])
    }
    expect((await verbs.read(profile_id)).revision).toBe(1)
  })

  test('finds each change in the audit log of the installation once, without its texts', async () => {
    const staff = await at.newPerson(true)
    const cookie = await at.newCookie(staff, null)
    const { profile_id, key } = await create(newKey())
    const act = (method: string, path: string, body?: unknown) =>
      at.made({ cookie }, method, `/api/v1/admin/employees/${profile_id}${path}`, body)
    // Each twice: what changes nothing is not told.
    for (const body of [
      { ...content, name: 'Secretive' },
      { ...content, name: 'Secretive' },
    ])
      await act('PUT', '/draft', body)
    for (const path of ['/publish', '/publish', '/withdraw', '/withdraw']) await act('POST', path)
    const { text, body } = await at.call<{
      items: { action: string; actor: object; from: unknown; to: { profile_id?: string } | null }[]
    }>({ cookie }, 'GET', '/api/v1/admin/audit?limit=100')
    const told = body.items.filter(({ to }) => to?.profile_id === profile_id).toReversed()
    const [draft, published, withdrawn] = [
      { profile_id, key, status: 'draft', version: null },
      { profile_id, key, status: 'published', version: 1 },
      { profile_id, key, status: 'withdrawn', version: 1 },
    ]
    expect(told.map(({ action, from, to }) => [action, from, to])).toEqual([
      ['employee.created', null, { profile_id, key }],
      ['employee.draft_changed', draft, draft],
      ['employee.published', draft, published],
      ['employee.withdrawn', published, withdrawn],
    ])
    expect(told.map(({ actor }) => actor)).toEqual([
      { kind: 'admin_key', person_id: null },
      ...[1, 2, 3].map(() => ({ kind: 'person', person_id: staff })),
    ])
    expect(text).not.toContain('Secretive')
  })
})
