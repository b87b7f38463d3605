import { randomUUID } from 'node:crypto'
import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Install, MarketWorkspace } from './market-workspace.ts'

const server = useSharedServer('probe')
const agent = 'hired'
let workspace: MarketWorkspace
beforeAll(async () => {
  workspace = await MarketWorkspace.open(server)
  await workspace.newAgent(agent)
})

const asOwner = async <Body>(path: string, body?: unknown): Promise<{ status: number; body: Body }> => {
  const headers = { cookie: workspace.owner.cookie, 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await server.get(`/api/v1/probe/hires/${path}`, { method: 'POST', headers, ...sent })
  return { status: response.status, body: (await response.json()) as Body }
}
const take = (hire_id: string, packages: readonly string[], agent_id = agent) =>
  asOwner(`${hire_id}/references`, { agent_id, packages })
const release = async (hire_id: string, query = '') =>
  (await asOwner<{ disabled: number; retained: number }>(`${hire_id}/release${query}`)).body
const installed = async (key: string) =>
  (await workspace.asAdmin<{ items: Install[] }>('GET', '/installs')).body.items.find(
    ({ package_key }) => package_key === key,
  )
const uninstall = async (key: string) => {
  const found = await installed(key)
  if (found) await workspace.asAdmin('DELETE', `/installs/${found.id}`)
}

describe('a hire', () => {
  test('brings the packages that are missing, and takes along those that came with hires alone', async () => {
    const own = await workspace.install('boards')
    const [one, two] = [randomUUID(), randomUUID()]
    await take(one, ['memory', 'boards'])
    await take(two, ['memory', 'lessons'])
    expect(await installed('memory')).toMatchObject({ origin: 'hire', enabled: true, hire_count: 2 })
    expect(await release(one)).toEqual({ disabled: 0, retained: 2 })
    expect(await release(one)).toEqual({ disabled: 0, retained: 0 })
    expect(await release(two)).toEqual({ disabled: 2, retained: 0 })
    expect(await installed('memory')).toMatchObject({ enabled: false, hire_count: 0 })
    expect((await workspace.read(own)).enabled).toBe(true)
    for (const key of ['boards', 'memory', 'lessons']) await uninstall(key)
  })

  test('that comes later enables what an earlier one left, and not what an admin has disabled', async () => {
    const [one, two, three] = [randomUUID(), randomUUID(), randomUUID()]
    await take(one, ['memory'])
    await release(one)
    await take(two, ['memory'])
    expect(await installed('memory')).toMatchObject({ origin: 'hire', enabled: true })
    await workspace.asAdmin('POST', `/installs/${(await installed('memory'))?.id}/disable`)
    await take(three, ['memory'])
    expect(await installed('memory')).toMatchObject({ origin: 'workspace', enabled: false })
    await release(two)
    await release(three)
    await uninstall('memory')
  })

  test.each([
    ['installs', () => workspace.asAdmin('POST', '/installs', { package_key: 'memory' })],
    [
      'grants',
      async () =>
        workspace.asAdmin('PUT', `/installs/${(await installed('memory'))?.id}/grants`, {
          everyone: true,
          agent_ids: [],
        }),
    ],
    ['enables', async () => workspace.asAdmin('POST', `/installs/${(await installed('memory'))?.id}/enable`)],
  ])('leaves a package that an admin %s meanwhile', async (_, adopt) => {
    const hire = randomUUID()
    await take(hire, ['memory'])
    expect((await adopt()).status).toBeLessThan(300)
    expect(await release(hire)).toEqual({ disabled: 0, retained: 1 })
    expect(await installed('memory')).toMatchObject({ origin: 'workspace', enabled: true })
    await uninstall('memory')
  })

  test('keeps what it needs from being uninstalled, and takes an active agent', async () => {
    const hire = randomUUID()
    await take(hire, ['memory'])
    const { id = '' } = (await installed('memory')) ?? {}
    const refused = await workspace.asAdmin('DELETE', `/installs/${id}`)
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      'The package is used by a hire; disable it instead',
    ])
    expect((await take(randomUUID(), ['memory'], 'nobody')).status).toBe(403)
    expect((await take(randomUUID(), ['nothing'])).status).toBe(404)
    await release(hire)
    await uninstall('memory')
  })
})

const hires = 4
const rounds = roundsFor(200, 0.4)
const packages = ['boards', 'lessons', 'memory']

/** All hires that share packages end together: every package must be off, and turned off once. */
const run = (query: string, isTwin = false) =>
  race<string[]>({
    rounds,
    isTwin,
    clients: hires,
    async setup() {
      for (const key of packages) await uninstall(key)
      const ids = Array.from({ length: hires }, () => randomUUID())
      // Each names them in another order.
      for (const [at, id] of ids.entries())
        await take(id, packages.slice(at % 3).concat(packages.slice(0, at % 3)))
      return ids
    },
    act: (ids, client) => release(ids[client] ?? '', query),
    async verdict(_, outcomes) {
      const ended = outcomes.map((each) => (each.status === 'fulfilled' ? each.value : undefined))
      const disabled = ended.reduce<number>(
        (sum, each) => sum + ((each as { disabled?: number })?.disabled ?? 0),
        0,
      )
      const on = (await Promise.all(packages.map(installed))).filter((each) => each?.enabled)
      if (on.length > 0) return `${on.length} packages stay on without a hire`
      return disabled === packages.length ? undefined : `${disabled} were turned off`
    },
  })

test(`${hires} hires that end together turn off what only they shared, ${rounds} rounds`, async () => {
  expect(await run('')).toEqual({ rounds, wrong: 0, examples: [] })
})

test('the same race finds a twin that counts without a lock', async () => {
  expect((await run('?naive=true', true)).wrong).toBeGreaterThan(0)
})
