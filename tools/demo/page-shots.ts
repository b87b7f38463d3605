import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { repositoryRoot } from '@crewhall/services/facts.ts'
import { type Browser, chromium, type Page } from 'playwright-core'

export interface Look {
  readonly name: string
  readonly width: number
  readonly height: number
  readonly theme: 'light' | 'dark'
}

const desk = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }
export const looks: readonly Look[] = [
  { name: 'desk-light', ...desk, theme: 'light' },
  { name: 'desk-dark', ...desk, theme: 'dark' },
  { name: 'phone-light', ...phone, theme: 'light' },
  { name: 'phone-dark', ...phone, theme: 'dark' },
]

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

/** A browser of somebody who has signed in. */
export async function openAs(browser: Browser, sign: SignIn | undefined, look: Look): Promise<Page> {
  const { width, height, theme } = look
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(30_000)
  const page = await context.newPage()
  if (!sign) return page
  const { base_url, email, password } = sign
  const signedIn = await page.request.post(`${base_url}/api/v1/auth/sign-in`, { data: { email, password } })
  if (!signedIn.ok()) throw new Error(`sign-in was refused with ${signedIn.status()}`)
  return page
}

/** The format that makes the smallest files of a page; only the protocol of the browser has it. */
export async function takeWebp(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 90 })
  return Buffer.from(data, 'base64')
}

/** Shown, with its fonts, and nothing on the way; or, while nothing arrives, with the sketch of what will. */
export async function settle(page: Page, isLoading = false): Promise<void> {
  await page.evaluate('document.fonts.ready')
  // The stream never ends, so the network is never idle: what is still read shows as a skeleton.
  const sketch = page.locator('[aria-busy="true"]').first()
  if (isLoading)
    await page
      .locator('.animate-skeleton')
      .first()
      .waitFor({ timeout: 2000 })
      .catch(() => {})
  else {
    await page
      .getByRole('main')
      .first()
      .waitFor({ timeout: 15_000 })
      .catch(() => {})
    await sketch.waitFor({ state: 'detached', timeout: 10_000 }).catch(() => {})
    await page.waitForFunction('[...document.images].every((image) => image.complete)').catch(() => {})
  }
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
}

export const untilLive = (page: Page): Promise<void> =>
  page.getByRole('status').filter({ hasText: 'Live' }).waitFor({ state: 'attached' })

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
