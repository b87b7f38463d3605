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
const names = ['Fernway', 'Harbour'] as const
type Name = (typeof names)[number]

/** A person in two workspaces that look alike: the same board, with a card of the same reference. */
async function newPerson() {
  const brands = { Fernway: await world.newBrand(), Harbour: await world.newBrand() }
  const person_id = await world.newPerson()
  const tokens = { Fernway: '', Harbour: '' }
  const call = <Body>(name: Name, method: string, path: string, body?: unknown) =>
    world.made<Body>({ token: tokens[name] }, method, `/api/v1/board${path}`, body)
  for (const name of names) {
    await world.sql('update identity.brands set name = $2 where id = $1', [brands[name], name])
    await world.join(brands[name], 'admin', person_id)
    const member = { brand_id: brands[name], person_id }
    tokens[name] = await world.newToken(member)
    const board = await call<{ id: string }>(name, 'POST', '/boards', { name: `${name} board`, key: 'DSP' })
    await call(name, 'POST', `/boards/${board.id}/tasks`, { title: `Plan of ${name}` })
  }
  const cookie = await world.newCookie(person_id, brands.Fernway)
  const boards = async (name: Name) =>
    (await call<{ items: { name: string }[] }>(name, 'GET', '/boards')).items.map((each) => each.name)
  const titles = async (name: Name) =>
    (await call<{ items: { title: string }[] }>(name, 'GET', '/tasks:search')).items.map((each) => each.title)
  const switchTo = (name: Name) =>
    world.made({ cookie }, 'PUT', '/api/v1/me/brand', { brand_id: brands[name] })
  return { cookie, boards, titles, switchTo }
}

async function openWith(cookie: string, path: string): Promise<Page> {
  const page = await browser.open(`${server.api.url}/dashboard/sign-in`)
  const [name = '', value = ''] = cookie.split('=')
  await page.context().addCookies([{ name, value, url: server.api.url }])
  await page.goto(`${server.api.url}/dashboard${path}`)
  await page.getByRole('status').filter({ hasText: 'Live' }).first().waitFor()
  return page
}

const workspace = (page: Page, name: Name) => page.getByRole('button', { name: `${name} Switch workspace` })

/** Every text of the page names one workspace and not the other. */
async function showsOnly(page: Page, name: Name): Promise<void> {
  await workspace(page, name).waitFor()
  const other = names.find((each) => each !== name) ?? ''
  const text = await page.locator('body').textContent()
  expect(text).toContain(name)
  expect(text).not.toContain(other)
}

test('two tabs never mix two workspaces: a switch in one is a switch in both, and what is open belongs to it', async () => {
  const { cookie, boards, titles } = await newPerson()
  const one = await openWith(cookie, '/boards/DSP')
  await one.locator('[data-card="DSP-1"]').getByText('Plan of Fernway').waitFor()
  await one.keyboard.press('c')
  await one.getByLabel('Title').fill('Half a title for Fernway')
  const two = await one.context().newPage()
  await two.goto(`${server.api.url}/dashboard/boards`)
  await two.getByRole('main').getByText('Fernway board').waitFor()
  const seen: string[] = []
  // Whatever the first tab shows at any moment names one workspace alone.
  await one.exposeFunction('saw', (text: string) => seen.push(text))
  await one.evaluate(`new MutationObserver(() => {
    const text = document.body.textContent
    if (text.includes('Fernway') && text.includes('Harbour')) window.saw(text)
  }).observe(document.body, { subtree: true, childList: true, characterData: true })`)

  await workspace(two, 'Fernway').click()
  await two.getByRole('menuitem', { name: /^Harbour/ }).click()
  await workspace(two, 'Harbour').waitFor()
  await one.locator('[data-card="DSP-1"]').getByText('Plan of Harbour').waitFor()
  await showsOnly(one, 'Harbour')
  await showsOnly(two, 'Harbour')
  expect(seen).toEqual([])
  expect(await seriousFaults(one)).toEqual([])

  // What was typed for one workspace is not offered in the other.
  await one.keyboard.press('c')
  expect(await one.getByLabel('Title').inputValue()).toBe('')
  await one.getByLabel('Title').fill('Made in Harbour')
  await one.keyboard.press('Enter')
  await one.locator('[data-card="DSP-2"]').waitFor()
  expect(await titles('Harbour')).toEqual(expect.arrayContaining(['Plan of Harbour', 'Made in Harbour']))
  expect(await titles('Fernway')).toEqual(['Plan of Fernway'])

  // And back: it is still there.
  await workspace(one, 'Harbour').click()
  await one.getByRole('menuitem', { name: /^Fernway/ }).click()
  await workspace(two, 'Fernway').waitFor()
  await one
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: /Fernway board/ })
    .click()
  await one.locator('[data-card="DSP-1"]').getByText('Plan of Fernway').waitFor()
  await one.keyboard.press('c')
  expect(await one.getByLabel('Title').inputValue()).toBe('Half a title for Fernway')
  expect(await boards('Fernway')).toEqual(['Fernway board'])
})

test('a tab that has not heard of the switch writes nothing into the other workspace, and shows that one then', async () => {
  const { cookie, boards, switchTo } = await newPerson()
  // Another browser with the same session hears nothing of what tabs tell each other, as one that has slept.
  const page = await openWith(cookie, '/boards')
  await page.getByRole('button', { name: 'New board' }).first().click()
  await page.getByLabel('Name').fill('Plans of Fernway')
  await switchTo('Harbour')
  await page.keyboard.press('Enter')
  await page.getByText('Another workspace was chosen in another tab').first().waitFor()
  await page.getByRole('main').getByText('Harbour board').waitFor()
  await showsOnly(page, 'Harbour')
  expect([await boards('Fernway'), await boards('Harbour')]).toEqual([['Fernway board'], ['Harbour board']])

  // The switch comes while the request is under way.
  await page.getByRole('button', { name: 'New board' }).first().click()
  await page.getByLabel('Name').fill('Plans of Harbour')
  let isHeld = false
  await page.route('**/api/v1/board/boards', async (route) => {
    if (route.request().method() === 'POST' && !isHeld) {
      isHeld = true
      await switchTo('Fernway')
    }
    await route.continue()
  })
  await page.keyboard.press('Enter')
  await page.getByRole('main').getByText('Fernway board').waitFor()
  expect(isHeld).toBe(true)
  expect([await boards('Fernway'), await boards('Harbour')]).toEqual([['Fernway board'], ['Harbour board']])

  // The naive twin, a page that does not say what it shows, would have written there.
  await switchTo('Harbour')
  await world.made({ cookie }, 'POST', '/api/v1/board/boards', { name: 'Plans of Fernway', key: 'PLN' })
  expect(await boards('Harbour')).toContain('Plans of Fernway')
})
