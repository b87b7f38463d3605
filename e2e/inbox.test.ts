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
  const page = await browser.open(`${server.api.url}/dashboard/sign-in`, how)
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
  await reader.waitForFunction("document.title.startsWith('(1) Inbox')")
  const { get, post: mark } = calls(reader)
  // Standing beside the list is not being read.
  expect(await get<Entries>('/me/inbox')).toMatchObject({ unread: 1, items: [{ kind: 'mentioned' }] })
  await reader.keyboard.press('j')
  await reader.getByText('can dispatch imply read?').waitFor()
  await reader.waitForFunction("document.title.startsWith('Inbox')")
  expect(await get<Entries>('/me/inbox')).toMatchObject({ unread: 0, items: [{ state: 'read' }] })
  expect(await seriousFaults(reader)).toEqual([])

  await reader.getByLabel('Comment', { exact: true }).fill('It does')
  await reader.keyboard.press('Control+Enter')
  await reader.getByText('It does').waitFor()
  await reader.getByRole('heading', { name: 'Inbox', exact: true }).click()
  await reader.keyboard.press('e')
  await reader.getByText('Nothing needs you').waitFor()
  expect(await get<Entries>('/me/inbox?state=done')).toMatchObject({ items: [{ ref: 'DSP-1' }] })
  await mark('/me/inbox:mark', {
    entries: (await get<Entries>('/me/inbox?state=done')).items,
    state: 'unread',
  })
}, 60_000)

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
}, 60_000)
