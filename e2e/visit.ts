import type { Page, Request } from 'playwright-core'
import { expect } from 'vitest'

/** The address changes before the page does. */
const isResolved = `(() => {
  const { status, location: to, resolvedLocation: shown } = __TSR_ROUTER__.state
  return status === 'idle' && shown?.href === to.href && location.pathname.endsWith(shown.pathname)
})()`

/** What is being read shows as a sketch, after a moment. */
const isSketched = `[...document.querySelectorAll('[aria-busy="true"]')].every((part) =>
  part.querySelector('.animate-skeleton') !== null)`

interface Visit {
  /** Nothing is answered: a page is there when it shows a sketch of what it will be. */
  readonly isHeld?: boolean
  /** What is answered for the server: those that are given up on the way are never told as ended. */
  readonly answered?: string
}

/** Goes from page to page as the person of a cookie. */
export async function visitAs(page: Page, origin: string, cookie: string) {
  const [name = '', value = ''] = cookie.split('=')
  await page.context().addCookies([{ name, value, url: origin }])
  return visitBy(page, origin)
}

/**
 * Goes from page to page. A page is there when it has its heading and asks for nothing more: only then has all that it shows
 * had its chance.
 */
export function visitBy(
  page: Page,
  origin: string,
  { isHeld = false, answered = '/events/stream' }: Visit = {},
) {
  const open = new Set<Request>()
  // The stream never ends.
  const unawaited = isHeld ? ['/api/v1/'] : ['/events/stream', answered]
  page.on('request', (request) => {
    if (!unawaited.some((part) => request.url().includes(part))) open.add(request)
  })
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
  /** What arrives is drawn, and may ask for more. */
  const askedAfterDrawing = async () => {
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    return open.size
  }
  const settle = async () => {
    await page.getByRole('heading').first().waitFor()
    const asked = async () => (await askedAfterDrawing()) + (await askedAfterDrawing())
    await expect.poll(asked, { interval: 20, timeout: 20_000 }).toBe(0)
    if (isHeld)
      await expect.poll(() => page.evaluate(isSketched), { interval: 20, timeout: 20_000 }).toBe(true)
    else await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
  }
  const load = async (path: string): Promise<void> => {
    open.clear()
    await page.goto(`${origin}/dashboard${path}`, { waitUntil: 'commit' })
    await settle()
  }
  /** As a link does it, from the second page on: a page that is loaded whole takes several times as long. */
  const show = async (path: string): Promise<void> => {
    const url = new URL(`${origin}/dashboard${path}`)
    if (new URL(page.url()).pathname === url.pathname || page.url() === 'about:blank') return load(path)
    await page.evaluate(`history.pushState({}, '', ${JSON.stringify(url.href)})`)
    await expect.poll(() => page.evaluate(isResolved), { interval: 20, timeout: 20_000 }).toBe(true)
    await settle()
  }
  return { page, show, load, settle }
}
