import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { newEmail } from '@crewhall/testkit/people.ts'
import { isFull } from '@crewhall/testkit/rounds.ts'
import { root } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { ensureDashboard } from '../tools/build/build-dashboard.ts'
import { apiAs } from '../tools/demo/demo-api.ts'
import { addressOf } from '../tools/demo/demo-letters.ts'
import { signIn } from '../tools/demo/demo-people.ts'
import { type DemoState, readState } from '../tools/demo/demo-state.ts'
import { scenes } from '../tools/demo/page-scenes.ts'
import {
  type Address,
  type Ids,
  type Look,
  listAddresses,
  looks,
  openAs,
  openBrowser,
  type SignIn,
  settle,
  untilLive,
} from '../tools/demo/page-shots.ts'

/** Only pages whose name has it, to look at some of them again; the others stay as they are. */
const chosen = new RegExp(process.env.PICTURES ?? '')

/** Where the pictures are kept; no part of the repository. */
const folder = resolve(root, '.reports/screenshots')

if (isFull) beforeAll(ensureDashboard)
const server = useServer('product')

/** What the server would have to suffer from, at the line to it: the page sees what it would see. */
const lines = {
  filled: async () => {},
  loading: (page: Page) =>
    page.route('**/api/v1/**', (route) => (own.test(route.request().url()) ? route.continue() : undefined)),
  error: (page: Page) =>
    page.route('**/api/v1/**', (route) =>
      own.test(route.request().url())
        ? route.continue()
        : route.fulfill({
            status: 500,
            json: { detail: 'Internal error' },
            headers: { 'x-request-id': '0f8a1c52-5b1f-4a57-9a3e-2f6f1f1f7c11' },
          }),
    ),
  offline: async () => {},
  'feature-off': (page: Page) => withFeatures(page, { on: false, locked_by_plan: false }),
  'plan-locked': (page: Page) => withFeatures(page, { on: false, locked_by_plan: true }),
} as const
type Line = keyof typeof lines
const own = /\/api\/v1\/(me|auth\/\w+|events\/stream)(\?|$)/

const withFeatures = (page: Page, facts: object) =>
  page.route('**/api/v1/brands/*/features', async (route) => {
    const response = await route.fetch()
    const { switches, ...others } = (await response.json()) as { switches: Record<string, object> }
    const changed = Object.entries(switches).map(([key, feature]) => [key, { ...feature, ...facts }])
    await route.fulfill({ response, json: { ...others, switches: Object.fromEntries(changed) } })
  })

async function fillWorkspace(): Promise<DemoState> {
  const place = mkdtempSync(join(tmpdir(), 'shots-'))
  const file = join(place, 'state.json')
  const args = ['tools/demo/demo.ts', '--still', '--base-url', server.api.url, '--state', file]
  // With it, the demo makes its admin one of the installation too, as an operator would.
  const env = { ...process.env, DATABASE_URL: server.database.url }
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env })
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
  const state = readState(file)
  rmSync(place, { recursive: true })
  if (!state) throw new Error('the demo has kept no state')
  return state
}

/** Of one thing of each kind, for the addresses that name one. */
async function idsOf(state: DemoState): Promise<Ids> {
  const { base_url, email, password, tag } = state
  const api = apiAs(base_url, (await signIn(base_url, email, password)).by)
  const hooks = (await api.webhooks.listWebhooks()).body.items
  const space_id = (await api.docs.listSpaces({ query: {} })).body.spaces[0]?.id ?? ''
  const { pages } = (await api.docs.listPages({ params: { space_id }, query: {} })).body
  const inSpace = { space: space_id, page: pages[0]?.id ?? '' }
  const guest = { email: addressOf('jonas', tag), role: 'editor' } as const
  await api.docs.addSpaceGuest({ params: { space_id }, body: guest })
  const desk = (await api.fleet.orderDesk({ body: { name: 'oslo-1', runtime: 'claude_code' } })).body
  return {
    board: { key: 'DSP' },
    card: { ref: 'DSP-8' },
    profile: { key: 'claude.hard' },
    webhook: { id: hooks[0]?.id ?? '' },
    machine: { id: desk.workstation_id },
    ...{ docsSpace: inSpace, docsNew: inSpace, docsPage: inSpace, docsEdit: inSpace },
    sharedBoard: { board: state.boards.DSP ?? '' },
    ...{ sharedSpace: inSpace, sharedNewPage: inSpace, sharedPage: inSpace, sharedEditPage: inSpace },
  }
}

async function signUpEmpty(): Promise<SignIn> {
  const login = { email: newEmail(), password: 'correct horse battery' }
  const body = JSON.stringify({ ...login, full_name: 'Tomas Lind', brand_name: 'Fernway' })
  const headers = { 'content-type': 'application/json' }
  expect((await server.get('/api/v1/auth/sign-up', { method: 'POST', headers, body })).status).toBe(201)
  return { base_url: server.api.url, ...login }
}

interface Set {
  /** Part of the name of each picture. */
  readonly state: string
  readonly line?: Line
  readonly sign: SignIn
  readonly addresses: readonly Address[]
}

async function take(page: Page, look: Look, set: Set, { name, path }: Address): Promise<void> {
  const { state, line = 'filled' } = set
  // The stream and what is held back would keep the page from being loaded as a whole.
  await page.goto(`${server.api.url}/dashboard${path}`, { waitUntil: 'commit', timeout: 120_000 })
  await settle(page, line === 'loading')
  if (line === 'offline') {
    await page.context().setOffline(true)
    // The form of signing in says it after the next try; every other page has the line above its content.
    await page
      .getByText('The server cannot be reached')
      .first()
      .waitFor({ timeout: 3000 })
      .catch(() => {})
  }
  await page.screenshot({ path: join(folder, `${name}.${state}.${look.name}.png`) })
  if (line === 'offline') await page.context().setOffline(false)
}

async function takeAll(browser: Browser, set: Set): Promise<void> {
  const faults: string[] = []
  await Promise.all(
    looks.map(async (look) => {
      const page = await openAs(browser, set.sign, look)
      page.on('pageerror', (error) => faults.push(`${page.url()} ${set.state}: ${error}`))
      await lines[set.line ?? 'filled'](page)
      for (const address of set.addresses) await take(page, look, set, address)
      await page.context().close()
    }),
  )
  expect(faults).toEqual([])
  const wanted = set.addresses.flatMap(({ name }) =>
    looks.map((look) => `${name}.${set.state}.${look.name}.png`),
  )
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(wanted))
}

/** With something open on them: menus, panes, dialogs, and pages for those who have not signed in. */
async function takeScenes(browser: Browser, sign: SignIn): Promise<void> {
  const wanted = scenes.filter(({ name }) => chosen.test(name))
  await Promise.all(
    looks.map(async (look) => {
      const [inside, outside] = [await openAs(browser, sign, look), await openAs(browser, undefined, look)]
      for (const { name, path, isOutside, only, prepare } of wanted) {
        if (only !== undefined && !look.name.startsWith(only)) continue
        const page = isOutside ? outside : inside
        await page.goto(`${server.api.url}/dashboard${path}`, { waitUntil: 'commit', timeout: 120_000 })
        await settle(page)
        if (!isOutside) await untilLive(page)
        await prepare?.(page)
        await page.screenshot({ path: join(folder, `${name}.scene.${look.name}.png`) })
      }
      await Promise.all([inside, outside].map((page) => page.context().close()))
    }),
  )
}

test.runIf(isFull)(
  'every page is pictured in every state, on a desk and on a phone, light and dark',
  async () => {
    if (process.env.PICTURES === undefined) rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    await server.start('worker')
    const browser = await openBrowser()
    try {
      const demo = await fillWorkspace()
      const all = listAddresses(await idsOf(demo))
      expect(all.length).toBeGreaterThan(45)
      const addresses = all.filter(({ name }) => chosen.test(name))
      const as = (name: string) => ({ ...demo, email: addressOf(name, demo.tag) })
      const named = (pattern: RegExp) => addresses.filter(({ path }) => pattern.test(path))
      const shared = addresses.filter(({ name }) => name.startsWith('shared'))
      const mine = addresses.filter(({ name }) => !name.startsWith('shared'))
      await takeScenes(browser, demo)
      for (const state of ['filled', 'loading', 'error', 'offline'] as const) {
        await takeAll(browser, { state, line: state, sign: demo, addresses: mine })
        await takeAll(browser, { state, line: state, sign: as('jonas'), addresses: shared })
      }
      const empty = addresses.filter(
        ({ path }) => !path.includes(demo.boards.DSP ?? '') && !path.includes('DSP'),
      )
      await takeAll(browser, { state: 'empty', sign: await signUpEmpty(), addresses: empty })
      // A member who is no admin.
      await takeAll(browser, { state: 'no-permission', sign: as('ines'), addresses: named(/^\/settings/) })
      for (const state of ['feature-off', 'plan-locked'] as const)
        await takeAll(browser, {
          state,
          line: state,
          sign: demo,
          addresses: named(/^\/(machines|settings\/features)/),
        })
    } finally {
      await browser.close()
    }
  },
)
