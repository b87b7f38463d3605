import { useServer } from '@crewhall/testkit/test-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { ensureDashboard } from '../tools/build/build-dashboard.ts'
import { useBrowser } from './browser.ts'
import { visitAs } from './visit.ts'

beforeAll(ensureDashboard)
const server = useServer('product')
const browser = useBrowser()
const world = new World(server)

const arabic = 'إعادة ترتيب محطات المسار عند امتلاء الشاحنة'
const titles = {
  unbroken: 'W'.repeat(500),
  words: 'Plan the way of each driver again '.repeat(15).slice(0, 500),
  arabic,
  hebrew: `${'תכנון מסלול '.repeat(40)}`.slice(0, 480),
  emoji: '👩🏽‍🚒🚚📦'.repeat(40),
  marks: `e${'\u0301'.repeat(200)} stacked`,
}
const long = (word: string, size: number) => word.repeat(size).slice(0, size)

/** A workspace whose every name is as long as it may be, or written from the right. */
async function newTeam() {
  const brand_id = await world.newBrand()
  await world.sql('update identity.brands set name = $2 where id = $1', [
    brand_id,
    long('Fernwayandsons', 100),
  ])
  const [me, other] = [await world.join(brand_id, 'admin'), await world.join(brand_id, 'member')]
  const rename = (person_id: number, name: string) =>
    world.sql('update identity.people set full_name = $2 where id = $1', [person_id, name])
  await rename(me.person_id, long('Maximiliana', 100))
  await rename(other.person_id, 'محمد بن عبد الرحمن بن إبراهيم الأنصاري')
  const cookie = await world.newCookie(me.person_id, brand_id)
  const theirs = await world.newCookie(other.person_id, brand_id)
  const post = (path: string, body: unknown, by = cookie) =>
    world.made<Record<string, string>>({ cookie: by }, 'POST', `/api/v1${path}`, body)
  const board = await post('/board/boards', {
    ...{ name: long('Dispatchandplanning', 100), key: 'DSP' },
    columns: [
      { name: long('Tobedonelater', 50), status: 'pending' },
      { name: 'قيد التنفيذ', status: 'in_progress' },
      { name: 'Done', status: 'done' },
    ],
  })
  for (const [at, title] of Object.values(titles).entries()) {
    const card = await post(`/board/boards/${board.id}/tasks`, {
      ...{
        title,
        description: title,
        labels: [long('label', 50)],
        column: at % 2 === 0 ? undefined : 'Done',
      },
      assignee: { kind: 'member', id: other.person_id },
    })
    await post(`/board/tasks/${card.id}/comments`, { body: `@member:${me.person_id} ${title}` }, theirs)
  }
  const space = await post('/docs/spaces', { name: long('Handbook', 100) })
  const page = await post(`/docs/spaces/${space.id}/pages`, {
    title: arabic,
    body: `# ${arabic}\n\n${titles.unbroken}`,
  })
  const entries = await world.made<{ items: { id: string }[] }>({ cookie }, 'GET', '/api/v1/me/inbox')
  const paths = {
    ...{ board: '/boards/DSP', table: '/boards/DSP?view=table', boards: '/boards', card: '/cards/DSP-1' },
    ...{ 'card of Arabic': '/cards/DSP-3', panel: '/boards/DSP?card=DSP-3', inbox: '/inbox' },
    ...{ entry: `/inbox?entry=${entries.items[0]?.id}`, work: '/my-work', all: '/all', ready: '/ready' },
    ...{ search: '/search?q=plan', docs: '/docs', space: `/docs/${space.id}` },
    ...{ page: `/docs/${space.id}/${page.id}`, settings: '/settings', members: '/settings/members' },
    ...{ features: '/settings/features', tokens: '/settings/tokens', webhooks: '/settings/webhooks' },
    ...{ audit: '/settings/audit', profile: '/settings/profile', profiles: '/profiles', start: '/start' },
  }
  return { cookie, paths }
}

let team: Awaited<ReturnType<typeof newTeam>>
beforeAll(async () => {
  team = await newTeam()
})

const open = async () => visitAs(await browser.blank(), server.api.url, team.cookie)

/** Texts that leave their box or are cut off without a sign of it, and titles from the right that are laid out from the left. */
const misplaced = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const faults = []
    if (document.documentElement.scrollWidth > innerWidth) faults.push('the page scrolls sideways')
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const range = document.createRange()
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
      const parent = text.parentElement
      if (text.data.trim() === '' || !parent.checkVisibility()) continue
      range.selectNodeContents(text)
      const box = range.getBoundingClientRect()
      if (box.width === 0) continue
      const what = text.data.slice(0, 30) + ' in ' + parent.outerHTML.slice(0, 120)
      if (/^(إعادة ترتيب|תכנון מסלול)/.test(text.data) && getComputedStyle(parent).direction !== 'rtl')
        faults.push('from the left: ' + what)
      // Up to the first that cuts it off or lets it be scrolled: outside of that nothing is drawn.
      for (let up = parent; up; up = up.parentElement) {
        const style = getComputedStyle(up)
        const edge = up.getBoundingClientRect()
        // What only screen readers have is a box of one pixel.
        if (edge.width <= 1) break
        if (style.overflowX !== 'visible') {
          const isClamped = style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none'
          const isScrolled = style.overflowX === 'auto' || style.overflowX === 'scroll'
          const isOut = box.right > edge.right + 1 || box.left < edge.left - 1
          if (isOut && !isClamped && !isScrolled) faults.push('cut off: ' + what)
          break
        }
        if (style.display !== 'inline' && (box.right > edge.right + 1 || box.left < edge.left - 1)) {
          faults.push('out of its box: ' + what)
          break
        }
        // It is placed where it stands on purpose, such as the count at the corner of a symbol.
        if (style.position === 'absolute') break
      }
    }
    return faults
  })()`)

/**
 * What cannot be used in a window of this size: the page is wider than the window, or something that can be pressed cannot
 * be brought into sight by scrolling, is covered there, or is behind an edge that people cannot scroll.
 */
const unreachable = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const faults = []
    const root = document.documentElement
    if (root.scrollWidth > innerWidth) faults.push('the page is ' + root.scrollWidth + ' wide')
    const isShown = (each) => {
      const box = each.getBoundingClientRect()
      return box.width > 2 && box.height > 2 && each.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    }
    const dialog = document.querySelector('[role=dialog]')
    const all = (dialog ?? document).querySelectorAll('a[href], button, input, textarea, select, [role=tab], [role=menuitem], [role=option]')
    for (const each of all) {
      if (!isShown(each) || each.disabled || each.getAttribute('aria-disabled') === 'true') continue
      each.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' })
      const what = each.outerHTML.slice(0, 160)
      const box = each.getBoundingClientRect()
      const [x, y] = [box.left + box.width / 2, box.top + Math.min(box.height / 2, 20)]
      if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) {
        faults.push('out of the window: ' + what)
        continue
      }
      const hit = document.elementFromPoint(x, y)
      const isHit = hit && (each.contains(hit) || hit.contains(each) || hit.closest('label, li, tr') === each.closest('label, li, tr'))
      if (!isHit) faults.push('covered by ' + hit?.outerHTML.slice(0, 80) + ': ' + what)
      for (let up = each.parentElement; up && up !== document.body; up = up.parentElement) {
        const { overflowX, overflowY } = getComputedStyle(up)
        const isCut = (overflowX === 'hidden' && up.scrollLeft !== 0) || (overflowY === 'hidden' && up.scrollTop !== 0)
        if (isCut) faults.push('cut off: ' + what)
        if (isCut) up.scrollTo(0, 0)
      }
    }
    return faults
  })()`)

test('long names, right-to-left text and emoji stay in their boxes, and at 200 % nothing is out of reach', async () => {
  const { page, show, settle } = await open()
  const faults: Record<string, string[]> = {}
  const look = async (what: string, judge: (page: Page) => Promise<string[]>) => {
    const found = await judge(page)
    if (found.length > 0) faults[what] = found
  }
  const zoom = { width: 720, height: 450 }
  for (const [what, path] of Object.entries(team.paths)) {
    await page.setViewportSize({ width: 1440, height: 900 })
    await show(path)
    await look(what, misplaced)
    await page.setViewportSize({ width: 390, height: 844 })
    await settle()
    await look(`${what} on a phone`, misplaced)
    // What a window of 1440 x 900 has in CSS pixels when it is zoomed to 200 %.
    await page.setViewportSize(zoom)
    await settle()
    await look(`${what} at 200 %`, unreachable)
  }
  await show(team.paths.board)
  await page.keyboard.press('c')
  await page.getByLabel('Title').waitFor()
  await look('new card at 200 %', unreachable)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Search cards, pages and commands').fill('plan')
  await page.getByRole('option').filter({ hasText: 'Search all cards for' }).waitFor()
  await look('command menu at 200 %', unreachable)
  expect(faults).toEqual({})
})

test('who asks for less motion sees none', async () => {
  const { page, show } = await open()
  /** The longest that anything moved, in ms, while panels, dialogs and menus open and close. */
  const longest = async () => {
    await show(team.paths.board)
    await page.evaluate(`(() => {
      window.longest = 0
      const look = () => {
        for (const each of document.getAnimations())
          window.longest = Math.max(window.longest, each.effect.getComputedTiming().endTime)
        requestAnimationFrame(look)
      }
      look()
    })()`)
    await page.keyboard.press('c')
    await page.getByLabel('Title').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.locator('[data-card="DSP-1"] a').click()
    await page.getByRole('dialog', { name: 'DSP-1' }).getByLabel('Comment', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /Switch workspace/ }).click()
    await page.getByRole('menu').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    return page.evaluate<number>('window.longest')
  }
  // Otherwise something does move, and this would tell.
  expect(await longest()).toBeGreaterThan(100)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  expect(await longest()).toBeLessThan(1)
})
