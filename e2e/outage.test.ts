import { setTimeout } from 'node:timers/promises'
import { type Gateway, startGateway } from '@crewhall/testkit/gateway.ts'
import { isFull, scaled } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensureDashboard } from '../tools/build/build-dashboard.ts'
import { useBrowser } from './browser.ts'

beforeAll(ensureDashboard)
// This process stays and takes the changes; the one that the browsers reach is killed.
const server = useServer('product')
const browser = useBrowser()
const world = new World(server)
const outage_ms = scaled(30_000, 3_000)
const limit_ms = 10_000

let gateway: Gateway | undefined
afterAll(() => gateway?.close())

interface Listed {
  readonly id: string
  readonly ref: string
  readonly title: string
  readonly column: { readonly id: string }
}
interface Board {
  readonly id: string
  readonly columns: readonly { readonly id: string; readonly name: string }[]
}
type Shown = readonly { readonly column: string; readonly cards: readonly string[] }[]

/** A workspace with two people and a board of 200 cards, and what its API says. */
async function newTeam() {
  const brand_id = await world.newBrand()
  const people = [await world.join(brand_id, 'admin'), await world.join(brand_id, 'member')]
  const cookies = await Promise.all(people.map(({ person_id }) => world.newCookie(person_id, brand_id)))
  const by = { cookie: cookies[0] ?? '' }
  const call = <Body = Record<string, string>>(method: string, path: string, body?: unknown) =>
    world.made<Body>(by, method, `/api/v1/board${path}`, body)
  const { id } = await call('POST', '/boards', { name: 'Outage', key: 'OUT' })
  const getBoard = () => call<Board>('GET', `/boards/${id}`)
  const listCards = async () => {
    const found: Listed[] = []
    for (let cursor: string | null = 'start'; cursor !== null; ) {
      const path = `/boards/${id}/tasks?per_page=100&cursor=${encodeURIComponent(cursor)}`
      const part: { items: Listed[]; next_cursor: string | null } = await call('GET', path)
      found.push(...part.items)
      cursor = part.next_cursor
    }
    return found
  }
  const batch = async (operations: readonly object[]) => {
    const { results } = await call<{ results: { status: number }[] }>('POST', `/boards/${id}/tasks:batch`, {
      operations,
    })
    expect(results.filter(({ status }) => status >= 300)).toEqual([])
    return operations.length
  }
  const { columns } = await getBoard()
  const columnAt = (at: number) => columns[at % columns.length]?.name ?? ''
  const create = (title: string, at: number) => ({ op: 'create', task: { title, column: columnAt(at) } })
  for (const part of ['Early', 'Old'])
    await batch(Array.from({ length: 100 }, (_, at) => create(`${part} ${at}`, at)))
  const read = async (): Promise<Shown> => {
    const [board, cards] = await Promise.all([getBoard(), listCards()])
    return board.columns.map(({ id, name }) => ({
      column: name,
      cards: cards.filter(({ column }) => column.id === id).map(({ ref, title }) => `${ref} ${title}`),
    }))
  }
  return { cookies, call, batch, create, columnAt, getBoard, listCards, read, board_id: id }
}

/** 500 changes of every kind that a board shows: new cards, moves, titles, archived ones and columns. */
async function change500({ call, batch, create, columnAt, getBoard, listCards, board_id }: Team) {
  const cards = await listCards()
  const idAt = (at: number) => cards[at]?.id ?? ''
  let count = await batch(Array.from({ length: 100 }, (_, at) => create(`Meanwhile ${at}`, at * 3)))
  const above = (card?: Listed) => ({ column: card?.column.id, before_id: card?.id })
  const move = (at: number) => ({
    ...{ op: 'move', task_id: idAt(at) },
    // Some to the end of a column, some above another card, wherever that stands.
    ...(at % 3 === 0 ? above(cards[199 - (at % 40)]) : { column: columnAt(at + 1) }),
  })
  count += await batch(Array.from({ length: 100 }, (_, at) => move(at)))
  for (const turn of ['once', 'twice'])
    count += await batch(
      Array.from({ length: 100 }, (_, at) => ({
        ...{ op: 'change', task_id: idAt(at + 40), change: { title: `Renamed ${turn} ${at}` } },
      })),
    )
  count += await batch(Array.from({ length: 97 }, (_, at) => ({ op: 'archive', task_id: idAt(at + 1) })))
  const [first] = (await getBoard()).columns
  await call('PATCH', `/columns/${first?.id}`, { name: 'Waiting' })
  await call('POST', `/boards/${board_id}/columns`, { name: 'In test', status: 'review' })
  await call('PATCH', `/tasks/${idAt(0)}`, { title: 'The one that is open' })
  return count + 3
}
type Team = Awaited<ReturnType<typeof newTeam>>

/** What the board shows, column by column. In a window of this height, all of it is in the page. */
async function shownOn(page: Page): Promise<Shown> {
  await page.setViewportSize({ width: 2000, height: 30_000 })
  return page.evaluate<Shown>(`[...document.querySelectorAll('[data-column]')].map((column) => ({
    column: column.getAttribute('aria-label'),
    cards: [...column.querySelectorAll('li[data-card]')]
      .sort((a, b) => a.dataset.index - b.dataset.index)
      .map((card) => card.dataset.card + ' ' + card.querySelector('p[dir]').textContent),
  }))`)
}

// Behind a dialog it has no role, but it is seen.
const mark = (page: Page, word: string | RegExp) =>
  page.locator('[role="status"]').filter({ hasText: word }).first()

test(`the server is killed for ${outage_ms / 1000} s behind a proxy, 500 changes meanwhile: two browsers equal the API within 10 s, without a reload and with what was typed`, async () => {
  const team = await newTeam()
  const front = await server.start('api')
  gateway = await startGateway(front.url)
  const { url } = gateway
  const openAs = async (cookie = '') => {
    const page = await browser.open(`${url}/dashboard/sign-in`)
    const [name = '', value = ''] = cookie.split('=')
    await page.context().addCookies([{ name, value, url }])
    await page.goto(`${url}/dashboard/boards/OUT`)
    await mark(page, 'Live').waitFor()
    return page
  }
  const [one, two] = [await openAs(team.cookies[0]), await openAs(team.cookies[1])]
  const before = await team.read()
  for (const page of [one, two]) {
    await expect.poll(() => shownOn(page), { timeout: limit_ms }).toEqual(before)
    await page.setViewportSize({ width: 1440, height: 900 })
  }
  const tab = await one.context().newPage()
  await tab.goto(`${url}/dashboard/boards`)
  await mark(tab, 'Live').waitFor()
  const [open] = await team.listCards()
  await one.locator(`[data-card="${open?.ref}"] a`).click()
  const comment = one.getByLabel('Comment', { exact: true })
  await comment.pressSequentially('Half of it before, ')
  await two.keyboard.press('c')
  await two.getByLabel('Title').pressSequentially('Half a title')
  const pages = [one, two, tab]
  for (const page of pages) await page.evaluate('window.stayed = true')

  const killed = performance.now()
  await front.kill()
  const changing = change500(team)
  for (const page of pages) {
    await mark(page, /Reconnecting|Offline/).waitFor()
    // Somebody comes back to the tab, and what it asks then cannot be had.
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
  }
  await comment.pressSequentially('half of it while the server is away')
  await tab.getByRole('link', { name: 'Documents' }).click()
  await tab.getByText('The page could not be loaded').waitFor()
  expect(await changing).toBe(500)
  await setTimeout(outage_ms - (performance.now() - killed))
  if (isFull) {
    for (const page of pages) await mark(page, 'Offline').waitFor()
    expect(await one.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
  }
  expect(gateway.refused).toBeGreaterThan(0)
  await expect.poll(() => shownOn(two), { timeout: limit_ms }).toEqual(before)

  const again = await server.start('api')
  const away_ms = performance.now() - killed
  gateway.leadTo(again.url)
  const since = performance.now()
  const after = await team.read()
  const equal = async (page: Page) => {
    await expect.poll(() => shownOn(page), { timeout: limit_ms, interval: 100 }).toEqual(after)
    return performance.now() - since
  }
  const took_ms = await Promise.all([equal(one), equal(two)])
  console.log(
    `away for ${Math.round(away_ms)} ms, ${gateway.refused} requests answered 502, equal after ${took_ms.map(Math.round)} ms`,
  )
  expect(Math.max(...took_ms)).toBeLessThan(limit_ms)
  await tab.getByRole('heading', { name: 'Documents', exact: true }).waitFor()
  for (const page of pages) {
    await mark(page, 'Live').waitFor()
    expect(await page.evaluate('window.stayed')).toBe(true)
  }

  const text = 'Half of it before, half of it while the server is away'
  expect(await comment.inputValue()).toBe(text)
  await comment.press('Control+Enter')
  expect(await two.getByLabel('Title').inputValue()).toBe('Half a title')
  await two.getByLabel('Title').press('Enter')
  const items = async () => (await team.call<{ items: object[] }>('GET', `/tasks/${open?.id}/comments`)).items
  await expect.poll(items, { timeout: limit_ms }).toMatchObject([{ body: text }])
  const titles = async () => (await team.listCards()).map(({ title }) => title)
  await expect.poll(titles, { timeout: limit_ms }).toContain('Half a title')
})
