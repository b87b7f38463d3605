import { newEmail } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { type Received, startReceiver } from '../conformance/webhooks/receiver.ts'
import { ensureDashboard } from '../tools/build/build-dashboard.ts'
import { seriousFaults, useBrowser } from './browser.ts'

beforeAll(ensureDashboard)
// Receivers of the tests live on the machine itself.
const server = useServer('product', { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' })
beforeAll(() => server.start('worker'))
const browser = useBrowser()
const world = new World(server)
const password = 'correct horse battery'
const limitMs = 30_000

/** A page of a new admin in a new workspace, and what the API tells them. */
async function openWorkspace(how: Parameters<typeof browser.open>[1] = {}) {
  const page = await browser.blank(how)
  const ask = async <T = Record<string, unknown>>(method: string, path: string, data?: unknown) => {
    const answer = await page.request.fetch(`${server.api.url}/api/v1${path}`, { method, data })
    expect(answer.ok(), `${method} ${path} ${answer.status()} ${await answer.text()}`).toBe(true)
    return (await answer.json()) as T
  }
  const email = newEmail()
  const me = await ask<{ brand_id: number; person: { id: number } }>('POST', '/auth/sign-up', {
    email,
    password,
    full_name: 'Tomas Lind',
    brand_name: 'Fernway',
  })
  const show = (path: string) => page.goto(`${server.api.url}/dashboard${path}`)
  return { page, ask, show, email, brand_id: me.brand_id, person_id: me.person.id }
}

/** Everything that the page could tell or keep. */
const keptBy = (page: Page) =>
  page.evaluate<string>(`JSON.stringify([
    document.documentElement.outerHTML,
    { ...localStorage },
    { ...sessionStorage },
    history.state,
    [...document.querySelectorAll('input')].map(({ value }) => value),
  ])`)

interface Told {
  readonly tokens: readonly {
    readonly id: string
    readonly name: string
    readonly scopes: string[]
    readonly agent_id: string | null
    readonly last_four: string
  }[]
}

test('a token is made for an agent, rotated and revoked, and its secret is shown once', async () => {
  const { page, ask, show, brand_id } = await openWorkspace()
  const tokens = async () => (await ask<Told>('GET', `/brands/${brand_id}/tokens`)).tokens
  const works = async (secret: string) =>
    (await fetch(`${server.api.url}/api/v1/me`, { headers: { authorization: `Bearer ${secret}` } })).status
  const secretOf = async () => {
    const secret = (await page.locator('[data-secret]').textContent()) ?? ''
    expect(await works(secret)).toBe(200)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    expect(await keptBy(page)).not.toContain(secret)
    return secret
  }
  await ask('POST', '/agents', { agent_id: 'marlow', name: 'Marlow' })
  await show('/settings/tokens')
  await page.getByText('No tokens yet').waitFor()
  expect(await seriousFaults(page)).toEqual([])

  await page.getByRole('button', { name: 'Make a token' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Build server')
  await page.getByLabel('Used by').selectOption('agent')
  await page.getByLabel('Agent id').fill('marlow')
  // Outside of what the workspace allows: the server says so, and what was typed stays.
  await page.getByRole('checkbox', { name: 'brand:admin' }).check()
  await page.getByRole('button', { name: 'Make token' }).click()
  await page.getByRole('alert').getByText('The workspace policy does not allow scope brand:admin').waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('checkbox', { name: 'brand:admin' }).uncheck()
  await page.getByRole('checkbox', { name: 'memory:read' }).check()
  await page.getByRole('button', { name: 'Make token' }).click()
  await page.locator('[data-secret]').waitFor()
  expect(await seriousFaults(page)).toEqual([])
  const first = await secretOf()
  const row = page
    .getByRole('region', { name: 'Agents and services' })
    .getByRole('row', { name: /Build server/ })
  await row.getByText('Marlow for Tomas Lind').waitFor()
  const [made] = await tokens()
  expect(made).toMatchObject({
    name: 'Build server',
    agent_id: 'marlow',
    scopes: ['brand:read', 'memory:read'],
  })
  expect(first.endsWith(made?.last_four ?? 'none')).toBe(true)

  const choose = async (item: string) => {
    await page.getByRole('button', { name: 'Actions for Build server' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await choose('Rotate the secret')
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Rotate', exact: true }).click()
  const second = await secretOf()
  expect(await works(first)).toBe(401)
  await page.reload()
  await row.waitFor()
  const kept = await keptBy(page)
  expect([kept.includes(first), kept.includes(second)]).toEqual([false, false])

  await choose('Revoke')
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('No tokens yet').waitFor()
  expect(await tokens()).toEqual([])
  expect(await works(second)).toBe(401)
})

interface Hook {
  readonly id: string
  readonly enabled: boolean
  readonly events: string[]
  readonly description: string
  readonly old_secret_until: string | null
}

test('a webhook is made, tested, redelivered, paused, edited, rotated and deleted, and a real receiver hears it', async () => {
  const receiver = await startReceiver()
  try {
    const { page, ask, show } = await openWorkspace()
    const hooks = async () => (await ask<{ items: Hook[] }>('GET', '/webhooks')).items
    const arrived = (count: number) =>
      waitFor(() => receiver.received.length >= count && (receiver.received as Received[]), limitMs)
    await show('/settings/webhooks')
    await page.getByText('No webhooks yet').waitFor()
    expect(await seriousFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Make a webhook' }).click()
    await page.getByLabel('Address').fill('http://10.0.0.1/hook')
    await page.getByRole('button', { name: 'Make webhook' }).click()
    await page.getByText('must be an https address on the public Internet').waitFor()
    expect(await seriousFaults(page)).toEqual([])
    await page.getByLabel('Address').fill(receiver.url)
    await page.getByRole('button', { name: 'Make webhook' }).click()
    const secret = (await page.locator('[data-secret]').textContent()) ?? ''
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByText('Nothing sent yet').waitFor()
    expect(await keptBy(page)).not.toContain(secret)
    const [hook] = await hooks()
    expect(hook).toMatchObject({ enabled: true, events: ['task.*'] })
    expect(page.url()).toContain(`/settings/webhooks/${hook?.id}`)

    receiver.answer = () => ({ status: 503 })
    await page.getByRole('button', { name: 'Send a test' }).click()
    const detail = page.getByRole('complementary', { name: 'Delivery webhook.test' })
    await detail.getByText('The receiver returned a status other than 2xx.').waitFor()
    await detail.getByText('Waiting').waitFor()
    await page.getByText(/^Failing since/).waitFor()
    expect(await seriousFaults(page)).toEqual([])
    const [first] = await arrived(1)
    receiver.answer = () => ({ status: 204 })
    await detail.getByRole('button', { name: 'Send now' }).click()
    await detail.getByText('Delivered', { exact: true }).waitFor()
    const [, second] = await arrived(2)
    expect([second?.id, second?.body]).toEqual([first?.id, first?.body])
    await detail.getByRole('button', { name: 'Send again' }).click()
    expect((await arrived(3))[2]?.id).toBe(first?.id)
    await detail.getByText('3', { exact: true }).waitFor()
    // With the list of its attempts, of which some failed.
    expect(await detail.getByRole('listitem').count()).toBe(3)
    expect(await seriousFaults(page)).toEqual([])
    await page.getByText('Delivering').waitFor()

    await page.getByRole('navigation', { name: 'State' }).getByRole('link', { name: 'Failed' }).click()
    await page.getByText('No delivery has failed').waitFor()
    await page.getByRole('link', { name: 'Show all' }).click()
    const more = async (item: string) => {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await more('Pause')
    await page.getByText('Nothing is sent while it is paused').waitFor()
    expect((await hooks())[0]?.enabled).toBe(false)
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('The webhook is disabled').waitFor()
    await more('Resume')
    await page.getByText('Delivering').waitFor()
    await more('Edit')
    await page.getByLabel('Description').fill('Deploys')
    await page.getByRole('checkbox', { name: 'run.*' }).check()
    expect(await seriousFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('task.*, run.*').waitFor()
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
    const next = (await page.locator('[data-secret]').textContent()) ?? ''
    expect(next).not.toBe(secret)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByText(/signed with the previous secret as well/).waitFor()
    expect(await keptBy(page)).not.toContain(next)
    expect(await hooks()).toMatchObject([
      { description: 'Deploys', events: ['task.*', 'run.*'], old_secret_until: expect.any(String) },
    ])
    await more('Delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No webhooks yet').waitFor()
    expect(await hooks()).toEqual([])
  } finally {
    await receiver.close()
  }
})

test('the audit log is filtered in the address and read a page at a time', async () => {
  const { page, ask, show, brand_id, person_id } = await openWorkspace()
  for (let change = 0; change < 51; change += 1)
    await ask('PUT', `/brands/${brand_id}/features/feed`, { on: change % 2 === 0 })
  await ask('POST', '/agents', { agent_id: 'marlow', name: 'Marlow' })
  const read = async (since = '') =>
    ask<{ items: unknown[]; next_cursor: string }>('GET', `/brands/${brand_id}/audit?limit=50${since}`)
  const { items, next_cursor } = await read()
  const total = items.length + (await read(`&since=${next_cursor}`)).items.length
  await show('/settings/audit')
  const rows = page.locator('tbody tr')
  const rowsAre = (count: number) => waitFor(async () => (await rows.count()) === count, limitMs)
  await rows.first().getByText('agent.created').waitFor()
  expect(await rows.count()).toBe(50)
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('link', { name: 'Older' }).click()
  await page.waitForURL(({ searchParams }) => searchParams.has('cursor'))
  await page.getByRole('link', { name: 'Newest' }).waitFor()
  await rowsAre(total - 50)
  await page.goBack()
  await page.getByText('agent.created').waitFor()
  await page.getByLabel('Action').fill('agent.created')
  await page.keyboard.press('Enter')
  await page.waitForURL(({ searchParams }) => searchParams.get('action') === 'agent.created')
  await rowsAre(1)
  await page.getByLabel('Who').selectOption(String(person_id))
  await page.waitForURL(({ searchParams }) => searchParams.has('actor') && searchParams.has('action'))
  await rowsAre(1)
  await page.getByLabel('Action').fill('Nothing')
  await page.keyboard.press('Enter')
  await page.getByText(/must be an action such as feature.changed/).waitFor()
  await page.getByLabel('Action').fill('brand.never')
  await page.keyboard.press('Enter')
  await page.getByText('No entry fits the filters').waitFor()
  expect(await seriousFaults(page)).toEqual([])
})

interface Profile {
  readonly effort: string
  readonly limits: { readonly max_turns: number }
  readonly sources: { readonly effort: string; readonly limit_value: string }
}

test('a coder profile is changed, refused, reset and previewed, and a coder switched off', async () => {
  const { page, ask, show } = await openWorkspace()
  const profile = () => ask<Profile>('GET', '/factory/coder-profiles/claude.hard')
  const most = (await profile()).limits.max_turns
  await show('/profiles')
  await page.getByRole('link', { name: /^claude\.hard/ }).click()
  await page.getByRole('heading', { name: /^claude\.hard/, level: 2 }).waitFor()
  await page.getByText('Nobody has changed it.').waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await page.getByLabel('Effort').selectOption('low')
  await page.getByRole('region', { name: 'History' }).getByText('Tomas Lind set effort').waitFor()
  expect(await profile()).toMatchObject({ effort: 'low', sources: { effort: 'brand' } })
  await page.getByLabel('Turn guard').fill(String(most + 1))
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText(`is above the platform limit of ${most}`).waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await page.getByLabel('Turn guard').fill('7')
  await page.keyboard.press('Enter')
  const preview = page.getByRole('region', { name: 'Build preview' })
  await preview.getByText('7 turns').waitFor()
  expect((await profile()).limits.max_turns).toBe(7)
  await page.getByRole('button', { name: 'Reset Effort' }).click()
  await page.getByRole('button', { name: 'Reset Effort' }).waitFor({ state: 'detached' })
  expect(await profile()).toMatchObject({ sources: { effort: 'platform', limit_value: 'brand' } })
  await preview.getByLabel('Coder of the desk').selectOption('codex')
  await preview.getByText('The desk runs another coder').waitFor()

  await page.getByRole('switch', { name: 'pi may be used' }).click()
  await page.getByRole('button', { name: 'Switch off' }).click()
  await page.getByText('Switched off. Its settings are kept.').waitFor()
  expect(await ask('GET', '/factory/coders')).toContainEqual({ coder: 'pi', available: false })
  await show('/settings/usage')
  await page.getByText('Nothing used yet').waitFor()
  expect(await seriousFaults(page)).toEqual([])
})

const translator = {
  name: 'Translator',
  title: 'Technical translator',
  summary: 'Keeps translations in step with the original.',
  description: 'Translates what is new, in the words of the glossary.',
  good_at: ['translation'],
  is_builder: false,
  template: null,
}

test('platform pages are for staff, and change plans and workspaces', async () => {
  const { page, ask, show, brand_id, person_id } = await openWorkspace()
  await show('/settings/platform/workspaces')
  await page.getByText('Only platform admins see the workspaces').waitFor()
  expect(await page.getByRole('link', { name: 'Plans' }).count()).toBe(0)
  expect(await seriousFaults(page)).toEqual([])
  await server.sql('update identity.people set is_staff = true where id = $1', [person_id])
  await page.reload()
  const row = page.locator('tbody tr').filter({ has: page.getByText(String(brand_id), { exact: true }) })
  await row.getByRole('button').click()
  await page.getByLabel('Plan').selectOption('business')
  await page.getByRole('checkbox', { name: 'brand:admin' }).check()
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Fernway is changed').waitFor()
  const { brands } = await ask<{ brands: { id: number }[] }>('GET', '/admin/brands?limit=100')
  expect(brands.find(({ id }) => id === brand_id)).toMatchObject({
    plan_key: 'business',
    scope_ceiling: expect.arrayContaining(['brand:admin']),
  })
  await page.getByRole('link', { name: 'Plans' }).click()
  await page.getByRole('button', { name: 'Free' }).click()
  await page.getByLabel('Desks').fill('3')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Free is changed').waitFor()
  const { plans } = await ask<{ plans: unknown[] }>('GET', '/admin/plans')
  expect(plans).toContainEqual(expect.objectContaining({ key: 'free', desk_cap: 3 }))
  await page.getByRole('link', { name: 'Installation audit' }).click()
  await page.getByText('plan.changed').first().waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('link', { name: 'Catalog' }).click()
  await page.getByRole('button', { name: 'New employee' }).click()
  await page.getByLabel('Key').fill('translator')
  await page.getByLabel('Content, as JSON').fill(JSON.stringify(translator))
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Save the draft' }).click()
  await page.getByRole('button', { name: 'Actions for Translator' }).click()
  await page.getByRole('menuitem', { name: 'Publish' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  const catalog = await ask<{ items: unknown[] }>('GET', '/admin/employees?status=published')
  expect(catalog.items).toContainEqual(expect.objectContaining({ key: 'translator', status: 'published' }))
  await page.getByRole('link', { name: 'Platform admins' }).click()
  await page.getByLabel('Number of the person').fill(String(person_id))
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  // The refusal of the server, when it is the last one.
  await page.getByText('The last platform admin cannot be removed').waitFor()
  expect(await seriousFaults(page)).toEqual([])
})

test('a phone in the dark has them all, and a member sees that webhooks and audit are for admins', async () => {
  const { page, ask, show, brand_id } = await openWorkspace({ width: 390, height: 844, theme: 'dark' })
  await ask('POST', `/brands/${brand_id}/tokens`, { name: 'Build server', scopes: ['brand:read'] })
  await ask('POST', '/webhooks', { url: 'http://127.0.0.1:9/hook', events: ['*'] })
  const seen = async (path: string, text: string | RegExp) => {
    await show(path)
    await page.getByText(text).filter({ visible: true }).first().waitFor()
    expect([path, await seriousFaults(page)]).toEqual([path, []])
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
    expect([path, wide]).toEqual([path, 390])
  }
  await seen('/settings/tokens', 'Build server')
  await seen('/settings/webhooks', /9\/hook/)
  await seen('/settings/audit', 'token.issued')
  await seen('/profiles', 'Claude')
  await seen('/profiles/claude.hard', 'Turn guard')
  await seen('/settings/usage', 'Calls today')
  await seen('/settings/plan', 'Included')
  const member = await world.join(brand_id, 'member')
  const [name = '', value = ''] = (await world.newCookie(member.person_id, brand_id)).split('=')
  await page.context().clearCookies()
  await page.context().addCookies([{ name, value, url: server.api.url }])
  await seen('/settings/webhooks', /Only admins see the webhooks/)
  await seen('/settings/audit', /Only admins see the audit log/)
})
