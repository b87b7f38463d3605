import { newEmail } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { beforeAll, expect, test } from 'vitest'
import { ensureDashboard } from '../tools/build/build-dashboard.ts'
import { carryRight } from './board-keys.ts'
import { seriousFaults, useBrowser } from './browser.ts'

beforeAll(ensureDashboard)
const server = useServer('product')
const browser = useBrowser()
const world = new World(server)
const password = 'correct horse battery'

test('a person signs up, makes a board and signs in again, by keyboard and within the policy of the page', async () => {
  const page = await browser.open(`${server.api.url}/dashboard/boards`)
  const email = newEmail()
  // Nobody is signed in, so the page is kept for later.
  await page.waitForURL('**/sign-in?next=*')
  expect(await seriousFaults(page)).toEqual([])

  await page.getByRole('link', { name: 'Create a workspace' }).click()
  await page.getByLabel('Workspace').fill('Fernway')
  await page.getByLabel('Your name').fill('Tomas Lind')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill('short')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')

  await page.getByRole('heading', { name: 'Fernway is ready. Now get the first card done.' }).waitFor()
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Make a board' }).click()
  await page.getByLabel('Name').fill('Dispatch API')
  expect(await page.getByLabel('Key').inputValue()).toBe('DSP')
  expect(await seriousFaults(page)).toEqual([])
  await page.keyboard.press('Enter')
  await page.waitForURL('**/boards/DSP')
  await page.getByRole('heading', { name: 'Dispatch API' }).waitFor()

  // The first steps tick themselves, and are over with a card that has moved.
  const start = page.getByRole('link', { name: /^Start/ })
  await start.getByText('1 of 5').waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'No cards yet' }).waitFor()
  await page.keyboard.press('c')
  await page.getByLabel('Title').fill('Return 409 when a stop is already delivered')
  await page.keyboard.press('Enter')
  await start.getByText('2 of 5').waitFor()
  await page.locator('[data-card="DSP-1"] a:focus').waitFor()
  await carryRight(page, 'DSP-1')
  await start.waitFor({ state: 'detached' })

  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Search cards, pages and commands').fill('sign out')
  expect(await seriousFaults(page)).toEqual([])
  await page.keyboard.press('Enter')
  await page.waitForURL('**/sign-in**')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(`${password}!`)
  await page.keyboard.press('Enter')
  expect(await page.getByRole('alert').textContent()).toContain('Wrong e-mail address or password')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Dispatch API' }).waitFor()
})

test('a change by somebody else shows without a reload, also in a second tab', async () => {
  const page = await browser.open(`${server.api.url}/dashboard/sign-up`, { theme: 'dark' })
  await page.getByLabel('Workspace').fill('Fernway')
  await page.getByLabel('Your name').fill('Tomas Lind')
  await page.getByLabel('E-mail').fill(newEmail())
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
  const second = await page.context().newPage()
  await second.goto(`${server.api.url}/dashboard/boards`)
  await second.getByText('No boards yet').waitFor()
  await second.getByRole('status').filter({ hasText: 'Live' }).waitFor()
  expect(await seriousFaults(second)).toEqual([])

  const asked = await page.request.post(`${server.api.url}/api/v1/board/boards`, {
    data: { name: 'Driver app', key: 'DRV' },
  })
  expect(asked.status()).toBe(201)
  const { id } = (await asked.json()) as { id: string }
  const card = await page.request.post(`${server.api.url}/api/v1/board/boards/${id}/tasks`, {
    data: { title: 'Show why a plan was rejected' },
  })
  const { id: task } = (await card.json()) as { id: string }
  await page.request.post(`${server.api.url}/api/v1/board/tasks/${task}/claim`, { data: {} })
  for (const tab of [page, second]) {
    await tab.getByRole('region', { name: 'Working now' }).getByText('DRV-1').waitFor()
    expect(await seriousFaults(tab)).toEqual([])
  }
})

test('a page whose script is gone since a release reloads once, and is there', async () => {
  const brand_id = await world.newBrand()
  const { person_id } = await world.join(brand_id, 'admin')
  const [name = '', value = ''] = (await world.newCookie(person_id, brand_id)).split('=')
  const page = await browser.open('about:blank')
  await page.context().addCookies([{ name, value, url: server.api.url }])
  await page.goto(`${server.api.url}/dashboard/boards`)
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
  await page.evaluate('window.stayed = true')
  // The names of the last release, which this server has no more.
  const gone = '**/dashboard/assets/*.js'
  await page.route(gone, (route) => route.fulfill({ status: 404, body: 'Not found' }))
  page.on('request', (asked) => {
    if (asked.isNavigationRequest()) void page.unroute(gone)
  })
  await page.getByRole('link', { name: 'Documents' }).click()
  await page.getByRole('heading', { name: 'Documents', exact: true }).waitFor()
  expect(await page.evaluate('window.stayed')).toBe(undefined)
})
