import { hostileTexts } from '@crewhall/testkit/hostile/hostile-corpus.ts'
import { hostileMarkup } from '@crewhall/testkit/hostile/hostile-markup.ts'
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

const everything = [...hostileMarkup, ...hostileTexts.filter((text) => text.trim() !== '')]
const all = hostileMarkup.join('\n\n')
const at = (index: number, size = 100): string =>
  (hostileMarkup[index] ?? '').replaceAll('\n', ' ').slice(0, size)

/** A workspace in which every text that a person can write tries to be more than text. */
async function newTeam() {
  const brand_id = await world.newBrand()
  const [me, other] = [await world.join(brand_id, 'admin'), await world.join(brand_id, 'admin')]
  await world.sql('update identity.brands set name = $2 where id = $1', [brand_id, at(0)])
  for (const [index, { person_id }] of [me, other].entries())
    await world.sql('update identity.people set full_name = $2 where id = $1', [person_id, at(index + 1)])
  const cookie = await world.newCookie(me.person_id, brand_id)
  const theirs = await world.newCookie(other.person_id, brand_id)
  /** What the API refuses cannot be shown; what it takes has to be harmless. */
  const send = async (path: string, body: unknown, by = cookie) => {
    const answer = await world.call<Record<string, string>>({ cookie: by }, 'POST', `/api/v1${path}`, body)
    return answer.status < 300 ? answer.body : undefined
  }
  const need = async (path: string, body: unknown) => {
    const made = await send(path, body)
    if (!made) throw new Error(`${path} was refused`)
    return made
  }
  const board = await need('/board/boards', {
    ...{ name: at(2), key: 'DSP', description: all },
    columns: [
      { name: at(0), status: 'pending' },
      { name: at(3), status: 'done' },
    ],
  })
  const cards: string[] = []
  for (const title of everything) {
    const made = await send(`/board/boards/${board.id}/tasks`, {
      ...{ title: title.slice(0, 500), description: title, labels: [] },
    })
    if (made?.ref) cards.push(made.ref)
  }
  expect(cards.length).toBeGreaterThan(60)
  const open = await need(`/board/boards/${board.id}/tasks`, {
    ...{ title: at(4), description: all, instructions: all, notes: all, plan: all, labels: [at(8, 50)] },
    ...{ acceptance_criteria: all, checklist: [at(5)] },
  })
  for (const body of [...hostileMarkup, all])
    await send(`/board/tasks/${open.id}/comments`, { body: `@member:${me.person_id} ${body}` }, theirs)
  await send(`/board/tasks/${open.id}/claim`, {})
  await send('/board/views', { name: at(6), filters: { q: at(6) } })
  const space = await need('/docs/spaces', { name: at(7), description: all })
  const page = await need(`/docs/spaces/${space.id}/pages`, { title: at(8), body: all })
  const hook = await need('/webhooks', {
    ...{ url: `https://hooks.example.com/${encodeURIComponent(at(0))}`, events: ['*'], description: at(9) },
  })
  await send(`/brands/${brand_id}/tokens`, { name: at(10), scopes: [] })
  await send('/agents', { name: at(11) })
  await send(`/brands/${brand_id}/invitations`, { email: '"<x-pwned>"@example.test' })
  const { items } = await world.made<{ items: { id: string }[] }>({ cookie }, 'GET', '/api/v1/me/inbox')

  // Somebody outside, to whom all of it is shared.
  const guest = await world.newPerson()
  await world.sql('update identity.people set full_name = $2 where id = $1', [guest, at(12)])
  const [row] = await world.sql<{ email: string }>('select email from identity.people where id = $1', [guest])
  await need(`/board/boards/${board.id}/guests`, { email: row?.email, role: 'editor' })
  await need(`/docs/spaces/${space.id}/guests`, { email: row?.email, role: 'editor' })
  const outside = await world.newCookie(guest, null)
  return {
    ...{ cookie, outside, open: open.ref ?? '', cards },
    own: [
      ...['/boards', '/boards/DSP', '/boards/DSP?view=table', `/boards/DSP?card=${open.ref}`, '/inbox'],
      ...items.slice(0, 1).map(({ id }) => `/inbox?entry=${id}`),
      ...[`/cards/${open.ref}`, '/my-work', '/all', '/ready', '/now', '/start', '/more', '/activity'],
      ...[`/search?q=${encodeURIComponent(at(1))}`, '/search?q=pwned', '/docs', `/docs/${space.id}`],
      ...[`/docs/${space.id}/${page.id}`, `/docs/${space.id}/${page.id}/edit`, '/settings', '/profiles'],
      ...['/settings/members', '/settings/guests', '/settings/invitations', '/settings/workspace'],
      ...['/settings/profile', '/settings/tokens', '/settings/webhooks', `/settings/webhooks/${hook.id}`],
      ...['/settings/audit', '/settings/usage', '/settings/features', '/settings/mail'],
      ...['/settings/plan', '/settings/notifications'],
    ],
    shared: [
      ...['/shared', `/shared/boards/${board.id}`, `/shared/boards/${board.id}?card=${open.ref}`],
      ...[`/shared/docs/${space.id}`, `/shared/docs/${space.id}/${page.id}`],
      `/shared/docs/${space.id}/${page.id}/edit`,
    ],
  }
}

/** What markup of strangers would leave in a page. */
const alive = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const faults = 'pwned' in window ? ['it ran'] : []
    for (const each of document.querySelectorAll('body *')) {
      const { tagName } = each
      const isStrange = /^(X-PWNED|IFRAME|BASE|MATH|OBJECT|EMBED|MARQUEE)$/i.test(tagName)
      const isActive = each
        .getAttributeNames()
        .some((name) => name.startsWith('on') || ['srcdoc', 'action', 'formaction'].includes(name))
      const address = each.getAttribute('href') ?? each.getAttribute('src') ?? ''
      const { protocol, origin } = new URL(address, location.href)
      const isFar = !/^(https?:|mailto:)$/.test(protocol)
      const isRead = tagName === 'IMG' || tagName === 'SCRIPT'
      const isTheirs = isRead && (address === '' || origin !== location.origin)
      if (isStrange || isActive || isFar || isTheirs) faults.push(each.outerHTML.slice(0, 160))
    }
    return faults
  })()`)

test('names, titles, comments and pages with markup, scripts and Markdown are text on every page, for members and for guests', async () => {
  const team = await newTeam()
  const faults: Record<string, string[]> = {}
  const unseen: string[] = []
  const visit = async (cookie: string) => {
    const { page, show } = await visitAs(await browser.blank(), server.api.url, cookie)
    page.on('dialog', (dialog) => {
      faults[`dialog of ${page.url()}`] = [dialog.message()]
      void dialog.dismiss()
    })
    const look = async (what: string) => {
      const found = await alive(page)
      if (found.length > 0) faults[what] = found
      // The texts were there and had their chance: the name of the workspace is beside every page of a member.
      if (!(await page.locator('body').textContent())?.includes('pwned')) unseen.push(what)
    }
    return { page, show, look }
  }
  const { page, show, look } = await visit(team.cookie)
  for (const path of team.own) {
    await show(path)
    await look(path)
  }
  await show(`/cards/${team.open}`)
  for (const tab of ['Comments', 'Activity', 'Brief']) {
    await page.getByRole('tab', { name: tab }).click()
    await page.getByRole('tabpanel').first().waitFor()
    await look(`${tab} of a card`)
  }
  await page.keyboard.press('Control+k')
  for (const text of ['pwned', at(1)]) {
    await page.getByPlaceholder('Search cards, pages and commands').fill(text)
    await page.getByRole('option').filter({ hasText: 'Search all cards for' }).waitFor()
    await look(`command menu with ${text}`)
  }
  const guest = await visit(team.outside)
  for (const path of team.shared) {
    await guest.show(path)
    await guest.look(path)
  }
  await guest.page.keyboard.press('Control+k')
  await guest.page.getByPlaceholder('Search what is shared with you').fill('pwned')
  await guest.look('command menu of a guest')
  expect(faults).toEqual({})
  expect(unseen).toEqual([])
})
