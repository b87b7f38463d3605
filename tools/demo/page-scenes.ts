import type { Page } from 'playwright-core'
import { settle } from './page-shots.ts'

/** A page with something open on it: what no address alone shows. */
export interface Scene {
  readonly name: string
  readonly path: string
  /** Before anybody has signed in. */
  readonly isOutside?: boolean
  readonly only?: 'desk' | 'phone'
  readonly prepare?: (page: Page) => Promise<void>
}

const tab = (name: string) => async (page: Page) => {
  await page.getByRole('tab', { name }).click()
  await settle(page)
}

async function openMenu(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).filter({ visible: true }).first().click()
  await page.getByRole('menu').waitFor()
}

/** On a phone, columns are tabs. */
export const showColumn = (name: string) => async (page: Page) => {
  await page.getByRole('navigation', { name: 'Columns' }).getByText(name).click()
  await settle(page)
}

const press = async (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('button', { name }).filter({ visible: true }).first().click()

/** A dialog that a button opens. */
const dialogBy = (name: string) => async (page: Page) => {
  await press(page, name)
  await page.getByRole('dialog').waitFor()
}

/** A dialog that an entry of a menu opens. */
const dialogOf = (menu: string, item: string) => async (page: Page) => {
  await openMenu(page, menu)
  await page.getByRole('menuitem', { name: item }).click()
  await page.getByRole('dialog').waitFor()
}

/** A phone has the row of filters and menus only when it is asked for. */
async function openBoardMenu(page: Page): Promise<void> {
  const row = page.getByRole('button', { name: 'Filters and views' })
  if (await row.isVisible()) await row.click()
  await openMenu(page, 'More of this board')
}

const ofBoard = (item: string) => async (page: Page) => {
  await openBoardMenu(page)
  await page.getByRole('menuitem', { name: item }).click()
  await page.getByRole('dialog').waitFor()
}

export const scenes: readonly Scene[] = [
  {
    name: 'sign-in',
    path: '/sign-in',
    isOutside: true,
    prepare: async (page) => {
      await page.getByLabel('E-mail').fill('tomas@lindwerk.se')
      await page.getByLabel('Password', { exact: true }).fill('correct horse')
    },
  },
  {
    name: 'sign-in-refused',
    path: '/sign-in',
    isOutside: true,
    prepare: async (page) => {
      await page.getByLabel('E-mail').fill('tomas@lindwerk.example')
      await page.getByLabel('Password', { exact: true }).fill('correct horse')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').first().waitFor()
    },
  },
  { name: 'sign-up', path: '/sign-up', isOutside: true },
  { name: 'reset', path: '/reset', isOutside: true },
  { name: 'reset-link', path: '/reset?token=gone', isOutside: true },
  { name: 'invite', path: '/invite?token=gone', isOutside: true },
  { name: 'confirm', path: '/confirm?token=gone', isOutside: true },
  { name: 'device', path: '/device', isOutside: true },
  {
    name: 'command-menu',
    path: '/boards/DSP',
    prepare: async (page) => {
      await page.keyboard.press('j')
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill('mo')
      await page.getByRole('option').first().waitFor()
      await settle(page)
    },
  },
  {
    name: 'command-menu-start',
    path: '/inbox',
    prepare: async (page) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('option').first().waitFor()
    },
  },
  {
    name: 'key-help',
    path: '/boards/DSP',
    prepare: async (page) => {
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'new-card',
    path: '/boards/DSP',
    prepare: async (page) => {
      await page.keyboard.press('c')
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'board-table',
    path: '/boards/DSP?view=table',
    prepare: async (page) => {
      await page.getByRole('checkbox').nth(2).click()
    },
    only: 'desk',
  },
  { name: 'board-table', path: '/boards/DSP?view=table', only: 'phone' },
  { name: 'board-filtered', path: '/boards/DSP?type=design&status=blocked&q=zzz' },
  { name: 'board-in-progress', path: '/boards/DSP', prepare: showColumn('In progress'), only: 'phone' },
  { name: 'board-blocked', path: '/boards/DSP', prepare: showColumn('Blocked'), only: 'phone' },
  { name: 'board-menu', path: '/boards/DSP', prepare: openBoardMenu },
  { name: 'card-panel', path: '/boards/DSP?card=DSP-8' },
  { name: 'card-runs', path: '/boards/DSP?card=DSP-8', prepare: tab('Runs') },
  { name: 'card-comments', path: '/boards/DSP?card=DSP-8', prepare: tab('Comments') },
  { name: 'card-activity', path: '/boards/DSP?card=DSP-8', prepare: tab('Activity') },
  { name: 'card-more', path: '/cards/DSP-8', prepare: tab('More'), only: 'phone' },
  { name: 'inbox-entry', path: '/inbox', only: 'phone', prepare: openFirst },
  {
    name: 'member-menu',
    path: '/settings/members',
    prepare: (page) => openMenu(page, 'Actions for Tomas Lind'),
  },
  {
    name: 'invite-dialog',
    path: '/settings/members',
    prepare: dialogBy('Invite people'),
  },
  {
    name: 'feature-confirm',
    path: '/settings/features',
    prepare: async (page) => {
      // Only what holds something asks before it is switched off.
      await page.getByRole('switch', { name: 'Machines' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'delivery',
    path: '/settings/webhooks',
    prepare: async (page) => {
      await page.getByRole('link', { name: 'chat.' }).click()
      await page.getByRole('link', { name: 'webhook.test' }).first().click()
      await page.getByRole('heading', { name: 'webhook.test', exact: true }).waitFor()
    },
  },
  { name: 'webhook-dialog', path: '/settings/webhooks', prepare: dialogBy('New webhook') },
  { name: 'token-dialog', path: '/settings/tokens', prepare: dialogBy('New token') },
  { name: 'secret', path: '/settings/tokens', prepare: showSecret },
  { name: 'new-board', path: '/boards', prepare: dialogBy('New board') },
  { name: 'plan-dialog', path: '/settings/platform/plans', prepare: dialogBy('Business') },
  { name: 'employee-dialog', path: '/settings/platform/catalog', prepare: dialogBy('New employee') },
  { name: 'board-columns', path: '/boards/DSP', prepare: ofBoard('Columns and limits') },
  { name: 'board-labels', path: '/boards/DSP', prepare: ofBoard('Labels') },
  { name: 'board-guests', path: '/boards/DSP', prepare: ofBoard('Guests') },
  { name: 'board-settings', path: '/boards/DSP', prepare: ofBoard('Name, description, archive') },
  { name: 'export', path: '/boards/DSP', prepare: ofBoard('Export…') },
  {
    name: 'export-too-large',
    path: '/boards/DSP',
    prepare: async (page) => {
      await ofBoard('Export…')(page)
      // The summary comes from the server as it is.
      await page.route(/\/export\?format=md$/, (route) => route.fulfill({ status: 413, json: tooLarge }))
      await press(page, 'Download')
      await page.getByRole('button', { name: 'Download summary' }).waitFor()
    },
  },
  { name: 'card-menu', path: '/boards/DSP?card=DSP-8', prepare: (page) => openMenu(page, 'More') },
  { name: 'card-archive', path: '/cards/DSP-8', prepare: dialogOf('More', 'Archive') },
  {
    name: 'batch',
    path: '/boards/DSP',
    only: 'desk',
    prepare: async (page) => {
      await page.keyboard.press('j')
      await page.keyboard.press('x')
      await page.keyboard.press('Shift+J')
      await page.keyboard.press('m')
      await page.getByRole('dialog').waitFor()
    },
  },
  { name: 'search-found', path: '/search?q=plan' },
  { name: 'search-nothing', path: '/search?q=zebra' },
  { name: 'audit-nothing', path: '/settings/audit?action=brand.never' },
  { name: 'webhook-failed', path: '/settings/webhooks', prepare: showFailed },
  { name: 'not-found', path: '/nowhere', isOutside: true },
  { name: 'board-missing', path: '/boards/XYZ' },
  { name: 'card-missing', path: '/cards/DSP-9999' },
  { name: 'profile-missing', path: '/profiles/claude.never' },
  {
    name: 'user-menu',
    path: '/inbox',
    only: 'desk',
    prepare: (page) => openMenu(page, 'Tomas Lind Your menu'),
  },
  {
    name: 'brand-menu',
    path: '/inbox',
    only: 'desk',
    prepare: (page) => openMenu(page, 'Fernway Switch workspace'),
  },
  { name: 'sign-in-error', path: '/sign-in', isOutside: true, prepare: refuseSignIn },
  { name: 'conflict', path: '/boards/DSP?card=DSP-18', prepare: moveTooLate, only: 'desk' },
  { name: 'conflict', path: '/boards/DSP?card=DSP-21', prepare: moveTooLate, only: 'phone' },
  { name: 'move-failed', path: '/boards/DSP?card=DSP-19', prepare: moveInVain },
]

/** As the server tells it of a board with long texts. */
const tooLarge = {
  detail: {
    message: 'The export is larger than 1 MiB; ask for detail=summary or fewer cards',
    actual_bytes: 1_468_006,
    limit_bytes: 1_048_576,
  },
}

async function showSecret(page: Page): Promise<void> {
  await dialogBy('New token')(page)
  await page.getByLabel('Name', { exact: true }).fill('Build server')
  await page.getByRole('checkbox', { name: 'memory:read' }).check()
  await press(page, 'Make token')
  await page.getByRole('button', { name: 'I have stored it' }).waitFor()
}

async function showFailed(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'chat.' }).click()
  await page.getByRole('navigation', { name: 'State' }).getByRole('link', { name: 'Failed' }).click()
  await page.getByRole('link', { name: 'Show all' }).waitFor()
}

async function refuseSignIn(page: Page): Promise<void> {
  const headers = { 'x-request-id': '0f8a1c52-5b1f-4a57-9a3e-2f6f1f1f7c11' }
  await page.route('**/auth/sign-in', (route) =>
    route.fulfill({ status: 500, json: { detail: 'Internal error' }, headers }),
  )
  await page.getByLabel('E-mail').fill('tomas@lindwerk.se')
  await page.getByLabel('Password', { exact: true }).fill('correct horse')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').first().waitFor()
}

/** The open card goes to the column of that name. */
async function moveOpen(page: Page, column: string): Promise<void> {
  const more = page.getByRole('tab', { name: 'More' })
  if (await more.isVisible()) await more.click()
  await press(page, /change Move to$/)
  await page.getByRole('menuitem', { name: column, exact: true }).click()
}

/** While the move is on its way, somebody else moves the card. */
async function moveTooLate(page: Page): Promise<void> {
  let wasMoved = false
  await page.route('**/move', async (route) => {
    const request = route.request()
    if (!wasMoved)
      await page.request.post(request.url(), {
        data: { column: 'Done' },
        headers: { 'if-match': request.headers()['if-match'] ?? '' },
      })
    wasMoved = true
    await route.continue()
  })
  await moveOpen(page, 'Review')
  await page.getByText('moved it first').hover()
}

async function moveInVain(page: Page): Promise<void> {
  await page.route('**/move', (route) => route.abort('connectionfailed'))
  await moveOpen(page, 'Review')
  await page.getByText('moved back to').filter({ visible: true }).last().hover()
}

async function openFirst(page: Page): Promise<void> {
  await page.locator('#page a[href*="entry="]').first().click()
  await settle(page)
}
