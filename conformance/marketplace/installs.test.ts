import { randomUUID } from 'node:crypto'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Install, MarketWorkspace } from './market-workspace.ts'

const server = useSharedServer('product')
let workspace: MarketWorkspace
beforeAll(async () => {
  workspace = await MarketWorkspace.open(server)
})

const listed = async (of = workspace) =>
  (await of.asAdmin<{ items: Install[] }>('GET', '/installs')).body.items.map(
    ({ package_key }) => package_key,
  )

describe('an install', () => {
  test('begins with the newest version, is listed, disabled, enabled and removed, each with its audit entry', async () => {
    const mine = await MarketWorkspace.open(server)
    const install = await mine.install('boards')
    expect(install).toMatchObject({
      version: '1.27.0',
      enabled: true,
      origin: 'workspace',
      state: 'active',
      everyone: false,
      agent_ids: [],
      has_credential: false,
    })
    expect(await listed(mine)).toEqual(['boards'])
    expect((await mine.asAdmin('POST', `/installs/${install.id}/disable`)).body.enabled).toBe(false)
    expect((await mine.asAdmin('POST', `/installs/${install.id}/enable`)).body.enabled).toBe(true)
    expect((await mine.asAdmin('DELETE', `/installs/${install.id}`)).body).toEqual({ success: true })
    expect(await listed(mine)).toEqual([])
    expect((await mine.auditActions()).map(({ action }) => action)).toEqual([
      'install.created',
      'install.disabled',
      'install.enabled',
      'install.removed',
    ])
  })

  test('is there once: a second one is refused, also when ten come at once', async () => {
    const mine = await MarketWorkspace.open(server)
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => mine.asAdmin('POST', '/installs', { package_key: 'memory' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
    expect(await listed(mine)).toEqual(['memory'])
  })

  test('moves to another version and back', async () => {
    const mine = await MarketWorkspace.open(server)
    const install = await mine.install('boards', { version: '1.26.0' })
    const move = (version: string) => mine.asAdmin('PUT', `/installs/${install.id}/version`, { version })
    expect((await move('1.27.0')).body.version).toBe('1.27.0')
    expect((await move('1.26.0')).body.version).toBe('1.26.0')
    expect((await move('7.0.0')).status).toBe(404)
  })

  test('of a built-in package takes no credential', async () => {
    const refused = await workspace.asAdmin('POST', '/installs', { package_key: 'lessons', credential: 'x' })
    expect([refused.status, refused.body.detail]).toEqual([422, 'credential: not used by this package'])
  })

  test('of what nobody published is refused', async () => {
    const install = (body: object) => workspace.asAdmin('POST', '/installs', body)
    expect((await install({ package_key: 'nothing' })).status).toBe(404)
    expect((await install({ package_key: 'boards', version: '9.9.9' })).status).toBe(404)
  })
})

describe('grants', () => {
  test('name agents of the workspace, replace each other and lose agents that retire', async () => {
    const mine = await MarketWorkspace.open(server)
    const [one, two] = [await mine.newAgent('one'), await mine.newAgent('two')]
    const install = await mine.install('boards', { agent_ids: [one] })
    expect(install.agent_ids).toEqual([one])
    const grant = (body: object) => mine.asAdmin('PUT', `/installs/${install.id}/grants`, body)
    expect((await grant({ everyone: false, agent_ids: [two, one, two] })).body.agent_ids).toEqual([one, two])
    expect((await grant({ everyone: true, agent_ids: [two] })).body).toMatchObject({
      everyone: true,
      agent_ids: [two],
    })
    await mine.server.get(`/api/v1/agents/${two}/retire`, {
      method: 'POST',
      headers: { cookie: mine.owner.cookie },
    })
    expect((await mine.read(install)).agent_ids).toEqual([])
    const refused = await grant({ everyone: false, agent_ids: [two] })
    expect([refused.status, refused.body.detail]).toEqual([
      422,
      'agent_ids: must be active agents of this workspace',
    ])
  })

  test('refuse agents of others as they refuse agents that do not exist', async () => {
    const other = await MarketWorkspace.open(server)
    await other.newAgent('theirs')
    const mine = await MarketWorkspace.open(server)
    const install = await mine.install('boards')
    const path = `/installs/${install.id}/grants`
    const foreign = await mine.asAdmin('PUT', path, { everyone: false, agent_ids: ['theirs'] })
    const missing = await mine.asAdmin('PUT', path, { everyone: false, agent_ids: ['nobody'] })
    expect(foreign).toEqual(missing)
    expect(foreign.status).toBe(422)
  })

  test('a dry run shows what would be, and leaves everything as it was', async () => {
    const mine = await MarketWorkspace.open(server)
    const install = await mine.install('boards')
    const path = `/installs/${install.id}`
    const tried = await mine.asAdmin('PUT', `${path}/grants?dry_run=true`, { everyone: true, agent_ids: [] })
    expect([tried.status, tried.body.everyone]).toEqual([200, true])
    expect((await mine.asAdmin('DELETE', `${path}?dry_run=true`)).status).toBe(200)
    expect(await mine.read(install)).toEqual(install)
    expect(await mine.auditActions()).toHaveLength(1)
  })

  test('the same key twice changes once', async () => {
    const mine = await MarketWorkspace.open(server)
    const install = await mine.install('boards')
    const key = { 'idempotency-key': randomUUID() }
    const grant = () =>
      mine.asAdmin('PUT', `/installs/${install.id}/grants`, { everyone: true, agent_ids: [] }, key)
    const first = await grant()
    expect(await grant()).toEqual(first)
    expect(await mine.auditActions()).toHaveLength(2)
  })
})

describe('who may', () => {
  test('members read and do not change; a token needs its scope', async () => {
    const mine = await MarketWorkspace.open(server)
    const install = await mine.install('boards')
    const [reader, bare, admin] = [
      await mine.tokenWith(['brand:read']),
      await mine.tokenWith([]),
      await mine.tokenWith(['brand:read', 'brand:admin'], 'admin'),
    ]
    const as = async (token: string, method: string, path: string, body?: unknown) =>
      (await mine.call(method, path, body, { authorization: `Bearer ${token}` })).status
    for (const path of ['/installs', `/installs/${install.id}`, '/packages', '/packages/boards']) {
      expect([path, await as(reader, 'GET', path)]).toEqual([path, 200])
      expect([path, await as(bare, 'GET', path)]).toEqual([path, 403])
    }
    for (const verb of ['disable', 'enable']) {
      expect(await as(reader, 'POST', `/installs/${install.id}/${verb}`)).toBe(403)
      expect(await as(admin, 'POST', `/installs/${install.id}/${verb}`)).toBe(200)
    }
  })

  test('installs of another workspace are missing', async () => {
    const install = await (await MarketWorkspace.open(server)).install('boards')
    const missing = await workspace.asAdmin('GET', `/installs/${randomUUID()}`)
    expect(await workspace.asAdmin('GET', `/installs/${install.id}`)).toEqual(missing)
    expect((await workspace.asAdmin('DELETE', `/installs/${install.id}`)).status).toBe(404)
  })
})

test('FEAT-11, FEAT-12: installed packages are counted, and turning the feature off deletes none', async () => {
  const mine = await MarketWorkspace.open(server)
  await mine.install('boards')
  await mine.install('memory')
  const path = `/api/v1/brands/${mine.owner.brand_id}/features`
  const headers = { cookie: mine.owner.cookie, 'content-type': 'application/json' }
  const skills = async (response: Response) =>
    ((await response.json()) as { switches: { skills: { on: boolean; holds: object } } }).switches.skills
  const before = await skills(await server.get(path, { headers }))
  expect(before.holds).toEqual({ installed_packages: 2 })
  const off = await server.get(`${path}/skills`, { method: 'PUT', headers, body: '{"on":false}' })
  expect(await skills(off)).toMatchObject({ on: false, holds: { installed_packages: 2 } })
  expect(await listed(mine)).toEqual(['boards', 'memory'])
})
