import { readFileSync } from 'node:fs'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { ensureDashboard } from '../tools/build/build-dashboard.ts'
import { seriousFaults, useBrowser } from './browser.ts'

beforeAll(ensureDashboard)
const server = useServer('product')
const browser = useBrowser()
const world = new World(server)

type Opened = NonNullable<Parameters<typeof browser.open>[1]>

/** A page of a member of the workspace, signed in. */
async function openAs(brand_id: number, person_id: number, path: string, how: Opened = {}) {
  const page = await browser.blank(how)
  const [name = '', value = ''] = (await world.newCookie(person_id, brand_id)).split('=')
  await page.context().addCookies([{ name, value, url: server.api.url }])
  await page.goto(`${server.api.url}/dashboard${path}`)
  await page.getByRole('status').filter({ hasText: 'Live' }).first().waitFor()
  return page
}

const calls = (page: Page) => {
  const sent = async (method: string, path: string, data?: unknown) => {
    const answer = await page.request.fetch(`${server.api.url}/api/v1${path}`, { method, data })
    expect(answer.ok(), `${path} ${answer.status()}`).toBe(true)
    return (await answer.json()) as Record<string, string>
  }
  return {
    sent,
    post: (path: string, data: unknown) => sent('POST', path, data),
    get: <Body>(path: string) => sent('GET', path) as unknown as Promise<Body>,
  }
}

async function newTeam() {
  const brand_id = await world.newBrand()
  const [ines, tomas] = [await world.join(brand_id, 'admin'), await world.join(brand_id, 'admin')]
  await world.sql('update identity.people set full_name = $2 where id = $1', [ines.person_id, 'Ines Okafor'])
  await world.sql('update identity.people set full_name = $2 where id = $1', [tomas.person_id, 'Tomas Lind'])
  return { brand_id, ines: ines.person_id, tomas: tomas.person_id }
}

interface Entries {
  readonly items: readonly { readonly kind: string; readonly state: string; readonly ref: string }[]
  readonly unread: number
}

test('a mention is seen in the inbox of a second browser within a second, opened and read', async () => {
  const { brand_id, ines, tomas } = await newTeam()
  const reader = await openAs(brand_id, tomas, '/inbox')
  const writer = await openAs(brand_id, ines, '/boards')
  await reader.getByText('Nothing needs you').waitFor()
  expect(await seriousFaults(reader)).toEqual([])
  const { post } = calls(writer)
  const board = await post('/board/boards', { name: 'Dispatch API', key: 'DSP' })
  const card = await post(`/board/boards/${board.id}/tasks`, { title: 'Split depot permissions' })
  await post(`/board/tasks/${card.id}/comments`, { body: `@member:${tomas}, can dispatch imply read?` })

  const since = performance.now()
  await reader.getByRole('link', { name: /Ines Okafor mentioned you on DSP-1/ }).waitFor()
  expect(performance.now() - since).toBeLessThan(1000)
  await reader.getByRole('navigation', { name: 'Main' }).getByText('1 unread').waitFor()
  await expect.poll(() => reader.title()).toBe('(1) Inbox · Crewhall')
  const { get, post: mark } = calls(reader)
  // Standing beside the list is not being read.
  expect(await get<Entries>('/me/inbox')).toMatchObject({ unread: 1, items: [{ kind: 'mentioned' }] })
  await reader.keyboard.press('j')
  await reader.getByText('can dispatch imply read?').waitFor()
  await expect.poll(() => reader.title()).toBe('Inbox · Crewhall')
  expect(await get<Entries>('/me/inbox')).toMatchObject({ unread: 0, items: [{ state: 'read' }] })
  expect(await seriousFaults(reader)).toEqual([])

  await reader.getByLabel('Comment', { exact: true }).fill('It does')
  await reader.keyboard.press('Control+Enter')
  await reader.getByText('It does').waitFor()
  await reader.getByRole('heading', { name: 'Inbox', exact: true }).click()
  await reader.keyboard.press('e')
  await reader.getByText('Nothing needs you').waitFor()
  // The page does not wait for the server.
  await expect.poll(() => get<Entries>('/me/inbox?state=done')).toMatchObject({ items: [{ ref: 'DSP-1' }] })
  await mark('/me/inbox:mark', {
    entries: (await get<Entries>('/me/inbox?state=done')).items,
    state: 'unread',
  })
})

test('a question is answered in place, and the card goes on', async () => {
  const { brand_id, ines, tomas } = await newTeam()
  const page = await openAs(brand_id, tomas, '/inbox', { width: 390, height: 844, theme: 'dark' })
  const { post: ask, sent } = calls(await openAs(brand_id, ines, '/boards'))
  const { get } = calls(page)
  const board = await ask('/board/boards', {
    name: 'Dispatch API',
    key: 'DSP',
    columns: [
      { name: 'To do', status: 'pending' },
      { name: 'Blocked', status: 'blocked' },
    ],
  })
  const card = await ask(`/board/boards/${board.id}/tasks`, {
    title: 'Import Q3 surcharge tables',
    assignee: { kind: 'member', id: String(tomas) },
    agent_context: { options: [{ label: 'They are gross', note: 'Divide by 1.19' }, 'They are net'] },
  })
  await sent('PATCH', `/board/tasks/${card.id}`, { blocked_reason: 'Net or gross?' })
  await ask(`/board/tasks/${card.id}/move`, { column: 'Blocked' })
  await page.getByRole('link', { name: /Net or gross/ }).click()
  await page.getByRole('heading', { name: 'Net or gross?' }).waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('button', { name: /They are gross/ }).click()
  await page.keyboard.press('Control+Enter')
  await page.getByText('DSP-1 is answered').waitFor()
  await expect
    .poll(async () => (await get<{ status: string }>(`/board/tasks/${card.id}`)).status)
    .toBe('pending')
  const { items } = await get<{ items: { body: string }[] }>(`/board/tasks/${card.id}/comments`)
  expect(items.map(({ body }) => body)).toEqual(['They are gross'])
})

test('cards of all boards are searched by facet and kept as a view', async () => {
  const { brand_id, tomas } = await newTeam()
  const page = await openAs(brand_id, tomas, '/all')
  await page.getByText('No cards yet').waitFor()
  const { post, get } = calls(page)
  const boards = [
    await post('/board/boards', { name: 'Dispatch API', key: 'DSP' }),
    await post('/board/boards', { name: 'Driver app', key: 'DRV' }),
  ]
  for (const board of boards)
    for (const label of ['bug', 'idea'])
      await post(`/board/boards/${board.id}/tasks`, { title: `Price tolls as ${label}`, labels: [label] })
  // Seen live, then opened beside the list.
  await page.getByRole('row', { name: /DRV-2/ }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'DRV-2' }).waitFor()
  await page.goBack()

  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Search cards, pages and commands').fill('tolls')
  await page.getByText('Search all cards for “tolls”').click()
  await page.getByText('4 cards found').waitFor()
  await page.getByLabel('Narrow the search').getByRole('checkbox', { name: /bug/ }).check()
  await page.getByText('2 cards found').waitFor()
  await page
    .getByLabel('Narrow the search')
    .getByRole('checkbox', { name: /Driver app/ })
    .check()
  await page.getByText('1 card found').waitFor()
  expect(new URL(page.url()).searchParams.get('label')).toBe('bug')
  expect(await seriousFaults(page)).toEqual([])

  await page.goto(`${server.api.url}/dashboard/all?label=bug`)
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: 'Save as a new view…' }).click()
  await page.getByLabel('Name').fill('Our bugs')
  await page.getByRole('switch', { name: 'Share with all members' }).click()
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Save view' }).click()
  await page.getByRole('button', { name: 'Our bugs' }).waitFor()
  const saved = await get<{ items: unknown[] }>('/board/views')
  expect(saved.items).toMatchObject([{ name: 'Our bugs', shared: true, filters: { label: 'bug' } }])
  await page.getByRole('button', { name: 'Our bugs' }).click()
  await page.getByRole('menuitem', { name: 'Open with this view' }).click()
  await page.goto(`${server.api.url}/dashboard/all`)
  await page.waitForURL('**/all?label=bug*')
  await page.getByRole('button', { name: 'Our bugs' }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await page.getByRole('button', { name: 'Delete view' }).click()
  await page.getByRole('button', { name: 'Views' }).waitFor()
  expect(await get('/board/views')).toMatchObject({ items: [] })
  expect(await seriousFaults(page)).toEqual([])
})

test('a board is exported, and as a summary where it is too large', async () => {
  const { brand_id, tomas } = await newTeam()
  const page = await openAs(brand_id, tomas, '/boards')
  const { post } = calls(page)
  const board = await post('/board/boards', { name: 'Dispatch API', key: 'DSP' })
  const path = `/board/boards/${board.id}`
  await post(`${path}/tasks`, { title: 'Price tolls' })
  const long = { title: 'Long', description: '\u{1F600}'.repeat(4000) }
  await page.goto(`${server.api.url}/dashboard/boards/DSP`)
  const exported = async (button: string) => {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: button }).click(),
    ])
    return readFileSync(await file.path(), 'utf8')
  }
  const open = async () => {
    await page.getByRole('button', { name: 'More of this board' }).click()
    await page.getByRole('menuitem', { name: 'Export…' }).click()
  }
  await open()
  await page.getByRole('radio', { name: /CSV/ }).check()
  expect(await seriousFaults(page)).toEqual([])
  const csv = await page.request.get(`${server.api.url}/api/v1${path}/export?format=csv`)
  expect(await exported('Download')).toBe(await csv.text())
  for (let at = 0; at < 70; at += 1) await post(`${path}/tasks`, long)
  await open()
  await page.getByRole('button', { name: 'Download' }).click()
  await page.getByText(/The export is 1\.\d+ MiB, the limit 1 MiB/).waitFor()
  expect(await seriousFaults(page)).toEqual([])
  expect(await exported('Download summary')).toContain('Price tolls')
})
