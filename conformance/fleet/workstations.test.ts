import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { DeskWorkspace, digestOf, nowhere } from './desk-workspace.ts'

const server = useSharedServer('product')
let at: DeskWorkspace
let other: DeskWorkspace
beforeAll(async () => {
  at = await DeskWorkspace.open(server, 1000)
  other = await DeskWorkspace.open(server)
})

const once = ['pat', 'install_command', 'install_command_sudo', 'pat_expires_at'] as const
const notFound = { status: 404, body: { detail: 'Workstation not found' } }

describe('an order', () => {
  test('DESK-02, DESK-05 to DESK-11, DESK-37: answers 201 with the envelope', async () => {
    const given = { name: ' Build desk ', runtime: 'codex', region: 'eu-west', description: 'Builds' }
    const { status, body, headers } = await at.order(given)
    const id = body.workstation_id
    expect(status).toBe(201)
    expect(body).toEqual({
      workstation_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      name: 'Build desk',
      runtime: 'codex',
      region: 'eu-west',
      description: 'Builds',
      project_id: null,
      status: 'provisioning',
      ready: false,
      dormant: false,
      pat: expect.stringMatching(/^dsk_[A-Za-z0-9_-]{43}$/),
      install_command: expect.any(String),
      install_command_sudo: expect.any(String),
      pat_expires_at: expect.stringMatching(/Z$/),
      poll_url: `/api/v1/workstations/${id}`,
      onboarding_url: `/dashboard/machines/${id}`,
      onboarding_steps: expect.any(Array),
    })
    expect(headers.get('cache-control')).toContain('no-store')
  })

  test('DESK-12 to DESK-15, DESK-G2: the commands hold to the letter', async () => {
    const { pat, install_command, install_command_sudo, workstation_id } = await at.ordered({
      runtime: 'custom',
    })
    const base = 'http://127.0.0.1:8400'
    const line = `curl -sSL '${base}/install/sidecar?pat=${pat}&env_id=${workstation_id}&url=${encodeURIComponent(base)}&runtime=custom' | `
    expect([install_command, install_command_sudo]).toEqual([`${line}bash`, `${line}sudo bash`])
  })

  test('DESK-04, DESK-05: needs a name alone', async () => {
    const { body } = await at.order({ name: 'Desk' })
    expect(body).toMatchObject({ runtime: 'claude_code', region: null, description: null })
  })

  test.each([
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['spaces', { name: '  \t ' }],
    ['invisible characters', { name: '\u200b\u2800\u00a0' }],
    ['a name of 256 characters', { name: 'x'.repeat(256) }],
    ['a name that is a number', { name: 1 }],
    ['a name that is null', { name: null }],
    ['another runtime', { name: 'A', runtime: 'bash' }],
    ['a runtime that is null', { name: 'A', runtime: null }],
    ['a region that is a number', { name: 'A', region: 1 }],
    ['a description that is a list', { name: 'A', description: [] }],
    ['a description of 501 characters', { name: 'A', description: 'x'.repeat(501) }],
    ['a list', []],
  ])('DESK-03, DESK-G1: with %s is 422', async (_, body) => {
    const before = (await other.list()).total
    expect((await other.order(body)).status).toBe(422)
    expect((await other.list()).total).toBe(before)
  })

  test('DESK-G1: equal names, and names of 255 characters, are allowed', async () => {
    const name = '😀'.repeat(255)
    expect([(await at.order({ name })).status, (await at.order({ name })).status]).toEqual([201, 201])
  })

  test('DESK-11 C24: of the token nothing is kept but its digest', async () => {
    const { pat, workstation_id, pat_expires_at } = await at.ordered()
    expect(await at.secrets(workstation_id)).toEqual([digestOf(pat)])
    const inADay = Date.parse(pat_expires_at) - Date.now() - 24 * 3_600_000
    expect(Math.abs(inADay)).toBeLessThan(300_000)
  })

  test('DESK-11: a repeated order with its Idempotency-Key shows the token no second time', async () => {
    const key = { 'idempotency-key': `order-${crypto.randomUUID()}` }
    const send = () =>
      at.world.call({ cookie: at.cookie }, 'POST', '/api/v1/workstations', { name: 'Once' }, key)
    expect((await send()).status).toBe(201)
    const again = await send()
    expect([again.status, again.text.includes('dsk_')]).toEqual([409, false])
    expect((await at.list()).items.filter(({ name }) => name === 'Once')).toHaveLength(1)
  })

  test('is audited and told, without the token', async () => {
    const own = await DeskWorkspace.open(server)
    const { pat } = await own.ordered()
    expect([await own.audited(), await own.events()]).toEqual([['desk.ordered'], ['desk.ordered']])
    const kept = await own.world.sql<{ row: string }>(
      `select t::text as row from platform.audit_entries t where brand_id = $1
       union all select t::text from platform.workspace_events t where brand_id = $1
       union all select t::text from fleet.join_secrets t where brand_id = $1
       union all select t::text from fleet.desks t where brand_id = $1`,
      [own.brand_id],
    )
    expect(kept.length).toBeGreaterThan(3)
    expect(kept.filter(({ row }) => row.includes(pat) || row.includes(pat.slice(4)))).toEqual([])
  })
})

describe('the cap', () => {
  test('DESK-22, DESK-23, DESK-G5, DESK-G6: an order above it is 403 with an object', async () => {
    const own = await DeskWorkspace.open(server, 2)
    await own.ordered()
    await own.ordered()
    expect(await own.order()).toEqual({
      status: 403,
      body: {
        detail: { limit_type: 'workstations', current: 2, upgrade_url: '/dashboard/settings/plan' },
      },
    })
    expect((await own.list()).total).toBe(2)
  })

  test('DESK-25: suspended desks count', async () => {
    const own = await DeskWorkspace.open(server, 1)
    const { workstation_id } = await own.ordered()
    await own.change(workstation_id, { status: 'suspended' })
    expect((await own.order()).status).toBe(403)
  })

  test('DESK-34, DESK-G10: a released desk counts no more', async () => {
    const own = await DeskWorkspace.open(server, 1)
    const { workstation_id } = await own.ordered()
    await own.call('DELETE', `/workstations/${workstation_id}`)
    expect((await own.order()).status).toBe(201)
  })

  test('a plan without desks refuses the first', async () => {
    const own = await DeskWorkspace.open(server, 0)
    expect((await own.order()).body).toMatchObject({ detail: { current: 0 } })
  })
})

describe('a desk', () => {
  test('DESK-26, DESK-27, DESK-36: is read as it was ordered, without the keys of what is shown once', async () => {
    const ordered = await at.ordered({ name: 'Read me', region: 'R', description: 'D' })
    const { status, body, text } = await at.show(ordered.workstation_id)
    expect(status).toBe(200)
    const rest = Object.entries(ordered).filter(([key]) => !(once as readonly string[]).includes(key))
    expect(body).toEqual(Object.fromEntries(rest))
    expect(text).not.toContain('dsk_')
    expect(text).not.toContain('curl')
  })

  test('DESK-28, DESK-30: in YAML it is the same', async () => {
    const { workstation_id } = await at.ordered({ name: 'no' })
    const answer = await at.show(workstation_id, '?format=yaml')
    expect(answer.headers.get('content-type')).toMatch(/yaml/)
    expect(parse(answer.text, { version: '1.1' })).toEqual((await at.show(workstation_id)).body)
  })

  test('DESK-29, DESK-30, DESK-G7, DESK-G18, DESK-G19: in Markdown steps have marks, states and reasons', async () => {
    const { workstation_id } = await at.ordered({ name: '- [x] *done*' })
    const answer = await at.show(workstation_id, '?format=md')
    expect(answer.headers.get('content-type')).toMatch(/markdown/)
    const lines = answer.text.split('\n').filter((line) => line.startsWith('- ['))
    expect(lines).toEqual([
      '- [ ] Run the installer: `pending`, `awaiting_callback`',
      '- [-] Join the network: `blocked`, `blocked_by:run_installer`',
      '- [-] Start the sidecar: `blocked`, `blocked_by:run_installer`',
      '- [-] Ready for work: `blocked`, `blocked_by:run_installer`',
    ])
    expect(answer.text).toContain('**name**: - \\[x\\] \\*done\\*')
    expect(answer.text).not.toContain('dsk_')
  })

  test.each(['json', 'xml', '', 'YAML'])('DESK-G7: format=%s is 422', async (format) => {
    const { workstation_id } = await at.ordered()
    expect((await at.show(workstation_id, `?format=${format}`)).status).toBe(422)
  })

  test('DESK-51 to DESK-56, DESK-58 to DESK-60, VER-08: a new one waits for its installer', async () => {
    const { onboarding_steps } = await at.ordered()
    const blocked = { state: 'blocked', reason: 'blocked_by:run_installer', hint: null, done: false }
    expect(onboarding_steps).toEqual([
      {
        key: 'run_installer',
        title: 'Run the installer',
        state: 'pending',
        reason: 'awaiting_callback',
        hint: expect.stringContaining('install command'),
        done: false,
      },
      { key: 'wg_register', title: 'Join the network', ...blocked },
      { key: 'sidecar_up', title: 'Start the sidecar', ...blocked },
      { key: 'ready', title: 'Ready for work', ...blocked },
    ])
  })

  const calls = [
    ['GET', (id: string) => `/workstations/${id}`],
    ['DELETE', (id: string) => `/workstations/${id}`],
    ['POST', (id: string) => `/workstations/${id}/regenerate-pat`],
  ] as const

  test.each(calls)(
    'DESK-01, DESK-31: %s is the same 404 for no desk and for one of another workspace',
    async (method, path) => {
      const { workstation_id } = await at.ordered()
      expect(await other.call(method, path(nowhere))).toEqual(notFound)
      expect(await other.call(method, path(workstation_id))).toEqual(notFound)
      expect((await at.show(workstation_id)).status).toBe(200)
      expect(await at.secrets(workstation_id)).toHaveLength(1)
    },
  )

  test.each(calls)('DESK-G8: %s is 404 for what is no UUID', async (method, path) => {
    for (const id of ['1', 'x', `${nowhere}0`, '%00'])
      expect(await at.call(method, path(id))).toEqual(notFound)
  })

  const places: readonly (readonly [string, string])[] = [
    ['POST', '/workstations'],
    ['GET', '/workstations'],
    ...calls.map(([method, path]) => [method, path(nowhere)] as const),
  ]
  test.each(places)(
    'AUTH-05, AUTH-13: %s %s without a session, or with a token alone, is 401',
    async (method, path) => {
      const body = method === 'POST' ? { name: 'A' } : undefined
      const token = await at.world.newToken(at, ['brand:admin', 'brand:read'])
      expect((await at.call(method, path, body, null)).status).toBe(401)
      expect((await at.call(method, path, body, { token })).status).toBe(401)
    },
  )
})

describe('the list', () => {
  test('DESK-32, DESK-33, DESK-G9: has the desks of the workspace, newest first, as they are read', async () => {
    const own = await DeskWorkspace.open(server)
    expect(await own.list()).toEqual({ items: [], dormant: [], total: 0, next_cursor: null })
    const [first, second] = [await own.ordered({ name: 'A' }), await own.ordered({ name: 'B' })]
    const read = async (id: string) => (await own.show(id)).body
    expect(await own.list()).toEqual({
      items: [await read(second.workstation_id), await read(first.workstation_id)],
      dormant: [],
      total: 2,
      next_cursor: null,
    })
  })

  test('is read page by page; a cursor of another list is 422', async () => {
    const own = await DeskWorkspace.open(server)
    for (const name of ['A', 'B', 'C']) await own.ordered({ name })
    const first = await own.list('?limit=2')
    expect([first.items.map(({ name }) => name), first.total]).toEqual([['C', 'B'], 3])
    const second = await own.list(`?limit=2&cursor=${first.next_cursor}`)
    expect([second.items.map(({ name }) => name), second.total, second.next_cursor]).toEqual([['A'], 3, null])
    for (const cursor of ['x', String(first.next_cursor)])
      expect((await other.call('GET', `/workstations?cursor=${cursor}`)).status).toBe(422)
    expect((await own.call('GET', '/workstations?limit=101')).status).toBe(422)
  })
})

describe('a release', () => {
  test('DESK-34, DESK-G10: ends the desk and its token, and is told', async () => {
    const own = await DeskWorkspace.open(server)
    const { workstation_id } = await own.ordered()
    expect(await own.call('DELETE', `/workstations/${workstation_id}`)).toEqual({
      status: 200,
      body: { workstation_id, released: true },
    })
    expect([await own.show(workstation_id), await own.change(workstation_id, {})]).toEqual([
      notFound,
      notFound,
    ])
    expect(await own.call('DELETE', `/workstations/${workstation_id}`)).toEqual(notFound)
    expect(await own.secrets(workstation_id)).toEqual([])
    expect((await own.list()).total).toBe(0)
    expect(await own.audited()).toEqual(['desk.ordered', 'desk.released'])
    expect(await own.events()).toEqual(['desk.ordered', 'desk.released'])
  })
})

describe('regenerate-pat', () => {
  test('DESK-35, DESK-G11, C24: shows a new token and both commands once; the old one is gone', async () => {
    const own = await DeskWorkspace.open(server)
    const ordered = await own.ordered({ runtime: 'codex' })
    const id = ordered.workstation_id
    const { status, body } = await own.call('POST', `/workstations/${id}/regenerate-pat`)
    expect(status).toBe(200)
    expect(body).toEqual({
      ...ordered,
      pat: expect.stringMatching(/^dsk_/),
      pat_expires_at: expect.any(String),
      install_command: ordered.install_command.replace(ordered.pat, String(body.pat)),
      install_command_sudo: ordered.install_command_sudo.replace(ordered.pat, String(body.pat)),
    })
    expect(body.pat).not.toBe(ordered.pat)
    expect(await own.secrets(id)).toEqual([digestOf(String(body.pat))])
    expect((await own.show(id)).text).not.toContain('dsk_')
    expect(await own.audited()).toEqual(['desk.ordered', 'desk.token_replaced'])
    expect(await own.events()).toEqual(['desk.ordered', 'desk.token_replaced'])
  })
})
