import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { listLetters, newMailAddress, secretIn } from '../conformance/workspaces/members/letters.ts'
import { ensureDashboard } from '../tools/build/build-dashboard.ts'
import { seriousFaults, useBrowser } from './browser.ts'

beforeAll(ensureDashboard)
const server = useServer('product')
const browser = useBrowser()
const password = 'correct horse battery'
const limitMs = 60_000

/** The API as the person of a page has it. */
const apiOf =
  (page: Page) =>
  async <Body = Record<string, string>>(method: string, path: string, data?: unknown): Promise<Body> => {
    const answer = await page.request.fetch(`${server.api.url}/api/v1${path}`, { method, data })
    expect(answer.ok(), `${method} ${path} ${answer.status()} ${await answer.text()}`).toBe(true)
    return (await answer.json()) as Body
  }

/** The letter whose subject matches, once it has arrived. */
const letterTo = (email: string, subject: RegExp) =>
  waitFor(async () => (await listLetters(email)).find((each) => subject.test(each.subject)), 120_000)

/** The address of the page that a letter leads to, on this server. */
const pathIn = (text: string): string => /https?:\/\/[^/\s]+(\/dashboard\/shared\S*)/.exec(text)?.[1] ?? ''

test('a guest comes by the link of a letter, comments, and is shown out when the access ends', async () => {
  const worker = await server.start('worker')
  const admin = await browser.blank()
  const call = apiOf(admin)
  const { brand_id } = await call<{ brand_id: number }>('POST', '/auth/sign-up', {
    ...{ email: newMailAddress(), password, full_name: 'Tomas Lind', brand_name: 'Fernway' },
  })
  const board = await call('POST', '/board/boards', { name: 'Dispatch API', key: 'DSP' })
  await call('POST', '/board/boards', { name: 'Secret plans', key: 'SEC' })
  const card = await call('POST', `/board/boards/${board.id}/tasks`, {
    title: 'Show a driver why a plan was rejected',
    description: 'In **one** sentence.',
  })
  const space = await call('POST', '/docs/spaces', { name: 'Handbook' })
  await call('POST', `/docs/spaces/${space.id}/pages`, { title: 'Start here', body: '# Hello' })

  // An account comes about by an invitation; the person leaves the workspace again, and is in none.
  const email = newMailAddress()
  await call('POST', `/brands/${brand_id}/invitations`, { email })
  const invited = await letterTo(email, /invit/i)
  const page = await browser.open(`${server.api.url}/dashboard/invite?token=${secretIn(invited)}`)
  await page.getByLabel('Your name').fill('Gus Guest')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Accept invitation' }).click()
  await page.waitForURL('**/sign-in**')
  const { members } = await call<{ members: { user_id: number; email: string }[] }>(
    'GET',
    `/brands/${brand_id}/members`,
  )
  const guest_id = members.find((each) => each.email === email)?.user_id
  await call('DELETE', `/brands/${brand_id}/members/${guest_id}`)

  await call('POST', `/board/boards/${board.id}/guests`, { email, role: 'viewer' })
  await call('POST', `/docs/spaces/${space.id}/guests`, { email, role: 'editor' })
  const letter = await letterTo(email, /^Dispatch API is shared with you$/)
  await page.goto(`${server.api.url}${pathIn(letter.text)}`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')

  // What is shared, and nothing else.
  const tile = page.locator(`[data-card="${card.ref}"]`)
  await tile.waitFor({ timeout: limitMs })
  const main = page.getByRole('navigation', { name: 'Main' }).first()
  expect(await main.getByRole('link').allInnerTexts()).toEqual([
    'Shared with you',
    expect.stringContaining('Dispatch API'),
    'Handbook',
  ])
  expect(await page.getByText('Secret plans').count()).toBe(0)
  expect(await page.getByRole('button', { name: 'New card' }).count()).toBe(0)
  expect(await seriousFaults(page)).toEqual([])
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Search what is shared with you').fill('e')
  expect(await page.getByRole('option').allInnerTexts()).not.toContainEqual(expect.stringContaining('Inbox'))
  expect(await seriousFaults(page)).toEqual([])
  await page.keyboard.press('Escape')

  // A viewer reads; a commenter says something as soon as an admin lets them.
  await tile.getByRole('link').click()
  const panel = page.getByRole('dialog', { name: String(card.ref) })
  await panel.getByText('Nobody has said anything yet.').waitFor()
  expect(await panel.getByLabel('Comment').count()).toBe(0)
  expect(await seriousFaults(page)).toEqual([])
  const ofBoard = `/board/boards/${board.id}/guests/${guest_id}`
  await call('PATCH', ofBoard, { role: 'commenter' })
  await panel.getByLabel('Comment').fill('It **slips** here too <img src=x onerror="window.pwned=1">')
  await page.keyboard.press('Control+Enter')
  await panel.locator('[data-comment]').getByText('slips').waitFor()
  expect(await panel.getByRole('button', { name: 'Edit' }).count()).toBe(0)
  expect(await panel.locator('img[src=x]').count()).toBe(0)
  const { items } = await call<{ items: { body: string; author: { kind: string; name: string } }[] }>(
    'GET',
    `/board/tasks/${card.ref}/comments`,
  )
  expect(items).toMatchObject([{ author: { kind: 'guest', name: 'Gus Guest' } }])
  expect(await seriousFaults(page)).toEqual([])

  // An editor changes the card too.
  await call('PATCH', ofBoard, { role: 'editor' })
  await panel.getByRole('button', { name: 'Move to' }).first().click()
  await page.getByRole('menuitem', { name: 'In progress' }).click()
  await page.getByRole('region', { name: 'In progress' }).locator(`[data-card="${card.ref}"]`).waitFor()
  expect(await call('GET', `/board/tasks/${card.ref}`)).toMatchObject({ status: 'in_progress' })

  // Removed: the page closes by itself.
  await call('DELETE', ofBoard)
  await page.getByText('The board cannot be found').waitFor()
  expect(await panel.count()).toBe(0)
  expect(await seriousFaults(page)).toEqual([])
  expect(await page.evaluate("'pwned' in window")).toBe(false)

  // Documents, with the role there; other pages of the dashboard are refused.
  await main.getByRole('link', { name: 'Handbook' }).click()
  await page.getByRole('link', { name: 'Start here' }).click()
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByLabel('Text in Markdown').fill('# Hello\n\nfrom outside')
  await page.keyboard.press('Control+s')
  await page.getByRole('article').getByText('from outside').waitFor()
  expect(await page.getByRole('button', { name: 'More' }).count()).toBe(0)
  for (const path of ['boards/DSP', 'settings/features', 'docs', 'inbox']) {
    await page.goto(`${server.api.url}/dashboard/${path}`)
    await page.getByText('This page is for members of a workspace').waitFor()
  }
  expect(await seriousFaults(page)).toEqual([])
  await worker.stop()
})

test('a member of one workspace finds what another shares, on a phone in the dark', async () => {
  const admin = await browser.blank()
  const call = apiOf(admin)
  const person = (full_name: string) => ({
    email: newMailAddress(),
    password,
    full_name,
    brand_name: full_name,
  })
  await call('POST', '/auth/sign-up', person('Tomas Lind'))
  const page = await browser.blank({ width: 390, height: 844, theme: 'dark' })
  const guest = person('Gus Guest')
  await apiOf(page)('POST', '/auth/sign-up', guest)
  await server.sql('update identity.people set email_verified = true where email = $1', [guest.email])
  const board = await call('POST', '/board/boards', { name: 'Dispatch API', key: 'DSP' })
  await call('POST', `/board/boards/${board.id}/guests`, { email: guest.email, role: 'editor' })
  await page.goto(`${server.api.url}/dashboard/shared`)
  await page.getByRole('link', { name: 'Dispatch API' }).click()
  await page.getByRole('button', { name: 'New card' }).click()
  await page.getByLabel('Title').fill('From outside')
  await page.getByRole('button', { name: 'Create card' }).click()
  await page.locator('[data-card="DSP-1"]').getByText('From outside').waitFor()
  expect(await call('GET', '/board/tasks/DSP-1')).toMatchObject({ title: 'From outside', source: 'guest' })
  expect(await seriousFaults(page)).toEqual([])
  await page.locator('[data-card="DSP-1"] a').click()
  await page.getByRole('dialog', { name: 'DSP-1' }).getByText('Nobody has said anything yet.').waitFor()
  expect(await seriousFaults(page)).toEqual([])
})
