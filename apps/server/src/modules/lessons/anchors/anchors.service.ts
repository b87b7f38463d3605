import { readAnchor } from '@crewhall/contracts/lessons/anchors.ts'
import { findPlaces, listAncestors } from '#modules/code-index'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import * as store from './anchors.store.ts'
import { listStanding, replaceUps } from './closure.store.ts'

/** Texts that are looked up with one statement. */
const page = 500
const lessonPage = 1000

interface Anchored {
  readonly id: string
  readonly anchors: readonly string[]
}

/**
 * Writes the anchors of lessons anew. A text that was there before keeps its node: its code may have moved, and something
 * else may be at that place now.
 */
export async function writeAnchors(
  ctx: BrandTx,
  project_id: string,
  lessons: readonly Anchored[],
): Promise<void> {
  const ids = lessons.map(({ id }) => id)
  const before = new Map<string, store.AnchorRow>()
  for (const row of await store.listAnchors(ctx, ids)) before.set(`${row.lesson_id} ${row.raw_text}`, row)
  await store.deleteAnchors(ctx, ids)
  const rows = lessons.flatMap(({ id, anchors }) =>
    anchors.flatMap((raw_text, position): store.AnchorRow[] => {
      const kept = before.get(`${id} ${raw_text}`)
      const place = readAnchor(raw_text)
      if (typeof place === 'string') return []
      const open = { nid: null, removed_in: null, removed_version: null, removed_step: 0, suggestions: [] }
      return [{ ...open, ...place, ...kept, lesson_id: id, position, raw_text }]
    }),
  )
  await placeAnchors(ctx, project_id, rows, 'all')
}

/** Looks for code at the places of anchors that stand on nothing yet; returns the lessons of those that found some. */
export async function placeOpenAnchors(ctx: BrandTx, project_id: string): Promise<string[]> {
  const lessons: string[] = []
  let after = { lesson_id: '00000000-0000-0000-0000-000000000000', position: -1 }
  for (;;) {
    const rows = await store.listOpen(ctx, project_id, after, page)
    const placed = await placeAnchors(ctx, project_id, rows, 'found')
    lessons.push(...placed.map(({ lesson_id }) => lesson_id))
    const last = rows.at(-1)
    if (!last || rows.length < page) return lessons
    after = last
  }
}

async function placeAnchors(
  ctx: BrandTx,
  project_id: string,
  rows: readonly store.AnchorRow[],
  written: 'all' | 'found',
): Promise<store.AnchorRow[]> {
  const all: store.AnchorRow[] = []
  for (let at = 0; at < rows.length; at += page) {
    const these = rows.slice(at, at + page)
    const open = these.filter(({ nid }) => nid === null)
    const found = await findPlaces(
      ctx,
      project_id,
      open.map(({ raw_text }) => raw_text),
    )
    const placed = new Map(open.map((row, n) => [row, found[n]]))
    const next = these.map((row) => {
      const place = placed.get(row)
      if (!place) return row
      const { nid, path, symbol, removed_in, removed_version, removed_step } = place
      return { ...row, nid, path, symbol, removed_in, removed_version, removed_step }
    })
    const changed = written === 'all' ? next : next.filter(({ nid }) => nid !== null)
    if (changed.length > 0) await store.insertAnchors(ctx, project_id, changed)
    all.push(...changed)
  }
  return all
}

/** Brings the closure of these lessons to what the tree of the code is now. */
export async function refreshClosure(ctx: BrandTx, lesson_ids: readonly string[]): Promise<void> {
  for (let at = 0; at < lesson_ids.length; at += lessonPage) {
    const ids = lesson_ids.slice(at, at + lessonPage)
    const standing = await listStanding(ctx, ids)
    const above = new Map<number, { ancestor: number; dist: number }[]>()
    for (const { nid, ...up } of await listAncestors(ctx, [...new Set(standing.map((each) => each.nid))])) {
      const known = above.get(nid)
      if (known) known.push(up)
      else above.set(nid, [up])
    }
    const ups = standing.flatMap(({ lesson_id, nid }) =>
      (above.get(nid) ?? []).map((up) => ({ lesson_id, ...up })),
    )
    await replaceUps(ctx, {
      ids,
      lessons: ups.map(({ lesson_id }) => lesson_id),
      nids: ups.map(({ ancestor }) => ancestor),
      dists: ups.map(({ dist }) => dist),
    })
  }
}
