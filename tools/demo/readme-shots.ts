import { mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { repositoryRoot } from '@crewhall/services/facts.ts'
import type { Page } from 'playwright-core'
import { readState, stateFileFor } from './demo-state.ts'
import { defaultUrl } from './demo-workspace.ts'
import { showColumn } from './page-scenes.ts'
import {
  type Device,
  desk,
  openBrowser,
  openPage,
  phone,
  settle,
  signInTo,
  takeWebp,
  untilLive,
} from './page-shots.ts'

/** `npm run demo:pictures`: the pictures of the README, of a demo that is running. */
const { values } = parseArgs({
  options: {
    'base-url': { type: 'string', default: defaultUrl },
    state: { type: 'string' },
    folder: { type: 'string', default: resolve(repositoryRoot, 'docs/images') },
  },
})
const base_url = values['base-url'].replace(/\/$/, '')
const state = readState(values.state ?? stateFileFor(base_url))
if (!state) leave(`There is no demo at ${base_url}. Start it with \`npm run demo\`.`)
const mostBytes = 150_000

const pictures: readonly [string, Device, 'light' | 'dark', (page: Page) => Promise<void>][] = [
  ['board', desk, 'light', (page) => show(page, '/boards/DSP', 'DSP-8')],
  [
    'card',
    desk,
    'dark',
    async (page) => {
      await show(page, '/boards/DSP?card=DSP-8', 'DSP-8')
      await page.getByRole('dialog', { name: 'DSP-8' }).getByRole('tab').first().waitFor()
    },
  ],
  ['inbox', desk, 'light', (page) => show(page, '/inbox', 'DSP-13')],
  [
    'phone',
    phone,
    'dark',
    async (page) => {
      await show(page, '/boards/DSP', 'To do')
      await showColumn('In progress')(page)
    },
  ],
]

mkdirSync(values.folder, { recursive: true })
const browser = await openBrowser()
try {
  for (const [name, device, theme, prepare] of pictures) {
    const page = await openPage(browser, device, theme)
    await signInTo(page.context(), { ...state, base_url })
    await prepare(page)
    await settle(page)
    const picture = await takeWebp(page)
    console.log(`${name}.webp ${picture.length} bytes`)
    if (picture.length > mostBytes) leave(`${name} has more than ${mostBytes} bytes`)
    writeFileSync(resolve(values.folder, `${name}.webp`), picture)
    await page.context().close()
  }
} finally {
  await browser.close()
}

async function show(page: Page, path: string, text: string): Promise<void> {
  await page.goto(`${base_url}/dashboard${path}`, { waitUntil: 'commit' })
  await page.getByText(text).filter({ visible: true }).first().waitFor()
  await untilLive(page)
}

function leave(message: string): never {
  console.error(message)
  process.exit(1)
}
