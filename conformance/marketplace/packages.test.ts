import { useServer } from '@crewhall/testkit/test-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { beforeAll, expect, test } from 'vitest'
import { adminKey, MarketWorkspace, operatorEnv } from './market-workspace.ts'

const server = useServer('product', operatorEnv)
const operator = { admin_key: adminKey }
let world: World
let workspace: MarketWorkspace
beforeAll(async () => {
  world = new World(server)
  workspace = await MarketWorkspace.open(server)
})

const root = '/api/v1/admin/packages'
const weather = { title: 'Weather', description: 'Forecasts.', publisher: 'Example Inc.' }
const content = { url: 'https://93.184.215.14/mcp', touches: ['Names of places'], credential: 'none' }
const publish = (key: string) => world.made(operator, 'POST', root, { key, ...weather })
const publishVersion = (key: string, version: string, more: object = {}) =>
  world.call<Version>(operator, 'POST', `${root}/${key}/versions`, { version, ...content, ...more })

interface Version {
  readonly version: string
  readonly method_count: number
  readonly withdrawn_at: string | null
}
interface Method {
  readonly name: string
  readonly since: string
}
interface Package {
  readonly key: string
  readonly kind: string
  readonly latest_version: string | null
  readonly versions: Version[]
}
const read = async (key: string) => (await workspace.asAdmin<Package>('GET', `/packages/${key}`)).body

test('VER-05: the package boards is listed with 87 methods in 1.27.0, up from 81 in 1.26.0', async () => {
  const { kind, latest_version, versions } = await read('boards')
  expect([kind, latest_version]).toEqual(['builtin', '1.27.0'])
  expect(versions.map(({ version, method_count }) => [version, method_count])).toEqual([
    ['1.27.0', 87],
    ['1.26.0', 81],
  ])
  const methods = async (version: string) => {
    const path = `/packages/boards/versions/${version}`
    const { body } = await workspace.asAdmin<{ methods: Method[] }>('GET', path)
    return body.methods
  }
  const [now, before] = [await methods('1.27.0'), await methods('1.26.0')]
  expect(new Set(now.map(({ name }) => name)).size).toBe(87)
  // What was there before is there still, and the rest says that it is new.
  expect(now.filter(({ since }) => since !== '1.27.0')).toEqual(before)
})

test('a package is listed once it has a version, and its newest one is found by numbers', async () => {
  await publish('tides')
  const listed = async () =>
    (await workspace.asAdmin<{ items: Package[] }>('GET', '/packages?limit=100')).body.items.map(
      ({ key }) => key,
    )
  expect(await listed()).not.toContain('tides')
  const all = await world.call<{ items: Package[] }>(operator, 'GET', `${root}?limit=100`)
  expect(all.body.items.map(({ key }) => key)).toContain('tides')
  for (const version of ['1.9.0', '1.10.0', '1.2.0']) await publishVersion('tides', version)
  expect(await listed()).toContain('tides')
  const { latest_version, versions } = await read('tides')
  expect([latest_version, versions.map(({ version }) => version)]).toEqual([
    '1.10.0',
    ['1.10.0', '1.9.0', '1.2.0'],
  ])
})

test('pages of the list join into the whole', async () => {
  const whole = (await workspace.asAdmin<{ items: Package[] }>('GET', '/packages?limit=100')).body.items
  const keys: string[] = []
  let after: string | null = null
  do {
    const path: string = `/packages?limit=2${after ? `&after=${after}` : ''}`
    const { body } = await workspace.asAdmin<{ items: Package[]; next_after: string | null }>('GET', path)
    keys.push(...body.items.map(({ key }) => key))
    after = body.next_after
  } while (after)
  expect(keys).toEqual(whole.map(({ key }) => key))
  expect(keys.length).toBeGreaterThan(5)
})

test('a published version does not change: the same again is fine, other content is refused', async () => {
  await publish('rivers')
  const first = await publishVersion('rivers', '1.0.0')
  expect(first.status).toBe(201)
  expect(await publishVersion('rivers', '1.0.0')).toEqual(first)
  const other = await publishVersion('rivers', '1.0.0', { url: 'https://93.184.215.15/mcp' })
  expect([other.status, other.body]).toEqual([
    409,
    { detail: 'This version is already published with other content; publish a new version' },
  ])
})

test('a version that was withdrawn is neither the newest nor installed', async () => {
  await publish('lakes')
  await publishVersion('lakes', '1.0.0')
  const withdraw = () => world.call<Version>(operator, 'POST', `${root}/lakes/versions/1.0.0/withdraw`)
  const { withdrawn_at } = (await withdraw()).body
  expect(withdrawn_at).not.toBeNull()
  expect((await withdraw()).body.withdrawn_at).toBe(withdrawn_at)
  expect((await read('lakes')).latest_version).toBeNull()
  const refused = await workspace.asAdmin('POST', '/installs', { package_key: 'lakes', version: '1.0.0' })
  expect([refused.status, refused.body.detail]).toEqual([409, 'This version was withdrawn'])
})

test('built-in packages belong to the server', async () => {
  const refused = { status: 409, body: { detail: 'Built-in packages are published with the server' } }
  expect(await world.call(operator, 'PATCH', `${root}/boards`, { title: 'X' })).toMatchObject(refused)
  expect(await publishVersion('boards', '9.0.0')).toMatchObject(refused)
  expect(await world.call(operator, 'POST', `${root}/boards/versions/1.27.0/withdraw`)).toMatchObject(refused)
  expect((await world.call(operator, 'POST', root, { key: 'boards', ...weather })).status).toBe(409)
})

test('nobody but a platform admin publishes, and every change is in the audit log of the platform', async () => {
  for (const by of [workspace.owner, { token: workspace.token }, null])
    expect((await world.call(by, 'POST', root, { key: 'seas', ...weather })).status).toBeGreaterThan(400)
  await publish('seas')
  await world.made(operator, 'PATCH', `${root}/seas`, { title: 'Seas' })
  await world.made(operator, 'PATCH', `${root}/seas`, { title: 'Seas' })
  await publishVersion('seas', '1.0.0')
  await world.made(operator, 'POST', `${root}/seas/versions/1.0.0/withdraw`)
  const entries = await world.sql<{ action: string }>(
    `select action from identity.platform_entries where new_value ->> 'key' = 'seas' order by id`,
  )
  expect(entries.map(({ action }) => action)).toEqual([
    'package.published',
    'package.changed',
    'package.version_published',
    'package.version_withdrawn',
  ])
})

test.each([
  ['a key with an underscore', { key: 'a_b', ...weather }],
  ['a key of 25 letters', { key: 'a'.repeat(25), ...weather }],
  ['no title', { key: 'fog', description: 'D', publisher: 'P' }],
])('%s is refused', async (_, body) => {
  expect((await world.call(operator, 'POST', root, body)).status).toBe(422)
})

test.each(['http://93.184.215.14/', 'https://10.0.0.1/', 'https://a b/', 'gopher://93.184.215.14/'])(
  'the address %s is refused',
  async (url) => {
    expect((await publishVersion('tides', '3.0.0', { url })).status).toBe(422)
  },
)
