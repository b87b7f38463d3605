import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'

/** Debian's browser without a window; `npm run test:e2e` installs it. */
const executablePath = '/usr/bin/chromium-headless-shell'
const args = ['--no-sandbox', '--disable-dev-shm-usage']

interface Opened {
  readonly width?: number
  readonly height?: number
  readonly theme?: 'light' | 'dark'
}

export interface TestBrowser {
  /** A page of a person of their own: no cookie of any other. What it complains about fails the test. */
  open(url: string, how?: Opened): Promise<Page>
  /** The same before it is anywhere, for a person who signs in by `page.request`: loading the dashboard costs a second. */
  blank(how?: Opened): Promise<Page>
}

/** A browser for one test file. Pages are closed after each test. */
export function useBrowser(): TestBrowser {
  let browser: Browser | undefined
  const contexts: BrowserContext[] = []
  const complaints: string[] = []
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args })
  })
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await tellPages(contexts)
    await Promise.all(contexts.splice(0).map((context) => context.close()))
    expect(complaints.splice(0)).toEqual([])
  })
  afterAll(() => browser?.close())
  const blank = async ({ width = 1440, height = 900, theme = 'light' }: Opened = {}): Promise<Page> => {
    if (!browser) throw new Error('the browser is up only while tests run')
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme })
    contexts.push(context)
    context.setDefaultTimeout(30_000)
    const page = await context.newPage()
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => {
      // Refusals of the API are written there too; the test looks at what the page makes of them.
      const isRefusal = message.text().startsWith('Failed to load resource')
      if (message.type() === 'error' && !isRefusal) complaints.push(message.text())
    })
    let home: string | undefined
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url())
      if (!protocol.startsWith('http')) return
      home ??= origin
      if (origin !== home) complaints.push(`asked ${request.url()}`)
    })
    return page
  }
  return {
    blank,
    async open(url, how) {
      const page = await blank(how)
      await page.goto(url)
      return page
    },
  }
}

/** What each page showed when its test failed. */
async function tellPages(contexts: readonly BrowserContext[]): Promise<void> {
  for (const page of contexts.flatMap((context) => context.pages())) {
    const text = await page.locator('body').textContent({ timeout: 5000 }).catch(String)
    console.error(`${page.url()}\n${text?.slice(0, 1000)}`)
  }
}

/** What keeps people out, on the page as it is now. */
export async function seriousFaults(page: Page): Promise<string[]> {
  await untilStill(page)
  // No page here has a frame of another origin, for which it would open a second page each time; and what is right is
  // not described element by element. Its source takes as long to read as a page does to judge: once per document.
  const isThere = await page.evaluate(() => 'axe' in globalThis)
  const { violations } = await new AxeBuilder({ page, ...(isThere && { axeSource: ';' }) })
    .setLegacyMode()
    .options({ resultTypes: ['violations'] })
    .analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
}

const still = `(async () => {
  const isMoving = ({ playState, effect }) => playState === 'running' && effect?.getComputedTiming().endTime !== Infinity
  for (;;) {
    // What was shown just now begins to move with the second frame.
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame)
    const moving = document.getAnimations().filter(isMoving)
    if (moving.length === 0) return
    await Promise.allSettled(moving.map(({ finished }) => finished))
  }
})()`

/** What comes or goes is half transparent, and may hold the focus of what is no longer there. */
async function untilStill(page: Page): Promise<void> {
  await page.evaluate(still)
}
