import type { Page, Request } from 'playwright-core'
import { expect } from 'vitest'

/** The address changes before the page does. */
const isResolved = `(() => {
  const { status, location: to, resolvedLocation: shown } = __TSR_ROUTER__.state
  return status === 'idle' && shown?.href === to.href && location.pathname.endsWith(shown.pathname)
})()`

/**
 * Goes from page to page as the person of a cookie. A page is there when it has its heading and asks for nothing more:
 * only then has all that it shows had its chance.
 */
export async function visitAs(page: Page, origin: string, cookie: string) {
  const [name = '', value = ''] = cookie.split('=')
  await page.context().addCookies([{ name, value, url: origin }])
  const open = new Set<Request>()
  page.on('request', (request) => {
    // The stream never ends.
    if (!request.url().includes('/events/stream')) open.add(request)
  })
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
  /** What arrives is drawn, and may ask for more. */
  const askedAfterDrawing = async () => {
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    return open.size
  }
  const settle = async () => {
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    const asked = async () => (await askedAfterDrawing()) + (await askedAfterDrawing())
    await expect.poll(asked, { interval: 20, timeout: 20_000 }).toBe(0)
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
  }
  /** As a link does it, from the second page on: a page that is loaded whole takes several times as long. */
  const show = async (path: string): Promise<void> => {
    const url = new URL(`${origin}/dashboard${path}`)
    if (new URL(page.url()).pathname === url.pathname || page.url() === 'about:blank') {
      open.clear()
      await page.goto(url.href, { waitUntil: 'commit' })
    } else {
      await page.evaluate(`history.pushState({}, '', ${JSON.stringify(url.href)})`)
      await expect.poll(() => page.evaluate(isResolved), { interval: 20, timeout: 20_000 }).toBe(true)
    }
    await settle()
  }
  return { page, show, settle }
}
