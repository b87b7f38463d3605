import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isFull } from '@crewhall/testkit/rounds.ts'
import { root } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { ensureDashboard } from '../tools/build/build-dashboard.ts'
import type { DemoState } from '../tools/demo/demo-state.ts'
import { type Scene, scenes } from '../tools/demo/page-scenes.ts'
import {
  type Address,
  type Device,
  devices,
  listAddresses,
  openBrowser,
  openPage,
  settle,
  takePair,
  themes,
  untilLive,
} from '../tools/demo/page-shots.ts'
import { cookieOf, fillWorkspace, idsOf, makeGuest, putToWork, signUpEmpty } from './picture-workspace.ts'
import { visitBy } from './visit.ts'

/** Only pages whose name has it, to look at some of them again; the others stay as they are. */
const chosen = new RegExp(process.env.PICTURES ?? '')

/** Where the pictures are kept; no part of the repository. */
const folder = resolve(root, '.reports/screenshots')

if (isFull) beforeAll(ensureDashboard)
const server = useServer('product')

const own = /\/api\/v1\/(me|auth\/\w+|events\/stream)(\?|$)/
/** With what is shared, so that a guest has pages around what is not answered. */
const ownOfGuests = /\/api\/v1\/(me|auth\/\w+|board\/shared|docs\/shared)(\?|$)/

/** What the server would have to suffer from, at the line to it: the page sees what it would see. */
const lines = {
  filled: async () => {},
  offline: async () => {},
  loading: (page: Page) => hold(page, own),
  'loading inside': (page: Page) => hold(page, ownOfGuests),
  error: (page: Page) => fail(page, own),
  'error inside': (page: Page) => fail(page, ownOfGuests),
  'feature-off': (page: Page) => withFeatures(page, { on: false, locked_by_plan: false }),
  'plan-locked': (page: Page) => withFeatures(page, { on: false, locked_by_plan: true }),
} as const
type Line = keyof typeof lines

const hold = (page: Page, except: RegExp) =>
  page.route('**/api/v1/**', (route) => (except.test(route.request().url()) ? route.continue() : undefined))

const fail = (page: Page, except: RegExp) =>
  page.route('**/api/v1/**', (route) =>
    except.test(route.request().url())
      ? route.continue()
      : route.fulfill({
          status: 500,
          json: { detail: 'Internal error' },
          headers: { 'x-request-id': '0f8a1c52-5b1f-4a57-9a3e-2f6f1f1f7c11' },
        }),
  )

const withFeatures = (page: Page, facts: object) =>
  page.route('**/api/v1/brands/*/features', async (route) => {
    // A response to "has it changed?" has no body to change.
    const { 'if-none-match': _etag, ...headers } = route.request().headers()
    const response = await route.fetch({ headers })
    const { switches, ...others } = (await response.json()) as { switches: Record<string, object> }
    const changed = Object.entries(switches).map(([key, feature]) => [key, { ...feature, ...facts }])
    await route.fulfill({ response, json: { ...others, switches: Object.fromEntries(changed) } })
  })

interface Set {
  /** Part of the name of each picture. */
  readonly state: string
  readonly line?: Line
  /** Of the session; none for those who have not signed in. */
  readonly cookie?: string
  readonly addresses: readonly Address[]
}

/** What is wrong with the pictures. One that fails does not keep the others from being taken. */
const faults: string[] = []
const taken: string[] = []

async function takeTo(page: Page, name: string, device: Device): Promise<void> {
  const shown = await page.locator('body').textContent()
  if (!shown?.trim()) faults.push(`${name} ${device.name}: nothing to see`)
  await takePair(page, (theme) => join(folder, `${name}.${device.name}-${theme}.png`))
  taken.push(...themes.map((theme) => `${name}.${device.name}-${theme}.png`))
}

/** A page in a browser of its own that tells of its faults. */
async function open(browser: Browser, device: Device, cookie: string | undefined, state: string) {
  const page = await openPage(browser, device)
  page.on('pageerror', (error) => faults.push(`${page.url()} ${state}: ${error}`))
  const [name = '', value = ''] = cookie?.split('=') ?? []
  if (cookie) await page.context().addCookies([{ name, value, url: server.api.url }])
  return page
}

async function takeSet(browser: Browser, set: Set, device: Device): Promise<void> {
  const { state, line = 'filled', cookie, addresses } = set
  const page = await open(browser, device, cookie, state)
  await lines[line](page)
  const { show, settle: settled } = visitBy(page, server.api.url, {
    isHeld: line.startsWith('loading'),
    answered: '/features',
  })
  const context = page.context()
  let isFirst = true
  for (const { name, path } of addresses) {
    await twice(`${name}.${state} ${device.name}`, async (isAgain) => {
      // What went wrong is loaded whole, and so is what comes after it.
      if (isAgain) await page.goto('about:blank')
      isFirst ||= isAgain
      await show(path)
      // When the stream begins, everything is read once more, also what could not be read.
      if (isFirst && (await page.getByRole('status').count()) > 0) await untilLive(page).then(settled)
      isFirst = false
      if (line === 'offline') await goOffline(page)
      await takeTo(page, `${name}.${state}`, device)
    })
    if (line === 'offline') await context.setOffline(false)
  }
  await context.close()
}

/** The line to the server is cut: whatever follows what happens says so. */
async function goOffline(page: Page): Promise<void> {
  await untilLive(page)
  await page.context().setOffline(true)
  await page.getByRole('status').filter({ hasText: 'Offline' }).first().waitFor({ state: 'attached' })
}

/** With something open on them: menus, panes, dialogs, and pages for those who have not signed in. */
async function takeScenes(browser: Browser, list: readonly Scene[], cookie: string, device: Device) {
  for (const { name, path, isOutside, only, prepare } of list) {
    if (only !== undefined && device.name !== only) continue
    await twice(`${name}.scene ${device.name}`, async () => {
      const page = await open(browser, device, isOutside ? undefined : cookie, name)
      try {
        await visitBy(page, server.api.url).load(path)
        if (!isOutside) await untilLive(page)
        await prepare?.(page)
        await settle(page)
        await takeTo(page, `${name}.scene`, device)
      } finally {
        await page.context().close()
      }
    })
  }
}

/** Browsers give up what they read when a network of the machine comes or goes, as those of other tests do. */
async function twice(name: string, take: (isAgain: boolean) => Promise<void>): Promise<void> {
  try {
    await take(false)
  } catch {
    await take(true).catch((error) => faults.push(`${name}: ${error}`))
  }
}

/** So many pages at a time: they wait for one another's turn at the processor, and for limits of time. */
const atOnce = 4
/** What nothing answers ends with an error after half a minute, so a page that waits is not kept for long. */
const inOneGo = 12

async function runAll(tasks: readonly (() => Promise<void>)[]): Promise<void> {
  const left = [...tasks]
  const work = async () => {
    for (let task = left.shift(); task; task = left.shift()) await task()
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

const parted = <T>(list: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(list.length / inOneGo) }, (_, at) =>
    list.slice(at * inOneGo, (at + 1) * inOneGo),
  )

async function setsOf(demo: DemoState, tomas: string): Promise<readonly Set[]> {
  const all = listAddresses(await idsOf(demo)).filter(({ name }) => name !== 'sharedDocs')
  expect(all.length).toBeGreaterThan(45)
  const addresses = all.filter(({ name }) => chosen.test(name))
  const isOutside = ({ path }: Address) => /^\/(sign-in|sign-up|reset|invite|confirm|device)$/.test(path)
  const outside = addresses.filter(isOutside)
  const inside = addresses.filter((address) => !isOutside(address))
  const named = (pattern: RegExp) => addresses.filter(({ path }) => pattern.test(path))
  const shared = inside.filter(({ name }) => name.startsWith('shared'))
  const mine = inside.filter(({ name }) => !name.startsWith('shared'))
  const [kai, ines] = [await makeGuest(demo, 'kai'), await cookieOf(demo, 'ines')]
  await putToWork(demo)
  return [
    ...(['error', 'offline', 'filled', 'loading'] as const).map((state) => ({
      state,
      line: state,
      cookie: tomas,
      addresses: mine,
    })),
    ...(['offline', 'filled'] as const).map((state) => ({
      state,
      line: state,
      cookie: kai,
      addresses: shared,
    })),
    ...(['error', 'loading'] as const).flatMap((state) => [
      { state, line: state, cookie: kai, addresses: shared.filter(({ name }) => name === 'shared') },
      {
        state,
        line: `${state} inside` as const,
        cookie: kai,
        addresses: shared.filter(({ name }) => name !== 'shared'),
      },
    ]),
    { state: 'filled', addresses: outside },
    {
      state: 'empty',
      cookie: await signUpEmpty(demo.base_url),
      addresses: mine.filter(({ path }) => !/DSP|\$|-.*-.*-/.test(path)),
    },
    // A member who is no admin.
    { state: 'no-permission', cookie: ines, addresses: named(/^\/(settings|profiles)/) },
    ...(['feature-off', 'plan-locked'] as const).map((state) => ({
      state,
      line: state,
      cookie: tomas,
      addresses: named(/^\/(machines|settings\/features)/),
    })),
  ]
}

test.runIf(isFull)(
  'every page is pictured in every state, on a desk and on a phone, light and dark',
  async () => {
    if (process.env.PICTURES === undefined) rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    await server.start('worker')
    const browser = await openBrowser()
    try {
      const demo = await fillWorkspace(server.api.url, server.database.url)
      const tomas = await cookieOf(demo, 'tomas')
      const sets = await setsOf(demo, tomas)
      const begun = Date.now()
      await runAll(
        devices.flatMap((device) =>
          sets.flatMap((set) =>
            parted(set.addresses).map((addresses) => () => takeSet(browser, { ...set, addresses }, device)),
          ),
        ),
      )
      const wanted = scenes.filter(({ name }) => chosen.test(name))
      await runAll(
        devices.flatMap((device) =>
          parted(wanted).map((list) => () => takeScenes(browser, list, tomas, device)),
        ),
      )
      console.log(`${taken.length} pictures in ${Math.round((Date.now() - begun) / 1000)} s`)
    } finally {
      await browser.close()
    }
    expect(faults).toEqual([])
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(taken))
  },
)
