import { newEmail } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { ensureDashboard } from '../tools/build/build-dashboard.ts'
import { useBrowser } from './browser.ts'
import { focusFault, tabTo, walk } from './reach.ts'

beforeAll(ensureDashboard)
const server = useServer('product')
const browser = useBrowser()

const said = (page: Page, text: string) =>
  page.locator('[data-live-region]').filter({ hasText: text }).waitFor({ state: 'attached' })

test('from sign-up to a moved card by keyboard alone: the focus is seen at every stop, and what happens is said', async () => {
  const page = await browser.open(`${server.api.url}/dashboard/sign-in`)
  const { keyboard } = page
  await page.getByRole('link', { name: 'Create a workspace' }).waitFor()
  expect(await tabTo(page, 'Create a workspace')).toEqual([])
  await keyboard.press('Enter')
  await page.getByLabel('Workspace').waitFor()
  const fields = {
    ...{ Workspace: 'Fernway', 'Your name': 'Tomas Lind' },
    ...{ 'E-mail': newEmail(), Password: 'correct horse battery' },
  }
  // The first field has the focus already.
  for (const [label, text] of Object.entries(fields)) {
    if (label !== 'Workspace') expect(await tabTo(page, label, 2)).toEqual([])
    expect(await focusFault(page)).toBe(null)
    await keyboard.type(text)
  }
  expect(await tabTo(page, 'Create workspace', 3)).toEqual([])
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Fernway is ready. Now get the first card done.' }).waitFor()

  // Past the sidebar by the first link of the page.
  expect(await tabTo(page, 'Skip to the page', 1)).toEqual([])
  await keyboard.press('Enter')
  expect(await tabTo(page, 'Make a board', 4)).toEqual([])
  await keyboard.press('Enter')
  await page.getByLabel('Name').waitFor()
  expect(await focusFault(page)).toBe(null)
  await keyboard.type('Dispatch API')
  expect(await tabTo(page, 'Make board', 4)).toEqual([])
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: 'No cards yet' }).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  for (const title of ['Return 409 when a stop is delivered', 'Warn before a zone is empty']) {
    await keyboard.press('c')
    await page.getByLabel('Title').waitFor()
    expect(await focusFault(page)).toBe(null)
    await keyboard.type(title)
    await keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.locator('[data-selected] a:focus').waitFor()
    expect(await focusFault(page)).toBe(null)
  }

  await keyboard.press(' ')
  await said(page, 'DSP-2 lifted. To do, 2 of 2. Arrows move it, Space drops it, Escape puts it back.')
  await keyboard.press('ArrowUp')
  await said(page, 'DSP-2: To do, 1 of 2')
  await keyboard.press('Escape')
  await said(page, 'DSP-2 put back in To do')
  for (const key of [' ', 'ArrowRight']) await keyboard.press(key)
  await said(page, 'DSP-2: In progress, 1 of 1')
  await keyboard.press(' ')
  await said(page, 'DSP-2 moved to In progress')
  await page.getByRole('region', { name: 'In progress' }).locator('[data-card="DSP-2"] a:focus').waitFor()
  expect(await focusFault(page)).toBe(null)
  const call = async <Body>(method: string, path: string, data?: unknown) => {
    const answer = await page.request.fetch(`${server.api.url}/api/v1/board${path}`, { method, data })
    expect(answer.ok(), `${path} ${answer.status()}`).toBe(true)
    return (await answer.json()) as Body
  }
  await expect.poll(() => call('GET', '/tasks/DSP-2')).toMatchObject({ status: 'in_progress' })

  // A move that is refused is said too, and the focus stays with the card.
  const { items } = await call<{ items: { id: string }[] }>('GET', '/boards')
  const board = await call<{ columns: { id: string; name: string }[] }>('GET', `/boards/${items[0]?.id}`)
  await call('PATCH', `/boards/${items[0]?.id}`, { wip_limits: 'enforced' })
  await call('PATCH', `/columns/${board.columns[1]?.id}`, { wip_limit: 1 })
  await page.getByText('1 of 1').waitFor()
  await keyboard.press('ArrowLeft')
  await page.locator('[data-card="DSP-1"] a:focus').waitFor()
  for (const key of [' ', 'ArrowRight']) await keyboard.press(key)
  await page.getByRole('region', { name: 'In progress' }).locator('[data-card="DSP-1"] a:focus').waitFor()
  await keyboard.press(' ')
  await said(page, 'DSP-1 was not moved. The column has reached its wip_limit')
  await page.getByRole('region', { name: 'To do' }).locator('[data-card="DSP-1"] a:focus').waitFor()
  expect(await call('GET', '/tasks/DSP-1')).toMatchObject({ status: 'pending' })

  // What others do is said as well.
  await call('POST', '/tasks/DSP-2/comments', { body: 'Looks right' })
  await keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'DSP-1' }).getByLabel('Comment', { exact: true }).waitFor()
  expect(await tabTo(page, 'Comment', 80)).toEqual([])
  await keyboard.type('By keyboard')
  await keyboard.press('Control+Enter')
  await expect
    .poll(() => call('GET', '/tasks/DSP-1/comments'))
    .toMatchObject({ items: [{ body: 'By keyboard' }] })
  await keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.locator('[data-card="DSP-1"] a:focus').waitFor()

  // No page keeps the focus, and each stop of it is seen.
  for (const path of ['boards/DSP', 'cards/DSP-1', 'inbox', 'settings/members', 'settings/features']) {
    await page.goto(`${server.api.url}/dashboard/${path}`)
    await page.getByRole('status').filter({ hasText: 'Live' }).first().waitFor()
    await page.getByRole('heading', { level: 1 }).waitFor()
    const { stops, faults } = await walk(page)
    expect(faults, path).toEqual([])
    expect(stops).toBeGreaterThan(10)
  }
})
