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
  { name: 'board-menu', path: '/boards/DSP', prepare: (page) => openMenu(page, 'More of this board') },
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
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Invite people' }).first().click()
      await page.getByRole('dialog').waitFor()
    },
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
]

async function openFirst(page: Page): Promise<void> {
  await page.locator('#page a[href*="entry="]').first().click()
  await settle(page)
}
