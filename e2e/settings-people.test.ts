import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { listLetters, newMailAddress } from '../conformance/workspaces/members/letters.ts'
import { ensureDashboard } from '../tools/build/build-dashboard.ts'
import { seriousFaults, useBrowser } from './browser.ts'

beforeAll(ensureDashboard)
const server = useServer('product')
beforeAll(async () => {
  await server.start('worker')
})
const browser = useBrowser()
const password = 'correct horse battery'

/** A page of a new person, signed in, and their calls of the API with the cookie of the browser. */
async function openSettings(how: { width?: number; theme?: 'light' | 'dark' } = {}) {
  const page = await browser.open(`${server.api.url}/dashboard/sign-in`, how)
  const email = newMailAddress()
  const api = apiOf(page)
  const sent = { email, password, full_name: 'Tomas Lind', brand_name: 'Fernway' }
  await api('POST', '/auth/sign-up', sent)
  return { page, email, api }
}

const apiOf =
  (page: Page) =>
  async <Body>(method: string, path: string, data?: unknown): Promise<Body> => {
    const answer = await page.request.fetch(`${server.api.url}/api/v1${path}`, {
      method,
      ...(data === undefined ? {} : { data }),
    })
    expect(answer.ok(), `${method} ${path}: ${answer.status()} ${await answer.text()}`).toBe(true)
    return (await answer.json()) as Body
  }

/** The link of the newest letter with that subject, on the address where the test serves the dashboard. */
async function linkIn(address: string, subject: RegExp): Promise<string> {
  const letter = await waitFor(
    async () => (await listLetters(address)).findLast((each) => subject.test(each.subject)),
    20_000,
  )
  const found = /https?:\/\/\S+\/dashboard\/\S+\?token=[\w-]{43}/.exec(letter.text)?.[0]
  if (found === undefined) throw new Error(`no link in: ${letter.text}`)
  const { pathname, search } = new URL(found)
  return `${server.api.url}${pathname}${search}`
}

test('a mail address is checked while it is typed and renamed, on a phone in the dark', async () => {
  const { page, api } = await openSettings({ width: 390, theme: 'dark' })
  const before = await api<{ address: string }>('GET', '/me/mail/address')
  await page.goto(`${server.api.url}/dashboard/settings`)
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('link', { name: 'Mail address' }).click()
  const field = page.getByLabel(/^New name/)
  await field.fill('A')
  await page.getByText('must be 3 to 30 lowercase letters').waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await field.fill('postmaster')
  await page.getByText('is not available').waitFor()
  const name = `t${crypto.randomUUID().slice(0, 12)}`
  await field.fill(name)
  await page.getByText('is free').waitFor()
  await page.getByRole('button', { name: 'Rename' }).click()
  const earlier = page.getByRole('region', { name: 'Earlier addresses' })
  await earlier.getByText(before.address).waitFor()
  await earlier.getByText(/forwards until \d/).waitFor()
  expect(await seriousFaults(page)).toEqual([])
  expect(await api('GET', '/me/mail/address')).toMatchObject({
    address: expect.stringMatching(`^${name}@`),
    forwarding: [{ address: before.address }],
  })
})

test('a forgotten password is reset by the link of a letter', async () => {
  const { page, email } = await openSettings()
  const other = await browser.open(`${server.api.url}/dashboard/sign-in`)
  await other.getByRole('link', { name: 'Forgot it?' }).click()
  await other.getByLabel('E-mail').fill(email)
  await other.keyboard.press('Enter')
  await other.getByText('Look at your mail').waitFor()
  expect(await seriousFaults(other)).toEqual([])
  const link = await linkIn(email, /Choose a new password/)
  await other.goto(link)
  await other.getByLabel('New password').fill('a better horse battery')
  expect(await seriousFaults(other)).toEqual([])
  await other.keyboard.press('Enter')
  await other.getByText('Your password is changed').waitFor()
  // Everywhere: also the session that the person had elsewhere.
  await page.goto(`${server.api.url}/dashboard/settings/profile`)
  await page.waitForURL('**/sign-in**')
  await other.getByRole('link', { name: 'Sign in' }).click()
  await other.getByLabel('E-mail').fill(email)
  await other.getByLabel('Password', { exact: true }).fill('a better horse battery')
  await other.keyboard.press('Enter')
  await other.getByRole('status').filter({ hasText: 'Live' }).waitFor()
  // A link works once.
  const again = await browser.open(link)
  await again.getByLabel('New password').fill('yet another battery')
  await again.keyboard.press('Enter')
  await again.getByText('This link is no longer valid').waitFor()
  expect(await seriousFaults(again)).toEqual([])
})
