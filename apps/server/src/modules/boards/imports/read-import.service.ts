import { createHash } from 'node:crypto'
import {
  type Import,
  type ImportProblem,
  importLimit,
  importUnreadable,
  mostImportPeople,
  mostImportStates,
  mostOpenImports,
} from '@crewhall/contracts/boards/imports.ts'
import { boardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import type { SpooledUpload } from '@crewhall/contracts/route.ts'
import { listMemberships } from '#modules/identity'
import type { BrandCtx, BrandTx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import { notClosed } from '../boards/boards.service.ts'
import { findBoard } from '../boards/boards.store.ts'
import { listColumns } from '../boards/columns.store.ts'
import { csvCardOf, headerOf } from './csv-cards.rules.ts'
import { githubCardOf } from './github-cards.rules.ts'
import * as rowStore from './import-rows.store.ts'
import { showImport } from './imports.service.ts'
import * as store from './imports.store.ts'
import { guessColumn, guessPerson } from './mapping.rules.ts'
import type { Read } from './source-cards.rules.ts'
import { isJson, readCsv, readJson, type SourceFile } from './source-file.ts'

/** Rows that are written together while a file is read. */
const readBite = 500
const mostProblems = 100
/** Among so many members the people of a file are looked for. */
const mostMembers = 2000

interface Source {
  readonly kind: store.ImportRow['source']
  readonly cards: AsyncIterable<{ readonly row: number; readonly read: Read | 'pull request' }>
}

/** A file becomes rows that wait. It is read outside of any transaction; what it leaves when that fails is removed. */
export async function readImport(
  ctx: OutsideBrandCtx,
  board_id: string,
  file: SpooledUpload,
): Promise<Import> {
  notClosed(await findBoard(ctx, board_id))
  const source = isJson(file) ? githubSource(file) : await csvSource(file)
  const id = await ctx.tx((ctx) => begin(ctx, board_id, source.kind, file.filename))
  try {
    const found = await storeRows(ctx, id, source)
    return await ctx.tx((ctx) => finish(ctx, id, found))
  } catch (error) {
    await ctx.tx((ctx) => store.deleteImport(ctx, id))
    throw error
  }
}

async function begin(ctx: BrandTx, board_id: string, source: Source['kind'], file_name: string) {
  const person_id = ctx.actor.kind === 'person' ? ctx.actor.person_id : 0
  await store.lockImports(ctx)
  await store.deleteDrafts(ctx, { board_id, person_id })
  if ((await store.countOpen(ctx)) >= mostOpenImports) throw importLimit()
  const made = await store.insertImport(ctx, {
    board_id,
    source,
    file_name: file_name.slice(0, 200),
    person_id,
  })
  if (!made) throw boardNotFound()
  return made.id
}

const githubSource = (file: SourceFile): Source => ({ kind: 'github', cards: issuesIn(file) })

async function* issuesIn(file: SourceFile) {
  for await (const { row, value } of readJson(file)) yield { row, read: githubCardOf(row, value) }
}

async function csvSource(file: SourceFile): Promise<Source> {
  const rows = readCsv(file)
  const { value: head } = await rows.next()
  const header = head && headerOf(head.value)
  if (!header) throw importUnreadable({ row: 1, problem: 'the header names no title' })
  return { kind: header.source, cards: cardsIn() }

  async function* cardsIn() {
    const contentKey = contentKeys()
    for await (const { row, value } of rows)
      yield { row, read: csvCardOf(header as NonNullable<typeof header>, row, value, contentKey) }
  }
}

/** Rows that say the same are told apart by their number, so that a file that has grown is imported again without doubles. */
function contentKeys() {
  const seen = new Map<string, number>()
  return (cells: readonly string[]): string => {
    const digest = createHash('sha256').update(JSON.stringify(cells)).digest('hex').slice(0, 24)
    const times = (seen.get(digest) ?? 0) + 1
    seen.set(digest, times)
    return times === 1 ? digest : `${digest}-${times}`
  }
}

interface Findings {
  rows: number
  ignored: number
  problem_count: number
  readonly problems: ImportProblem[]
  readonly people: Map<string, number>
  readonly states: Map<string, number>
}

async function storeRows(ctx: OutsideBrandCtx, id: string, { cards }: Source): Promise<Findings> {
  const found: Findings = {
    rows: 0,
    ignored: 0,
    problem_count: 0,
    problems: [],
    people: new Map(),
    states: new Map(),
  }
  const keys = new Set<string>()
  let bite: rowStore.PlacedCard[] = []
  const flush = async () => {
    const rows = bite
    bite = []
    if (rows.length > 0) await ctx.tx((ctx) => rowStore.insertRows(ctx, id, rows))
  }
  for await (const { row, read } of cards) {
    if (read === 'pull request') found.ignored += 1
    else if ('problem' in read) note(found, row, read.problem)
    else if (keys.has(read.client_ref)) note(found, row, 'another row has the same id')
    else {
      keys.add(read.client_ref)
      found.rows += 1
      bite.push({ ...read, place: found.rows })
      count(found.people, read.person, mostImportPeople, row, 'people')
      count(found.states, read.state, mostImportStates, row, 'states')
    }
    if (bite.length >= readBite) await flush()
  }
  await flush()
  return found
}

function note(found: Findings, row: number, problem: string): void {
  found.problem_count += 1
  if (found.problems.length < mostProblems) found.problems.push({ row, problem })
}

function count(
  names: Map<string, number>,
  name: string | null,
  most: number,
  row: number,
  what: string,
): void {
  if (name === null) return
  names.set(name, (names.get(name) ?? 0) + 1)
  if (names.size > most)
    throw importUnreadable({ row, problem: `there are more than ${most} different ${what}` })
}

/** What people and states probably mean, until somebody says otherwise. */
async function finish(ctx: BrandTx, id: string, found: Findings): Promise<Import> {
  const row = await store.lockImport(ctx, id)
  if (!row) throw boardNotFound()
  const columns = (await listColumns(ctx, row.board_id)).filter(({ moving_to }) => moving_to === null)
  const members = found.people.size > 0 ? await membersOf(ctx) : []
  const drafted = await store.updateImport(ctx, {
    ...row,
    state: 'draft',
    rows_total: found.rows,
    rows_ignored: found.ignored,
    problem_count: found.problem_count,
    problems: found.problems,
    people: [...found.people].map(([name, rows]) => ({ name, rows, user_id: guessPerson(members, name) })),
    states: [...found.states].map(([name, rows]) => ({ name, rows, column_id: guessColumn(columns, name) })),
  })
  if (!drafted) throw boardNotFound()
  return showImport(ctx, drafted)
}

const membersOf = async (ctx: BrandCtx) =>
  (await listMemberships(ctx, { q: null, limit: mostMembers, offset: 0 })).members
