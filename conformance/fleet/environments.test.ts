import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { DeskWorkspace, nowhere, type Ordered } from './desk-workspace.ts'

const server = useSharedServer('product')
let at: DeskWorkspace
let other: DeskWorkspace
let desk: Ordered
beforeAll(async () => {
  at = await DeskWorkspace.open(server, 1000)
  other = await DeskWorkspace.open(server)
  desk = await at.ordered({ name: 'Shared', region: 'eu', description: 'D' })
})
const notFound = { status: 404, body: { detail: 'Workstation not found' } }
const meshUrl = 'http://[fd63:7265:7768::5]:8787'
const generationOf = async (id: string) => {
  const [row] = await at.world.sql<{ generation: string }>(
    'select generation from fleet.desks where id = $1',
    [id],
  )
  return Number(row?.generation)
}

test('ENV-01 to ENV-04, ENV-09, ENV-15 to ENV-20, ENV-22, ENV-G5, ENV-G7: an empty body answers the whole record, unchanged', async () => {
  const record = {
    id: desk.workstation_id,
    brand_id: at.brand_id,
    short_id: expect.stringMatching(/^[0-9a-z]{8}$/),
    name: 'Shared',
    description: 'D',
    runtime: 'claude_code',
    status: 'provisioned',
    sidecar_url: null,
    agent_id: null,
    project_id: null,
    region: 'eu',
    vps_provider: null,
    pending_sync_count: 0,
    image_url: null,
    sidecar_version: null,
    sidecar_code_digest: null,
    last_upgrade_at: null,
    workspace_path: expect.stringMatching(/^\/srv\/crewhall\/[0-9a-z]{8}$/),
    last_seen_at: null,
    created_at: expect.stringMatching(/Z$/),
  }
  const before = [await at.audited(), await at.events()]
  expect(await at.change(desk.workstation_id, {})).toEqual({ status: 200, body: record })
  expect(await at.change(desk.workstation_id)).toEqual({ status: 200, body: record })
  expect([await at.audited(), await at.events()]).toEqual(before)
})

test('ENV-03, ENV-04: what is sent is changed, and nothing else', async () => {
  const { workstation_id: id } = await at.ordered({ name: 'A', description: 'D', region: 'R' })
  const { body: before } = await at.change(id, {})
  expect((await at.change(id, { name: ' B ' })).body).toEqual({ ...before, name: 'B' })
  expect((await at.change(id, { description: '' })).body).toEqual({ ...before, name: 'B', description: '' })
  expect((await at.show(id)).body).toMatchObject({ name: 'B', description: '', region: 'R' })
})

test('ENV-22, ENV-G6: workspace_path, and other fields of the record, are ignored', async () => {
  const { workstation_id: id } = await at.ordered()
  const { body: before } = await at.change(id, {})
  const sent = {
    workspace_path: '/etc',
    region: 'x',
    brand_id: other.brand_id,
    sidecar_version: '9.9.9',
    runtime: 'codex',
  }
  expect(await at.change(id, sent)).toEqual({ status: 200, body: before })
})

describe('the status', () => {
  test('ENV-05 to ENV-07, DESK-36, DESK-44: suspended and resumed, in both vocabularies', async () => {
    const own = await DeskWorkspace.open(server)
    const { workstation_id: id } = await own.ordered()
    expect((await own.change(id, { status: 'suspended' })).body.status).toBe('suspended')
    const { body: paused } = await own.show(id)
    expect([paused.status, paused.ready]).toEqual(['suspended', false])
    expect(paused.onboarding_steps.filter(({ hint }) => hint !== null)).toHaveLength(1)
    expect((await own.change(id, { status: 'provisioned' })).body.status).toBe('provisioned')
    const { body: resumed } = await own.show(id)
    expect([resumed.status, resumed.ready]).toEqual(['provisioning', false])
    const told = ['desk.ordered', 'desk.suspended', 'desk.resumed']
    expect(await own.events()).toEqual(told)
    expect(await own.audited()).toEqual(['desk.ordered', 'desk.changed', 'desk.changed'])
  })

  test('ENV-G2, ENV-G3: what it is already changes nothing', async () => {
    const own = await DeskWorkspace.open(server)
    const { workstation_id: id } = await own.ordered()
    expect((await own.change(id, { status: 'provisioned' })).status).toBe(200)
    const generation = await generationOf(id)
    await own.change(id, { status: 'suspended' })
    expect((await own.change(id, { status: 'suspended' })).body.status).toBe('suspended')
    expect(await own.events()).toEqual(['desk.ordered', 'desk.suspended'])
    expect(await generationOf(id)).toBe(generation + 1)
  })

  test('DESK-44: each suspension and each resume outdates the checks that are under way', async () => {
    const { workstation_id: id } = await at.ordered()
    const generations = [await generationOf(id)]
    for (const status of ['suspended', 'provisioned', 'suspended']) {
      await at.change(id, { status })
      generations.push(await generationOf(id))
    }
    expect(generations).toEqual([1, 2, 3, 4])
    await at.change(id, { name: 'Renamed' })
    expect(await generationOf(id)).toBe(4)
  })

  test.each([
    'active',
    'unreachable',
    'ready',
    'provisioning',
    'Suspended',
    '',
    1,
    null,
    true,
    ['suspended'],
  ])('ENV-10, ENV-11, ENV-14, ENV-G1, C20: %j is 422 and changes nothing', async (status) => {
    const answer = await at.change(desk.workstation_id, { status, name: 'Not this' })
    expect(answer.status).toBe(422)
    expect(answer.body).toEqual({
      detail: expect.stringContaining('provisioned, active, unreachable, suspended'),
    })
    expect((await at.show(desk.workstation_id)).body).toMatchObject({
      name: 'Shared',
      status: 'provisioning',
    })
  })
})

test.each([
  ['a blank name', { name: ' ' }],
  ['an empty name', { name: '' }],
  ['a name that is null', { name: null }],
  ['a name that is a number', { name: 1 }],
  ['a name of 256 characters', { name: 'x'.repeat(256) }],
  ['a description that is null', { description: null }],
  ['a description of 501 characters', { description: 'x'.repeat(501) }],
  ['a sidecar_url that is null', { sidecar_url: null }],
  ['a list', []],
  ['a word', '"suspended"'],
])('ENV-14, ENV-G5: %s is 422', async (_, change) => {
  expect((await at.change(desk.workstation_id, change)).status).toBe(422)
  expect((await at.show(desk.workstation_id)).body).toMatchObject({ name: 'Shared', description: 'D' })
})

test('ENV-13: a desk of another workspace, a missing one and what is no UUID are the same 404', async () => {
  for (const id of [desk.workstation_id, nowhere, 'x'])
    expect(await other.change(id, { name: 'Mine' })).toEqual(notFound)
  expect((await at.show(desk.workstation_id)).body.name).toBe('Shared')
})

test('AUTH-05, AUTH-13: without a session, or with a token alone, it is 401', async () => {
  const token = await at.world.newToken(at, ['brand:admin', 'brand:read'])
  for (const by of [null, { token }]) {
    expect((await at.call('PATCH', `/environments/${desk.workstation_id}`, { name: 'A' }, by)).status).toBe(
      401,
    )
    expect((await at.call('GET', '/environments/credentials/reauth-status', undefined, by)).status).toBe(401)
  }
})

test('AUTH-06: the brand is that of the session, whatever body, query and header say', async () => {
  const { brand_id } = other
  const named = `?brand_id=${brand_id}`
  const headers = { 'x-brand-id': String(brand_id) }
  const by = { cookie: at.cookie }
  const sent = { name: 'Mine', brand_id }
  const made = await at.world.made<Ordered>(by, 'POST', `/api/v1/workstations${named}`, sent, headers)
  expect((await at.show(made.workstation_id)).status).toBe(200)
  expect((await other.show(made.workstation_id)).status).toBe(404)
  const path = `/api/v1/environments/${made.workstation_id}${named}`
  expect(await at.world.call(by, 'PATCH', path, { ...sent, name: 'Still mine' }, headers)).toMatchObject({
    status: 200,
    body: { brand_id: at.brand_id, name: 'Still mine' },
  })
})

describe('sidecar_url', () => {
  test('ENV-12, ENV-G4: an address of the mesh repoints the desk, and its health starts anew', async () => {
    const own = await DeskWorkspace.open(server)
    const { workstation_id: id } = await own.ordered()
    const generation = await generationOf(id)
    expect((await own.change(id, { sidecar_url: meshUrl })).body).toMatchObject({
      sidecar_url: meshUrl,
      status: 'provisioned',
    })
    expect(await generationOf(id)).toBe(generation + 1)
    await own.change(id, { sidecar_url: meshUrl })
    expect(await generationOf(id)).toBe(generation + 1)
    expect(await own.events()).toEqual(['desk.ordered', 'desk.repointed'])
  })

  test.each([
    'http://127.0.0.1:8787',
    'http://localhost:8787',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:169.254.169.254]/',
    'http://2130706433/',
    'http://10.0.0.1/',
    'http://[fd63:7265:7769::1]/',
    'https://example.com/',
    'http://rebind.example/',
    'http://user:word@[fd63:7265:7768::5]/',
    'http://[fd63:7265:7768::5]/?to=http://127.0.0.1',
    'file://localhost/passwd',
    'javascript:alert(1)',
    '[fd63:7265:7768::5]',
    '',
    `${meshUrl}/${'a'.repeat(500)}`,
  ])('ENV-G4: %j is 422, and nothing of the request is changed', async (sidecar_url) => {
    const { workstation_id: id } = desk
    const answer = await at.change(id, { sidecar_url, name: 'Not this' })
    expect(answer.status).toBe(422)
    expect((await at.change(id, {})).body).toMatchObject({ sidecar_url: null, name: 'Shared' })
  })
})

test('DESK_NETWORKS decides what an address may be', async () => {
  const near = await server.start('api', { DESK_NETWORKS: '127.0.0.0/8' })
  const send = async (sidecar_url: string) => {
    const response = await fetch(`${near.url}/api/v1/environments/${(await at.ordered()).workstation_id}`, {
      method: 'PATCH',
      headers: { cookie: at.cookie, 'content-type': 'application/json' },
      body: JSON.stringify({ sidecar_url }),
    })
    return response.status
  }
  expect([await send('http://127.0.0.1:8787'), await send(meshUrl)]).toEqual([200, 422])
})

test('ENV-40, ENV-41, ENV-G11, C23: checked and dormant are the fleet, suspended desks among the checked', async () => {
  const own = await DeskWorkspace.open(server)
  expect((await own.logins()).body).toEqual({ checked: 0, dormant: 0, expired_count: 0, expired: [] })
  const { workstation_id: id } = await own.ordered()
  await own.ordered()
  await own.change(id, { status: 'suspended' })
  expect(await own.logins()).toEqual({
    status: 200,
    body: { checked: 2, dormant: 0, expired_count: 0, expired: [] },
  })
})

test('ENV-05 to ENV-08, ENV-G4: the timeline of a desk shows who was suspended, resumed and repointed, and nothing for other changes', async () => {
  const { workstation_id: id } = await at.ordered()
  await at.change(id, { sidecar_url: meshUrl })
  await at.change(id, { status: 'suspended' })
  await at.change(id, { status: 'suspended', name: 'Other' })
  await at.change(id, { status: 'provisioned', sidecar_url: 'http://[fd63:7265:7768::6]:8787' })
  await at.change(id, { description: 'Nothing new for a check' })
  const { body } = await at.call<{ events: readonly Record<string, unknown>[] }>(
    'GET',
    `/environments/${id}/health`,
  )
  const none = { cause: null, misses: 0, latency_ms: null, at: expect.any(String) }
  expect(body.events.toReversed()).toEqual([
    { ...none, kind: 'repointed', from_status: 'provisioned', status: 'provisioned' },
    { ...none, kind: 'suspended', from_status: 'provisioned', status: 'suspended' },
    { ...none, kind: 'repointed', from_status: 'suspended', status: 'suspended' },
    { ...none, kind: 'resumed', from_status: 'suspended', status: 'provisioned' },
  ])
})
