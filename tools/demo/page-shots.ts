import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { repositoryRoot } from '@crewhall/services/facts.ts'
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core'

interface Device {
  readonly name: 'desk' | 'phone'
  readonly width: number
  readonly height: number
}

export const desk: Device = { name: 'desk', width: 1440, height: 900 }
export const phone: Device = { name: 'phone', width: 390, height: 844 }
export const devices: readonly Device[] = [desk, phone]
export type { Device }

export const themes = ['light', 'dark'] as const
type Theme = (typeof themes)[number]

/** Debian's browser; `npm run test:e2e -- prepare` installs it. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--font-render-hinting=none'],
  })

export interface SignIn {
  readonly base_url: string
  readonly email: string
  readonly password: string
}

/** A page of a browser in which nobody has signed in. */
export async function openPage(browser: Browser, device: Device, theme: Theme = 'light'): Promise<Page> {
  const { width, height } = device
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    hasTouch: device.name === 'phone',
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(30_000)
  await context.addInitScript(stillness)
  return context.newPage()
}

/** Colours of the other theme would come level by level, a frame each, and a caret is there every other time. */
const stillness = `{
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('*, ::before, ::after { transition: none !important; caret-color: transparent !important }')
  document.adoptedStyleSheets = [sheet]
}`

export async function signInTo(context: BrowserContext, sign: SignIn): Promise<void> {
  const { base_url, email, password } = sign
  const signedIn = await context.request.post(`${base_url}/api/v1/auth/sign-in`, {
    data: { email, password },
  })
  if (!signedIn.ok()) throw new Error(`sign-in was refused with ${signedIn.status()}`)
}

/** The format that makes the smallest files of a page; only the protocol of the browser has it. */
export async function takeWebp(page: Page): Promise<Buffer> {
  const session = await sessionOf(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 90 })
  return Buffer.from(data, 'base64')
}

const sessions = new WeakMap<Page, CDPSession>()

async function sessionOf(page: Page): Promise<CDPSession> {
  const known = sessions.get(page) ?? (await page.context().newCDPSession(page))
  sessions.set(page, known)
  return known
}

/** What is shown, light and dark: loading a page takes several times as long as changing its colours. */
export async function takePair(page: Page, fileOf: (theme: Theme) => string): Promise<void> {
  const session = await sessionOf(page)
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme })
    await drawn(page)
    const { data } = await session.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true })
    writeFileSync(fileOf(theme), data, 'base64')
  }
}

const drawn = (page: Page): Promise<unknown> =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')

/** Shown, with its fonts and pictures, and nothing on the way. */
export async function settle(page: Page): Promise<void> {
  await page.getByRole('heading').first().waitFor({ state: 'attached' })
  // The stream never ends, so the network is never idle: what is still read shows as a sketch.
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
  // The policy of the page forbids what `waitForFunction` would do there.
  for (let tries = 0; tries < 200 && !(await page.evaluate(isPainted)); tries += 1) await drawn(page)
  await drawn(page)
}

/** Pictures out of sight are not read at all. */
const isPainted = `document.fonts.status === 'loaded' && [...document.images].every(
  (image) => image.complete || image.getBoundingClientRect().top > innerHeight)`

export const untilLive = (page: Page): Promise<void> =>
  page.getByRole('status').filter({ hasText: 'Live' }).first().waitFor({ state: 'attached' })

/** The parameters of addresses that name a thing, by the name of the address. */
export type Ids = Readonly<Record<string, Readonly<Record<string, string>>>>

export interface Address {
  readonly name: string
  readonly path: string
}

/** Every address of the dashboard that needs no id, or one that is known. */
export function listAddresses(ids: Ids): Address[] {
  const source = readFileSync(resolve(repositoryRoot, 'apps/dashboard/src/app/paths.ts'), 'utf8')
  const found = [...source.matchAll(/^ {2}(\w+): '(\/[^']*)',$/gm)]
  return found.flatMap(([, name = '', pattern = '']) => {
    const path = pattern.replaceAll(/\$(\w+)/g, (whole, parameter: string) => ids[name]?.[parameter] ?? whole)
    return path.includes('$') ? [] : [{ name, path }]
  })
}
