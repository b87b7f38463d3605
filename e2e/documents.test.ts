import { newEmail } from '@crewhall/testkit/people.ts'
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
const docs = '/api/v1/docs/spaces'

interface Made {
  readonly id: string
  readonly version: number
  readonly title: string
  readonly body: string
}

/** A page of a new person, signed in, and the API as that person has it. */
async function openDocs({ width = 1440, height = 900, theme = 'light' as 'light' | 'dark' } = {}) {
  const page = await browser.blank({ width, height, theme })
  const call = async <Body = Made>(method: string, path: string, data?: unknown): Promise<Body> => {
    const answer = await page.request.fetch(`${server.api.url}${path}`, { method, data })
    expect(answer.ok(), `${method} ${path} ${answer.status()} ${await answer.text()}`).toBe(true)
    return (await answer.json()) as Body
  }
  const person = { email: newEmail(), password: 'correct horse battery', full_name: 'Priya Raman' }
  await call('POST', '/api/v1/auth/sign-up', { ...person, brand_name: 'Fernway' })
  const show = (path: string) => page.goto(`${server.api.url}/dashboard${path}`)
  return { page, call, show }
}

const text = (page: Page) => page.getByLabel('Text in Markdown')
const preview = (page: Page) => page.locator('[data-preview]')

test('a space and a page are written, read, compared with what somebody else saved meanwhile, and deleted', async () => {
  const { page, call, show } = await openDocs()
  await show('/docs')
  await page.getByText('No documents yet').waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Make a space' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Handbook')
  await page.keyboard.press('Enter')
  await page.getByText('No pages yet').waitFor()
  expect(await seriousFaults(page)).toEqual([])
  const { spaces } = await call<{ spaces: Made[] }>('GET', docs)
  const pages = `${docs}/${spaces[0]?.id}/pages`

  await page.getByRole('main').getByRole('link', { name: 'New page' }).click()
  await page.getByLabel('Title').fill('Release')
  await text(page).fill('# Steps\n\n- freeze')
  await text(page).press('End')
  await page.keyboard.press('Enter')
  await page.keyboard.type('ship ')
  await page.keyboard.press('Control+b')
  await page.keyboard.type('slowly')
  await preview(page).getByRole('heading', { name: 'Steps' }).waitFor()
  expect(await preview(page).getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringContaining('freeze'),
    expect.stringContaining('ship slowly'),
  ])
  expect(await seriousFaults(page)).toEqual([])
  // What is typed outlives the page.
  await page.reload()
  await page.getByText('which was not saved').waitFor()
  await text(page).focus()
  await page.keyboard.press('Control+s')
  await page.getByRole('article').getByRole('heading', { name: 'Release' }).waitFor()
  expect(await seriousFaults(page)).toEqual([])
  const { pages: listed } = await call<{ pages: Made[] }>('GET', pages)
  const one = `${pages}/${listed[0]?.id}`
  const made = await call('GET', one)
  expect([made.title, made.body]).toEqual(['Release', '# Steps\n\n- freeze\n- ship **slowly**'])

  // Read: a change of somebody else shows by itself, and what it was.
  await call('PATCH', one, { body: `${made.body}\n- tell everybody` })
  await page.getByText('you had version 1').waitFor()
  await page.getByRole('article').getByText('tell everybody').waitFor()
  await page.getByRole('button', { name: 'Show changes' }).click()
  expect(await page.locator('[data-line=second]').allInnerTexts()).toEqual([
    expect.stringContaining('- tell everybody'),
  ])
  expect(await seriousFaults(page)).toEqual([])

  // Written at the same time: both texts are compared, and nothing is written over before the choice.
  await page.getByRole('link', { name: 'Edit' }).click()
  await text(page).fill('# Steps\n\n- mine')
  await call('PATCH', one, { body: '# Steps\n\n- theirs' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Somebody saved this page while you wrote' }).waitFor()
  const lines = async (kind: string) => (await page.locator(`[data-line=${kind}]`).allInnerTexts()).join()
  expect([await lines('first'), await lines('second')]).toEqual([
    expect.stringContaining('- theirs'),
    expect.stringContaining('- mine'),
  ])
  expect(await seriousFaults(page)).toEqual([])
  expect((await call('GET', one)).body).toBe('# Steps\n\n- theirs')
  await page.getByRole('button', { name: 'Go on with my text' }).click()
  await text(page).fill('# Steps\n\n- theirs\n- mine')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('article').getByText('theirs').waitFor()
  expect(await call('GET', one)).toMatchObject({ version: 4, body: '# Steps\n\n- theirs\n- mine' })

  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Delete page' }).click()
  await page.getByText('It cannot be brought back.').waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Delete page' }).click()
  await page.getByText('No pages yet').waitFor()
  expect((await call<{ pages: Made[] }>('GET', pages)).pages).toEqual([])
})

test('a space is renamed, shared with a guest and deleted, with what that means', async () => {
  const { page, call, show } = await openDocs()
  const space = await call('POST', docs, { name: 'Handbook' })
  await call('POST', `${docs}/${space.id}/pages`, { title: 'One', body: '' })
  const guest_id = await world.newPerson()
  const [guest] = await world.sql<{ email: string }>('select email from identity.people where id = $1', [
    guest_id,
  ])
  const guests = async () =>
    (await call<{ guests: { user_id: number; role: string }[] }>('GET', `${docs}/${space.id}/guests`)).guests

  await show(`/docs/${space.id}`)
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Rename space' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Team handbook')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Team handbook' }).waitFor()

  await page.getByRole('button', { name: 'Guests' }).click()
  await page.getByText('Nobody from outside can open it.').waitFor()
  await page.getByLabel('E-mail of an account').fill('nobody@example.test')
  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByRole('alert').waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await page.getByLabel('E-mail of an account').fill(guest?.email ?? '')
  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByRole('button', { name: 'Role of Ann Example: Viewer' }).click()
  expect(await guests()).toMatchObject([{ user_id: guest_id, role: 'viewer' }])
  await page.getByRole('menuitem', { name: 'Editor' }).click()
  await page.getByRole('button', { name: 'Role of Ann Example: Editor' }).waitFor()
  expect(await guests()).toMatchObject([{ user_id: guest_id, role: 'editor' }])
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Remove Ann Example' }).click()
  await page.getByText('What they wrote stays, under their name.').waitFor()
  await page.getByRole('button', { name: 'Remove guest' }).click()
  await page.getByText('Nobody from outside can open it.').waitFor()
  expect(await guests()).toEqual([])
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Delete space' }).click()
  await page.getByText('Its page is gone, for everybody.').waitFor()
  await page.getByRole('button', { name: 'Delete space' }).click()
  await page.getByText('No documents yet').waitFor()
  expect((await call<{ spaces: Made[] }>('GET', docs)).spaces).toEqual([])
})

const hostile = [
  '# <img src=x onerror="window.pwned=1">',
  '<script>window.pwned=1</script>',
  '[x](javascript:window.pwned=1) [y](JaVaScRiPt:window.pwned=1) ![z](javascript:window.pwned=1)',
  '[data](data:text/html,<script>window.pwned=1</script>) <javascript:window.pwned=1>',
  '| <svg onload=window.pwned=1> | b |\n|---|---|\n| [c](vbscript:x) | `<b>` |',
  '```html\n<iframe srcdoc="<script>window.pwned=1</script>"></iframe>\n```',
  `> ${'> '.repeat(200)}deep`,
  `- [x] ${'א'.repeat(300)} \u202e ${'W'.repeat(300)}`,
  '[good](https://example.test/?a=1&b="2") <https://example.test/>',
].join('\n\n')

test('Markdown of strangers is text: on the page, in the preview and in a comparison', async () => {
  const { page, call, show } = await openDocs({ width: 390, height: 844, theme: 'dark' })
  const space = await call('POST', docs, { name: '<img src=x onerror="window.pwned=1">' })
  const one = await call('POST', `${docs}/${space.id}/pages`, {
    title: '<img src=x onerror="window.pwned=1">',
    body: hostile,
  })
  await show('/docs')
  await page.getByRole('link', { name: '<img' }).waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('link', { name: '<img' }).click()
  await page.getByRole('columnheader', { name: 'Changed' }).waitFor()
  await page.getByRole('table').getByRole('link', { name: '<img' }).click()
  await page.getByRole('article').waitFor()
  const addresses = () =>
    page
      .getByRole('main')
      .locator('a[target=_blank]')
      .evaluateAll((links) => links.map((a) => a.getAttribute('href')))
  expect(await addresses()).toEqual(['https://example.test/?a=1&b="2"', 'https://example.test/'])
  const foreign = () => page.getByRole('main').locator('img, script, iframe, [onload], [onerror]').count()
  expect(await foreign()).toBe(0)
  // Nothing is wider than a phone.
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  expect(await seriousFaults(page)).toEqual([])

  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByRole('tab', { name: 'Preview' }).click()
  await preview(page).getByRole('table').waitFor()
  expect([await foreign(), (await addresses()).length]).toEqual([0, 2])
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('tab', { name: 'Write' }).click()
  await text(page).fill(`${hostile}!`)
  await call('PATCH', `${docs}/${space.id}/pages/${one.id}`, { body: `<img src=x onerror="window.pwned=1">` })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Somebody saved this page while you wrote' }).waitFor()
  expect(await foreign()).toBe(0)
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Take the saved one' }).click()
  await page.getByRole('button', { name: 'Throw mine away' }).click()
  await page.getByRole('article').getByText('<img src=x onerror').last().waitFor()
  expect(await page.evaluate("'pwned' in window")).toBe(false)
})
