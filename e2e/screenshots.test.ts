import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { newEmail } from '@crewhall/testkit/people.ts'
import { isFull } from '@crewhall/testkit/rounds.ts'
import { root } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { ensureDashboard } from '../tools/build/build-dashboard.ts'
import { readState } from '../tools/demo/demo-state.ts'
import { listAddresses, looks, openAs, openBrowser, type SignIn, settle } from '../tools/demo/page-shots.ts'

/** Where the pictures are kept; no part of the repository. */
const folder = resolve(root, '.reports/screenshots')

beforeAll(ensureDashboard)
const server = useServer('product')

type State = 'filled' | 'empty' | 'loading' | 'error' | 'offline'
const own = /\/api\/v1\/(me|events\/stream)(\?|$)/

/** What the server would have to suffer from, at the line to it: the page sees what it would see. */
async function arrange(page: Page, state: State): Promise<void> {
  if (state === 'loading')
    await page.route('**/api/v1/**', (route) =>
      own.test(route.request().url()) ? route.continue() : undefined,
    )
  if (state === 'error')
    await page.route('**/api/v1/**', (route) =>
      own.test(route.request().url())
        ? route.continue()
        : route.fulfill({
            status: 500,
            json: { detail: 'Internal error' },
            headers: { 'x-request-id': 'req-1' },
          }),
    )
}

async function fillWorkspace(): Promise<SignIn & { readonly webhook: string }> {
  const place = mkdtempSync(join(tmpdir(), 'shots-'))
  const file = join(place, 'state.json')
  const args = ['tools/demo/demo.ts', '--still', '--base-url', server.api.url, '--state', file]
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' })
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
  const state = readState(file)
  rmSync(place, { recursive: true })
  if (!state) throw new Error('the demo has kept no state')
  const cookie = await signInOver(state.email, state.password)
  const { items } = (await (await server.get('/api/v1/webhooks', { headers: { cookie } })).json()) as {
    items: { id: string }[]
  }
  return { ...state, webhook: items[0]?.id ?? '' }
}

async function signInOver(email: string, password: string): Promise<string> {
  const body = JSON.stringify({ email, password })
  const headers = { 'content-type': 'application/json' }
  const answer = await server.get('/api/v1/auth/sign-in', { method: 'POST', headers, body })
  return answer.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
}

async function signUpEmpty(): Promise<SignIn> {
  const login = { email: newEmail(), password: 'correct horse battery' }
  const body = JSON.stringify({ ...login, full_name: 'Tomas Lind', brand_name: 'Fernway' })
  const headers = { 'content-type': 'application/json' }
  expect((await server.get('/api/v1/auth/sign-up', { method: 'POST', headers, body })).status).toBe(201)
  return { base_url: server.api.url, ...login }
}

async function takeAll(browser: Browser, sign: SignIn, state: State, ids: Record<string, string>) {
  let taken = 0
  for (const look of looks) {
    const page = await openAs(browser, sign, look)
    await arrange(page, state)
    for (const { name, path } of listAddresses(ids)) {
      await page.goto(`${server.api.url}/dashboard${path}`)
      await settle(page)
      if (state === 'offline') {
        await page.context().setOffline(true)
        await page
          .getByText('The server cannot be reached')
          .waitFor({ timeout: 5000 })
          .catch(() => {})
      }
      await page.screenshot({ path: join(folder, `${name}.${state}.${look.name}.png`) })
      if (state === 'offline') await page.context().setOffline(false)
      taken += 1
    }
    await page.context().close()
  }
  return taken
}

test.runIf(isFull)(
  'every page is pictured in every state, on a desk and on a phone, light and dark',
  async () => {
    mkdirSync(folder, { recursive: true })
    await server.start('worker')
    const browser = await openBrowser()
    try {
      const demo = await fillWorkspace()
      const ids = { board: 'DSP', card: 'DSP-8', profile: 'claude.hard', webhook: demo.webhook }
      for (const state of ['filled', 'loading', 'error', 'offline'] as const)
        expect(await takeAll(browser, demo, state, ids)).toBeGreaterThan(4 * 10)
      expect(await takeAll(browser, await signUpEmpty(), 'empty', {})).toBeGreaterThan(4 * 10)
    } finally {
      await browser.close()
    }
  },
)
