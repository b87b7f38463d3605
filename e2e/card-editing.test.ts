import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newEmail } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import type { Page } from 'playwright-core'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { ensureDashboard } from '../tools/build/build-dashboard.ts'
import { seriousFaults, useBrowser } from './browser.ts'

beforeAll(ensureDashboard)
const server = useServer('product')
const browser = useBrowser()
const password = 'correct horse battery'

type Json = Record<string, unknown>

/** A page of a new person with a board of some cards, and the API as the same person. */
async function openBoard(titles: readonly string[]) {
  const page = await browser.blank()
  const call = async (method: string, path: string, data?: unknown) => {
    const answer = await page.request.fetch(`${server.api.url}/api/v1${path}`, {
      method,
      ...(data === undefined ? {} : { data }),
    })
    expect(answer.ok(), `${method} ${path} ${answer.status()} ${await answer.text()}`).toBe(true)
    return (await answer.json()) as Json
  }
  await call('POST', '/auth/sign-up', {
    email: newEmail(),
    password,
    full_name: 'Tomas Lind',
    brand_name: 'Fernway',
  })
  const board = await call('POST', '/board/boards', { name: 'Dispatch API', key: 'DSP' })
  for (const title of titles) await call('POST', `/board/boards/${board.id}/tasks`, { title })
  const card = (ref = 'DSP-1') => call('GET', `/board/tasks/${ref}`)
  const show = async (path: string) => {
    await page.goto(`${server.api.url}/dashboard${path}`)
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
  }
  return { page, call, card, show, board }
}

/** What the API says, once it says so. */
const soon = (read: () => Promise<unknown>) => expect.poll(read, { timeout: 10_000 })

const property = (page: Page, name: string) =>
  page.getByRole('complementary', { name: 'Properties' }).getByRole('button', { name })
const choose = async (page: Page, name: string, choice: string) => {
  await property(page, name).click()
  await page.getByRole('menuitem', { name: choice, exact: true }).click()
}

test('each field of a card is changed in its place, and the API has it', async () => {
  const { page, card, call, show } = await openBoard(['Stop double-charging', 'Queue re-plans'])
  await call('POST', '/agents', { agent_id: 'marlow', name: 'Marlow' })
  await show('/cards/DSP-1')
  await page.getByRole('button', { name: 'Stop double-charging' }).click()
  await page.getByLabel('Title', { exact: true }).fill('Stop charging twice')
  await page.keyboard.press('Enter')
  await soon(async () => (await card()).title).toBe('Stop charging twice')

  await choose(page, 'change Priority', 'Urgent')
  await soon(async () => (await card()).priority).toBe('urgent')
  await choose(page, 'change Type', 'Research')
  await soon(async () => (await card()).task_type).toBe('research')
  await property(page, 'change Assignee').click()
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('combobox').fill('mar')
  await page.getByRole('option', { name: 'Marlow' }).waitFor()
  await page.keyboard.press('Enter')
  await soon(async () => (await card()).assignee).toMatchObject({ kind: 'agent', name: 'Marlow' })
  await property(page, 'change Delegate').click()
  await page.getByRole('option', { name: 'Tomas Lind' }).click()
  await soon(async () => (await card()).delegate).toMatchObject({ kind: 'member', name: 'Tomas Lind' })
  await property(page, 'change Estimate').click()
  await page.getByLabel('Estimate', { exact: true }).fill('2.5')
  await page.keyboard.press('Enter')
  await soon(async () => (await card()).estimate).toBe(2.5)
  await property(page, 'change Due').click()
  await page.getByLabel('Due', { exact: true }).fill('2031-03-04')
  await page.keyboard.press('Enter')
  await soon(async () => new Date(String((await card()).due_at)).getFullYear()).toBe(2031)
  await property(page, 'change labels').click()
  for (const label of ['billing', 'race']) {
    await page.getByRole('combobox').fill(label)
    await page.getByRole('option', { name: `Create “${label}”` }).click()
    await page.getByRole('option', { name: label }).getByLabel('Chosen').waitFor()
  }
  await page.getByRole('option', { name: 'billing' }).click()
  await page.keyboard.press('Escape')
  await soon(async () => (await card()).labels).toEqual(['race'])

  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByLabel('Card', { exact: true }).fill('DSP-9')
  await page.getByRole('button', { name: 'Add relation' }).click()
  await page.getByText('Card not found').waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await page.getByLabel('Card', { exact: true }).fill('DSP-2')
  await page.getByRole('button', { name: 'Add relation' }).click()
  await soon(async () => (await card()).open_blockers).toBe(1)
  await page.getByRole('button', { name: 'Remove the relation to DSP-2' }).click()
  await soon(async () => (await card()).open_blockers).toBe(0)

  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Stop watching' }).click()
  await soon(async () => (await call('GET', '/board/tasks/DSP-1/watchers')).watching).toBe(false)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Archive' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click()
  await page.getByText('It is on no board').waitFor()
  expect((await card()).archived_at).not.toBeNull()
  await page.getByRole('button', { name: 'Restore' }).click()
  await soon(async () => (await card()).archived_at).toBeNull()
  expect(await seriousFaults(page)).toEqual([])
})

test('what is typed while the last item is on its way is neither lost nor sent twice', async () => {
  const { page, call, show } = await openBoard(['Stop double-charging'])
  await show('/boards/DSP?card=DSP-1')
  const panel = page.getByRole('dialog', { name: 'DSP-1' })
  let letThrough = () => {}
  const held = new Promise<void>((done) => {
    letThrough = done
  })
  await page.route('**/board/tasks/*/checklist', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    const response = await route.fetch()
    await held
    await route.fulfill({ response })
  })
  const field = panel.getByLabel('New checklist item')
  await field.fill('First')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  // The stream tells of it before its answer comes.
  await panel.getByRole('checkbox', { name: 'First' }).waitFor({ state: 'attached' })
  await field.fill('Second')
  await page.keyboard.press('Enter')
  await field.fill('Thi')
  letThrough()
  await panel.getByRole('checkbox', { name: 'Second' }).waitFor({ state: 'attached' })
  await page.keyboard.type('rd')
  await page.keyboard.press('Enter')
  await panel.getByRole('checkbox', { name: 'Third' }).waitFor({ state: 'attached' })
  await soon(() => field.inputValue()).toBe('')
  const { items } = await call('GET', '/board/tasks/DSP-1/checklist')
  expect((items as Json[]).map(({ text }) => text)).toEqual(['First', 'Second', 'Third'])
})

test('checklist, comments and files are written, changed and removed', async () => {
  const { page, card, call, show } = await openBoard(['Stop double-charging'])
  await show('/boards/DSP?card=DSP-1')
  const panel = page.getByRole('dialog', { name: 'DSP-1' })
  for (const item of ['First', 'Second', 'Third']) {
    await panel.getByLabel('New checklist item').fill(item)
    await page.keyboard.press('Enter')
    await panel.getByRole('checkbox', { name: item }).waitFor({ state: 'attached' })
  }
  const items = async () =>
    ((await call('GET', '/board/tasks/DSP-1/checklist')).items as Json[]).map(
      ({ text, done }) => `${text}${done ? ' done' : ''}`,
    )
  await panel.getByRole('checkbox', { name: 'Second' }).focus()
  await page.keyboard.press(' ')
  await soon(items).toEqual(['First', 'Second done', 'Third'])
  const more = async (item: string, choice: string) => {
    await panel.getByRole('button', { name: `More for “${item}”` }).click()
    await page.getByRole('menuitem', { name: choice }).click()
  }
  await more('Third', 'Move up')
  await soon(items).toEqual(['First', 'Third', 'Second done'])
  await more('First', 'Rewrite')
  await panel.getByLabel('Text of the item').fill('Zeroth')
  await page.keyboard.press('Enter')
  await soon(items).toEqual(['Zeroth', 'Third', 'Second done'])
  await more('Third', 'Remove')
  await soon(items).toEqual(['Zeroth', 'Second done'])

  await panel.getByLabel('Comment', { exact: true }).fill('Who pays?')
  await page.keyboard.press('Control+Enter')
  const said = panel.locator('[data-comment]')
  await said.getByText('Who pays?').waitFor()
  await said.hover()
  await said.getByRole('button', { name: 'Edit the comment' }).click()
  await said.getByLabel('Text of the comment').fill('Who pays **twice**?')
  await page.keyboard.press('Control+Enter')
  await said.getByText('edited just now').waitFor()
  await said.getByText('Tomas Lind').waitFor()
  const comments = async () => (await call('GET', '/board/tasks/DSP-1/comments')).items as Json[]
  expect((await comments()).map(({ body }) => body)).toEqual(['Who pays **twice**?'])
  expect(await seriousFaults(page)).toEqual([])
  await said.getByRole('button', { name: 'Delete the comment' }).click()
  await page.getByRole('button', { name: 'Delete comment' }).click()
  await soon(comments).toEqual([])

  await panel.getByRole('tab', { name: 'Brief' }).click()
  // Files of the disk: the content of others would go to the browser as text.
  const folder = await mkdtemp(join(tmpdir(), 'crewhall-files-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const paths = ['charges.csv', 'huge.bin'].map((name) => join(folder, name)) as [string, string]
  await writeFile(paths[0], 'a,b\n1,2\n')
  await writeFile(paths[1], '')
  await truncate(paths[1], 26_214_401)
  const chooser = page.waitForEvent('filechooser')
  await panel.getByRole('button', { name: 'Attach a file' }).click()
  await (await chooser).setFiles(paths)
  await panel.getByText('File too large (max 25MB)').waitFor()
  const download = page.waitForEvent('download')
  await panel.getByRole('link', { name: 'charges.csv' }).click()
  expect((await download).suggestedFilename()).toBe('charges.csv')
  expect((await card()).attachments_count).toBe(1)
  await panel.getByRole('button', { name: 'Forget huge.bin' }).click()
  expect(await seriousFaults(page)).toEqual([])
  await panel.getByRole('button', { name: 'Remove charges.csv' }).click()
  await page.getByRole('button', { name: 'Remove file' }).click()
  await soon(async () => (await card()).attachments_count).toBe(0)
})

test('a text that somebody else changed first is shown beside what was typed, which outlives a reload', async () => {
  const { page, card, call, show } = await openBoard(['Stop double-charging'])
  await call('PATCH', '/board/tasks/DSP-1', { instructions: 'Charge once.' })
  await show('/cards/DSP-1')
  await page.getByRole('button', { name: 'Edit instructions' }).click()
  await page.getByLabel('Instructions', { exact: true }).fill('Charge **once** a stop.')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.locator('strong', { hasText: 'once' }).waitFor()
  await page.reload()
  expect(await page.getByLabel('Instructions', { exact: true }).inputValue()).toBe('Charge **once** a stop.')
  // The other change arrives between the press of the button and the write.
  let isFirst = true
  await page.route('**/board/tasks/*', async (route) => {
    if (isFirst && route.request().method() === 'PATCH') {
      isFirst = false
      await call('PATCH', '/board/tasks/DSP-1', { instructions: 'Charge per plan.' })
    }
    await route.continue()
  })
  const refused = page.waitForResponse((response) => response.status() === 412)
  await page.getByRole('button', { name: 'Save' }).click()
  await refused
  await page.getByText('Both versions are here').waitFor()
  expect(await page.getByLabel('The text on the card now').inputValue()).toBe('Charge per plan.')
  expect(await page.getByLabel('Instructions', { exact: true }).inputValue()).toBe('Charge **once** a stop.')
  expect((await card()).instructions).toBe('Charge per plan.')
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Save mine instead' }).click()
  await soon(async () => (await card()).instructions).toBe('Charge **once** a stop.')

  // A change of something else does not stand in the way.
  await page.getByRole('button', { name: 'Add a text' }).click()
  await page.getByRole('menuitem', { name: 'Plan' }).click()
  await page.getByLabel('Plan', { exact: true }).fill('First the race test.')
  await call('PATCH', '/board/tasks/DSP-1', { priority: 'high' })
  await page.keyboard.press('Control+Enter')
  await soon(async () => (await card()).plan).toBe('First the race test.')
})

test('three cards are selected, moved with a preview, assigned and tagged by keys', async () => {
  const { page, card, call, show, board } = await openBoard(['One', 'Two', 'Three', 'Four'])
  const [, doing] = board.columns as Json[]
  await call('PATCH', `/board/columns/${doing?.id}`, { wip_limit: 2 })
  await show('/boards/DSP')
  await page.locator('[data-card="DSP-4"]').waitFor()
  await page.keyboard.press('j')
  await page.locator('[data-card="DSP-1"] a:focus').waitFor()
  await page.keyboard.press('x')
  await page.getByText('1 card selected').first().waitFor()
  await page.locator('[data-card="DSP-3"] a').click({ modifiers: ['Shift'] })
  const bar = page.getByRole('toolbar', { name: 'Selected cards' })
  await bar.getByText('3 cards selected').waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await bar.getByRole('button', { name: 'Move' }).click()
  const dialog = page.getByRole('dialog', { name: 'Move 3 cards to' })
  await dialog.getByRole('option', { name: 'In progress' }).click()
  await dialog.getByText('Nothing is changed yet').waitFor()
  await dialog.getByText('In progress would have more cards than its limit').waitFor()
  expect((await card('DSP-2')).status).toBe('pending')
  expect(await seriousFaults(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Move 3 cards' }).click()
  await page.getByText('3 cards moved to In progress').first().waitFor()
  for (const ref of ['DSP-1', 'DSP-2', 'DSP-3']) expect((await card(ref)).status).toBe('in_progress')
  await bar.waitFor({ state: 'detached' })

  // Without a selection, the keys act on the card that has the focus.
  await page.locator('[data-card="DSP-1"] a:focus').waitFor()
  await page.keyboard.press('a')
  await page
    .getByRole('dialog', { name: 'Assign DSP-1 to' })
    .getByRole('option', { name: 'Tomas Lind' })
    .click()
  await soon(async () => (await card()).assignee).toMatchObject({ name: 'Tomas Lind' })
  await page.locator('[data-card="DSP-1"] a:focus').waitFor()
  await page.keyboard.press('t')
  await page.getByRole('combobox').fill('urgent fix')
  await page.keyboard.press('Enter')
  await soon(async () => (await card()).labels).toEqual(['urgent fix'])
  await page.locator('[data-card="DSP-1"] a:focus').waitFor()
  await page.keyboard.press('s')
  await page.getByRole('option', { name: 'Review' }).click()
  await soon(async () => (await card()).status).toBe('review')
  await page.locator('[data-card="DSP-1"] a:focus').waitFor()
  await page.keyboard.press('?')
  await page
    .getByRole('dialog', { name: 'Keyboard shortcuts' })
    .getByText('Coder profile', { exact: true })
    .waitFor()
})

test('columns, labels, guests and the board itself are managed from its menu', async () => {
  const { page, call, show, board } = await openBoard(['One'])
  await call('PATCH', '/board/tasks/DSP-1', { labels: ['billing'] })
  const guest = { email: newEmail(), password, full_name: 'Gil Guest', brand_name: 'Elsewhere' }
  const elsewhere = await browser.blank()
  await elsewhere.request.post(`${server.api.url}/api/v1/auth/sign-up`, { data: guest })
  await show('/boards/DSP')
  const open = async (item: string) => {
    await page.getByRole('button', { name: 'More of this board' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  const columns = async () =>
    ((await call('GET', `/board/boards/${board.id}`)).columns as Json[]).map(
      ({ name, wip_limit }) => `${name} ${wip_limit ?? '–'}`,
    )
  await open('Columns and limits')
  await page.getByRole('button', { name: 'Add a column' }).click()
  await page.getByLabel('Name').fill('In test')
  await page.getByLabel('Limit of cards').fill('3')
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Add column' }).click()
  await page.getByRole('button', { name: 'Move In test to the left' }).click()
  await soon(columns).toEqual(['To do –', 'In progress –', 'Review –', 'In test 3', 'Done –'])
  await page.getByRole('button', { name: 'Remove To do' }).click()
  await page.getByLabel('Move 1 card to').selectOption('In progress')
  await page.getByRole('button', { name: 'Remove To do' }).last().click()
  await soon(columns).toEqual(['In progress –', 'Review –', 'In test 3', 'Done –'])
  await page.keyboard.press('Escape')

  await open('Labels')
  await page.getByRole('button', { name: 'Edit billing' }).click()
  await page.getByLabel('Name').fill('money')
  await page.getByRole('button', { name: 'Save label' }).click()
  await soon(async () => (await call('GET', '/board/tasks/DSP-1')).labels).toEqual(['money'])
  expect(await seriousFaults(page)).toEqual([])
  await page.keyboard.press('Escape')

  await open('Guests')
  await page.getByLabel('E-mail').fill(guest.email)
  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByRole('button', { name: 'Role of Gil Guest' }).click()
  await page.getByRole('menuitem', { name: 'Editor' }).click()
  const guests = async () =>
    ((await call('GET', `/board/boards/${board.id}/guests`)).guests as Json[]).map(({ role }) => role)
  await soon(guests).toEqual(['editor'])
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Remove Gil Guest' }).click()
  await page.getByRole('button', { name: 'Remove guest' }).click()
  await soon(guests).toEqual([])
  await page.getByText('Nobody from outside can open it.').waitFor()
  await page.keyboard.press('Escape')

  await open('Name, description, archive')
  await page.getByLabel('Name').fill('Dispatch')
  await page.getByRole('button', { name: 'Save' }).click()
  await soon(async () => (await call('GET', `/board/boards/${board.id}`)).name).toBe('Dispatch')
})
