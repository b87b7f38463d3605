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

interface Me {
  readonly brand_id: number
  readonly person: { readonly id: number; readonly email: string; readonly email_verified: boolean }
}

/** A page of a new person, signed in, and their calls of the API with the cookie of the browser. */
async function openSettings(how: { width?: number; theme?: 'light' | 'dark' } = {}) {
  const page = await browser.blank(how)
  const email = newMailAddress()
  const api = apiOf(page)
  const sent = { email, password, full_name: 'Tomas Lind', brand_name: 'Fernway' }
  const me = await api<Me>('POST', '/auth/sign-up', sent)
  const show = (name: string) => page.goto(`${server.api.url}/dashboard/settings/${name}`)
  return { page, email, api, show, brand: `/brands/${me.brand_id}`, me }
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

interface Members {
  readonly members: readonly {
    readonly user_id: number
    readonly name: string
    readonly role: string
    readonly position: string | null
    readonly photo: string | null
  }[]
}

test('an invitation by mail is accepted, and the new member is changed and removed while another page shows it', async () => {
  const { page, show, api, brand } = await openSettings()
  const members = async () => (await api<Members>('GET', `${brand}/members`)).members
  await show('members')
  await page.getByText('1 member, 1 admin').waitFor()
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
  expect(await seriousFaults(page)).toEqual([])

  const invited = newMailAddress()
  await page.getByRole('button', { name: 'Invite people' }).click()
  const dialog = page.getByRole('dialog', { name: 'Invite to Fernway' })
  await dialog.getByLabel('E-mail').fill('nobody')
  await page.keyboard.press('Enter')
  await dialog.getByRole('alert').waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await dialog.getByLabel('E-mail').fill(invited)
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  const row = page.getByRole('row').filter({ hasText: invited })
  await row.getByRole('cell').getByText('7 days left').last().waitFor()
  expect(await seriousFaults(page)).toEqual([])

  const first = await linkIn(invited, /Fernway/)
  await row.getByRole('button', { name: `Send again to ${invited}` }).click()
  await page.getByText(`A new link is on its way to ${invited}`).waitFor()
  const second = await waitFor(async () => {
    const link = await linkIn(invited, /Fernway/)
    return link === first ? undefined : link
  }, 20_000)

  const guest = await browser.open(first)
  await guest.getByLabel('Your name').fill('Priya Raman')
  await guest.getByLabel('Password', { exact: true }).fill(password)
  await guest.keyboard.press('Enter')
  await guest.getByText('This invitation is no longer valid').waitFor()
  expect(await seriousFaults(guest)).toEqual([])
  await guest.goto(second)
  await guest.getByLabel('Your name').fill('Priya Raman')
  await guest.getByLabel('Password', { exact: true }).fill(password)
  await guest.keyboard.press('Enter')
  await guest.waitForURL('**/sign-in**')
  await guest.getByLabel('E-mail').fill(invited)
  await guest.getByLabel('Password', { exact: true }).fill(password)
  await guest.keyboard.press('Enter')
  await guest.getByRole('status').filter({ hasText: 'Live' }).waitFor()

  // The page of the admin shows it without a reload, and the invitation is gone.
  const joined = page.getByRole('row').filter({ hasText: 'Priya Raman' })
  await joined.waitFor()
  await page.getByRole('region', { name: 'Invitations' }).waitFor({ state: 'detached' })

  const role = joined.getByLabel('Role of Priya Raman')
  await role.selectOption('admin')
  await page.getByText('2 members, 2 admins').waitFor()
  await joined.getByRole('button', { name: 'Actions for Priya Raman' }).click()
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('menuitem', { name: 'Change position' }).click()
  await page.getByLabel('Position', { exact: true }).fill('Product')
  await page.keyboard.press('Enter')
  await joined.getByText('Product').last().waitFor()
  expect((await members()).find(({ name }) => name === 'Priya Raman')).toMatchObject({
    role: 'admin',
    position: 'Product',
  })

  await page.getByLabel('Find a member').fill('priya')
  await page.getByText('1 found').waitFor()
  expect(new URL(page.url()).searchParams.get('q')).toBe('priya')
  await page.getByLabel('Find a member').fill('nobody at all')
  await page.getByText('Nobody matches').waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Clear search' }).click()

  await joined.getByRole('button', { name: 'Actions for Priya Raman' }).click()
  await page.getByRole('menuitem', { name: 'Remove from Fernway' }).click()
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
  // What is behind a dialog has no role, so the row seems gone until the dialog is.
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await joined.waitFor({ state: 'detached' })
  expect((await members()).map(({ name }) => name)).toEqual(['Tomas Lind'])
  await guest.goto(`${server.api.url}/dashboard/settings/members`)
  await guest.getByText('You are in no workspace').waitFor()
})

test('invitations are revoked, and guests become members or are removed', async () => {
  const { page, show, api, brand } = await openSettings()
  const board = await api<{ id: string }>('POST', '/board/boards', { name: 'Driver app', key: 'DRV' })
  const outside = await openSettings({ width: 390, theme: 'dark' })
  await outside.page.goto(await linkIn(outside.email, /Confirm/))
  await outside.page.getByRole('button', { name: 'Confirm address' }).click()
  await outside.page.getByText('Your address is confirmed').waitFor()
  expect(await seriousFaults(outside.page)).toEqual([])
  expect((await outside.api<Me>('GET', '/me')).person.email_verified).toBe(true)
  await api('POST', `/board/boards/${board.id}/guests`, { email: outside.email, role: 'commenter' })

  await show('guests')
  await page.getByText('Driver app, commenter').waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Make member: Tomas Lind' }).click()
  await page.getByText('invited, stays guest until accepted').waitFor()

  await page.getByRole('link', { name: 'Invitations' }).click()
  const row = page.getByRole('row').filter({ hasText: outside.email })
  await row.waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await row.getByRole('button', { name: `Revoke the invitation of ${outside.email}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('No open invitations').waitFor()
  expect(await api('GET', `${brand}/invitations`)).toMatchObject({ invitations: [], total: 0 })
  expect(await seriousFaults(page)).toEqual([])

  await page.getByRole('link', { name: 'Guests' }).click()
  await page.getByRole('button', { name: 'Remove Tomas Lind' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('No guests').waitFor()
  expect(await api('GET', `${brand}/guests`)).toMatchObject({ guests: [] })
})

test('a person changes their photo, password, sessions and mail address, and takes a deletion back', async () => {
  const { page, show, api, brand, me, email } = await openSettings()
  await show('profile')
  await page.getByText('Not confirmed.').waitFor()
  expect(await seriousFaults(page)).toEqual([])

  // By the keyboard alone: the file is chosen, enlarged and moved.
  await page.getByRole('button', { name: 'Change photo' }).press('Enter')
  const photo = page.getByRole('dialog', { name: 'Photo of Tomas Lind' })
  // As text: these types are of the browser, and the tests have those of Node.
  const drawn = await page.evaluate<number[]>(`(async () => {
    const canvas = new OffscreenCanvas(900, 600)
    const pen = canvas.getContext('2d')
    pen.fillStyle = '#f00'
    pen.fillRect(0, 0, 450, 600)
    pen.fillStyle = '#00f'
    pen.fillRect(450, 0, 450, 600)
    return [...new Uint8Array(await (await canvas.convertToBlob({ type: 'image/png' })).arrayBuffer())]
  })()`)
  const picture = photo.getByLabel('Picture')
  await picture.setInputFiles({ name: 'x.png', mimeType: 'image/png', buffer: Buffer.from('nothing') })
  await photo.getByRole('alert').waitFor()
  await picture.setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: Buffer.from(drawn) })
  await photo.getByLabel('Zoom').press('End')
  await photo.getByLabel('Left to right').press('End')
  expect(await seriousFaults(page)).toEqual([])
  await photo.getByRole('button', { name: 'Save photo' }).press('Enter')
  await photo.waitFor({ state: 'detached' })
  await page.locator('#page img').first().waitFor()
  const path = `${brand}/members/${me.person.id}`
  const { photo: kept } = await api<{ photo: string }>('GET', path)
  // The right end of the picture was kept, as large as the server keeps photos, and nothing of its left.
  const seen = await page.evaluate(`(async () => {
    const bitmap = await createImageBitmap(await (await fetch(${JSON.stringify(kept)})).blob())
    const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
    pen.drawImage(bitmap, 0, 0)
    const [red, , blue] = pen.getImageData(2, 256, 1, 1).data
    return { size: [bitmap.width, bitmap.height], isBlue: blue > 240 && red < 15 }
  })()`)
  expect(seen).toEqual({ size: [512, 512], isBlue: true })

  // The photo is on the cards of the person, and on their page.
  const board = await api<{ id: string }>('POST', '/board/boards', { name: 'Dispatch API', key: 'DSP' })
  await api('POST', `/board/boards/${board.id}/tasks`, {
    title: 'Price tolls',
    assignee: { kind: 'member', id: me.person.id },
  })
  for (const [path, place] of [
    ['boards/DSP', '[data-card="DSP-1"]'],
    ['cards/DSP-1', '#page'],
  ]) {
    await page.goto(`${server.api.url}/dashboard/${path}`)
    await page.locator(`${place} img`).first().waitFor()
    expect(await seriousFaults(page)).toEqual([])
  }
  await show('profile')

  const other = await browser.open(`${server.api.url}/dashboard/sign-in`)
  await other.getByLabel('E-mail').fill(email)
  await other.getByLabel('Password', { exact: true }).fill(password)
  await other.keyboard.press('Enter')
  await other.getByRole('status').filter({ hasText: 'Live' }).waitFor()
  await page.reload()
  const sessions = page.getByRole('region', { name: 'Sessions' })
  await sessions.getByText('This session').waitFor()
  await sessions.getByRole('button', { name: /^End .+ since/ }).click()
  await sessions.getByRole('button', { name: /^End .+ since/ }).waitFor({ state: 'detached' })
  expect((await api<{ sessions: unknown[] }>('GET', '/me/sessions')).sessions).toHaveLength(1)
  await other.reload()
  await other.waitForURL('**/sign-in**')

  const box = page.getByRole('region', { name: 'Password' })
  await box.getByLabel('Current password').fill('wrong horse battery')
  await box.getByLabel('New password').fill('a better horse battery')
  await page.keyboard.press('Enter')
  await box.getByText('The current password is wrong').waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await box.getByLabel('Current password').fill(password)
  await box.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Your password is changed').waitFor()

  await page.getByRole('button', { name: 'Delete your account' }).click()
  const erase = page.getByRole('dialog', { name: 'Delete your account?' })
  await erase.getByLabel('Your password').fill('a better horse battery')
  expect(await seriousFaults(page)).toEqual([])
  await erase.getByRole('button', { name: 'Delete account' }).click()
  await page.getByText(/Your account is deleted on/).waitFor()
  expect(await api('GET', '/me/erasure')).toMatchObject({ erasure: { status: 'scheduled' } })
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Keep it' }).click()
  await page.getByRole('button', { name: 'Delete your account' }).waitFor()
  expect(await api('GET', '/me/erasure')).toEqual({ erasure: null })

  await page.getByRole('link', { name: 'Workspace', exact: true }).click()
  await page.getByRole('button', { name: 'Delete the workspace' }).click()
  await page.getByLabel('Name of the workspace').fill('Fernwey')
  await page.getByRole('button', { name: 'Delete workspace' }).click()
  await page.getByText('The name does not match the workspace').waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await page.getByLabel('Name of the workspace').fill('Fernway')
  await page.getByRole('button', { name: 'Delete workspace' }).click()
  await page.getByText(/Fernway is deleted on/).waitFor()
  await page.getByRole('button', { name: 'Keep it' }).click()
  await page.getByRole('button', { name: 'Delete the workspace' }).waitFor()
  expect(await api('GET', `${brand}/erasure`)).toEqual({ erasure: null })
})

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
  for (const each of ['members', 'guests', 'invitations', 'profile', 'workspace']) {
    await page.goto(`${server.api.url}/dashboard/settings/${each}`)
    await page.getByRole('link', { name: 'Back to Settings' }).waitFor()
    await expect.poll(() => page.locator('[aria-busy]').count()).toBe(0)
    expect(await seriousFaults(page)).toEqual([])
    expect(await page.locator('main').evaluate((main) => main.scrollWidth)).toBeLessThanOrEqual(390)
  }
})

test('a forgotten password is reset by the link of a letter', async () => {
  const { page, email } = await openSettings()
  const other = await browser.open(`${server.api.url}/dashboard/sign-in`)
  await other.getByRole('link', { name: 'Forgot it?' }).click()
  await other.getByRole('heading', { name: 'Reset your password' }).waitFor()
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
