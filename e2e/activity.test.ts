import { useServer } from '@crewhall/testkit/test-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { ensureDashboard } from '../tools/build/build-dashboard.ts'
import { seriousFaults, useBrowser } from './browser.ts'

beforeAll(ensureDashboard)
const server = useServer('product')
const browser = useBrowser()
const world = new World(server)

type Opened = NonNullable<Parameters<typeof browser.open>[1]>

/** A page of a member of the workspace, signed in. */
async function openAs(brand_id: number, person_id: number, path: string, how: Opened = {}) {
  const page = await browser.open(`${server.api.url}/dashboard/sign-in`, how)
  const [name = '', value = ''] = (await world.newCookie(person_id, brand_id)).split('=')
  await page.context().addCookies([{ name, value, url: server.api.url }])
  await page.goto(`${server.api.url}/dashboard${path}`)
  await page.getByRole('status').filter({ hasText: 'Live' }).first().waitFor()
  return page
}

const sender = (page: Page) => async (method: string, path: string, data?: unknown) => {
  const answer = await page.request.fetch(`${server.api.url}/api/v1${path}`, { method, data })
  expect(answer.ok(), `${path} ${answer.status()}`).toBe(true)
  return (await answer.json()) as Record<string, string>
}

async function newTeam() {
  const brand_id = await world.newBrand()
  const [ines, tomas] = [await world.join(brand_id, 'admin'), await world.join(brand_id, 'member')]
  await world.sql('update identity.people set full_name = $2 where id = $1', [ines.person_id, 'Ines Okafor'])
  await world.sql('update identity.people set full_name = $2 where id = $1', [tomas.person_id, 'Tomas Lind'])
  return { brand_id, ines: ines.person_id, tomas: tomas.person_id }
}

/** Moves of the past 40 days. Over the API they would take minutes. */
const addEntries = (board_id = '', card_id = '', count = 0) =>
  server.sql(
    `insert into boards.activity (brand_id, board_id, created_at, action, card_id, actor, data, told)
     select brand_id, id, last_activity_at - n * interval '40 days' / $3::int, 'task.moved', $2::uuid,
       '{"kind": "member", "id": "1", "name": "Wren Past", "on_behalf_of": null}', '{"from": "To do", "to": "Done"}',
       jsonb_build_object('ref', key || '-1', 'title', 'Move ' || n)
     from boards.boards, generate_series(1, $3::int) n where id = $1`,
    [board_id, card_id, count],
  )

const scrollTo = (page: Page, part: number) =>
  page.evaluate(`{
    const { parentElement: scroller } = document.querySelector('ul[aria-label="Activity"]')
    scroller.scrollTop = scroller.scrollHeight * ${part}
  }`)
const feedOf = (page: Page) => page.getByRole('list', { name: 'Activity' })

test('what happens on all boards is seen live, and filtered by board, person and kind', async () => {
  const { brand_id, ines, tomas } = await newTeam()
  const page = await openAs(brand_id, ines, '/activity')
  await page.getByText('Nothing has happened yet').waitFor()
  expect(await seriousFaults(page)).toEqual([])
  const byInes = sender(page)
  const byTomas = sender(await openAs(brand_id, tomas, '/boards'))
  const dispatch = await byInes('POST', '/board/boards', { name: 'Dispatch API', key: 'DSP' })
  const drivers = await byTomas('POST', '/board/boards', { name: 'Drivers', key: 'DRV' })
  const feed = feedOf(page)
  await feed.getByText('made the board').nth(1).waitFor()
  await byInes('POST', `/board/boards/${dispatch.id}/tasks`, { title: 'Price tolls' })
  const card = await byTomas('POST', `/board/boards/${drivers.id}/tasks`, { title: 'Rest times' })
  await feed.getByRole('link', { name: 'DRV-1 Rest times' }).waitFor()
  const since = performance.now()
  await byTomas('POST', `/board/tasks/${card.id}/comments`, { body: 'Seen live' })
  await feed.getByText('commented').waitFor()
  expect(performance.now() - since).toBeLessThan(1500)
  expect((await feed.getByRole('listitem').allInnerTexts()).slice(0, 2)).toEqual([
    'Today',
    expect.stringMatching(/Tomas Lind commented/),
  ])
  expect(await seriousFaults(page)).toEqual([])

  await page.getByRole('button', { name: /^Board/ }).click()
  await page.getByRole('menuitem', { name: 'Dispatch API' }).click()
  await feed.getByText('Rest times').waitFor({ state: 'detached' })
  await feed.getByText('Price tolls').waitFor()
  expect(page.url()).toContain('board=DSP')
  await page.getByRole('button', { name: /^By/ }).click()
  await page.getByRole('menuitem', { name: 'Tomas Lind' }).click()
  await page.getByText('No entry matches').waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await feed.getByText('Rest times').first().waitFor()
  // A filter of the address holds after a reload.
  await page.goto(`${server.api.url}/dashboard/activity?action=commented`)
  await feed.getByText('commented').waitFor()
  expect(await feed.getByText(/created|made/).count()).toBe(0)

  // A board whose entries are all too old to be kept is followed as well.
  const quiet = await byTomas('POST', '/board/boards', { name: 'Quiet', key: 'QUI' })
  await server.sql('delete from boards.activity where board_id = $1', [quiet.id])
  await page.goto(`${server.api.url}/dashboard/activity?board=QUI`)
  await page.getByText('Nothing has happened here yet').waitFor()
  await byTomas('POST', `/board/boards/${quiet.id}/tasks`, { title: 'Heard again' })
  await feed.getByRole('link', { name: 'QUI-1 Heard again' }).waitFor()
  await byTomas('POST', `/board/boards/${quiet.id}/tasks`, { title: 'And again' })
  await feed.getByRole('link', { name: 'QUI-2 And again' }).waitFor()
  expect(await feed.getByText('Heard again').count()).toBe(1)

  // The panel of the card reads the same feed, of the card alone.
  await page.goto(`${server.api.url}/dashboard/activity?action=commented`)
  await feed.getByRole('link', { name: 'DRV-1 Rest times' }).click()
  const panel = page.getByRole('complementary', { name: /DRV-1|Card/ }).or(page.getByRole('dialog'))
  await panel.getByRole('tab', { name: 'Activity' }).click()
  await panel.getByText('created the card').waitFor()
})

const entries = 20_000

test(`${entries.toLocaleString('en')} entries scroll to the end, and what comes in does not move the reader`, async () => {
  const { brand_id, ines } = await newTeam()
  const page = await openAs(brand_id, ines, '/boards')
  const send = sender(page)
  const board = await send('POST', '/board/boards', { name: 'Dispatch API', key: 'DSP' })
  const card = await send('POST', `/board/boards/${board.id}/tasks`, { title: 'Price tolls' })
  await addEntries(board.id, card.id, entries)
  await page.addInitScript(`longTasks = []
    new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => Math.round(duration))))
      .observe({ type: 'longtask' })`)
  await page.goto(`${server.api.url}/dashboard/activity`)
  const feed = feedOf(page)
  await feed.getByText('created the card').waitFor()

  const scrolled = await page.evaluate<{
    ms: number
    most: number
    steps: number
    nodes: number
  }>(`(async () => {
    const list = document.querySelector('ul[aria-label="Activity"]')
    const began = performance.now()
    let [most, steps] = [0, 0]
    while (!list.textContent.includes('Nothing older is kept.')) {
      list.parentElement.scrollTop = list.parentElement.scrollHeight
      await new Promise((resolve) => requestAnimationFrame(resolve))
      most = Math.max(most, list.querySelectorAll('li').length)
      steps += 1
    }
    const ms = Math.round(performance.now() - began)
    return { ms, most, steps, nodes: document.querySelectorAll('*').length }
  })()`)
  const longTasks = await page.evaluate<number[]>('longTasks')
  const sorted = longTasks.toSorted((a, b) => a - b)
  console.log(
    `${entries} entries in ${scrolled.ms} ms and ${scrolled.steps} frames, at most ${scrolled.most} rows, ${scrolled.nodes} nodes; ` +
      `${sorted.length} long tasks, median ${sorted[Math.floor(sorted.length / 2)] ?? 0} ms, longest ${sorted.at(-1) ?? 0} ms`,
  )
  expect(scrolled.most).toBeLessThanOrEqual(200)
  await feed.getByText(`Move ${entries}`).waitFor()

  // In the middle: an entry that comes in is told above, and leaves what is read where it is.
  await scrollTo(page, 0.5)
  const row = feed.getByRole('link', { name: /Move \d+$/ }).nth(15)
  await row.waitFor()
  const [name, place] = [(await row.textContent()) ?? '', await row.boundingBox()]
  await send('POST', `/board/tasks/${card.id}/comments`, { body: 'Seen live' })
  await page.getByRole('button', { name: '1 new entry' }).waitFor()
  expect(await feed.getByRole('link', { name, exact: true }).boundingBox()).toEqual(place)
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('button', { name: '1 new entry' }).click()
  await feed.getByText('commented').waitFor()
  await page.getByRole('button', { name: '1 new entry' }).waitFor({ state: 'detached' })
}, 60_000)

test('an older page that cannot be read is told at the end with the request, and read again', async () => {
  const { brand_id, ines } = await newTeam()
  const page = await openAs(brand_id, ines, '/boards', { width: 390, height: 844, theme: 'dark' })
  const send = sender(page)
  const board = await send('POST', '/board/boards', { name: 'Dispatch API', key: 'DSP' })
  const card = await send('POST', `/board/boards/${board.id}/tasks`, { title: 'Price tolls' })
  await addEntries(board.id, card.id, 500)
  let isBroken = true
  // Only the first page is let through: the line to the server breaks, not the server.
  await page.route('**/board/activity/**', (route) =>
    isBroken && !route.request().url().includes('before=now') ? route.abort() : route.continue(),
  )
  await page.goto(`${server.api.url}/dashboard/activity?board=DSP`)
  const feed = feedOf(page)
  await feed.getByText('created the card').waitFor()
  await scrollTo(page, 1)
  await feed.getByText(/Older entries could not be loaded/).waitFor()
  expect(await seenId(page, feed)).toMatch(ownId)
  expect(await seriousFaults(page)).toEqual([])
  isBroken = false
  await feed.getByRole('button', { name: 'Try again' }).click()
  await expect
    .poll(
      async () => {
        await scrollTo(page, 1)
        return feed.getByText('Nothing older is kept.').count()
      },
      { timeout: 20_000 },
    )
    .toBe(1)

  // The first page cannot be read either: what is left is what to do, and what to ask about.
  await page.route('**/board/activity/**', (route) => route.abort())
  await page.goto(`${server.api.url}/dashboard/activity?board=DSP`)
  await page.getByRole('heading', { name: 'The activity could not be loaded' }).waitFor()
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  expect(await seenId(page, page.getByRole('main'))).toMatch(ownId)
  expect(await seriousFaults(page)).toEqual([])
})

const ownId = /^web-[0-9a-f]{24}$/

/** The request id that an error shows, whole and in sight. */
async function seenId(page: Page, place: Locator): Promise<string | undefined> {
  const shown = place.getByText('Request id').locator('..')
  const [box, view] = [await shown.boundingBox(), page.viewportSize()]
  if (!box || !view) throw new Error('no request id is shown')
  const [right, bottom] = [box.x + box.width, box.y + box.height]
  expect(box.x >= 0 && right <= view.width && box.y >= 0 && bottom <= view.height).toBe(true)
  return (await shown.textContent())?.replace(/^Request id/, '').trim()
}
