import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

/** A project, and how far memories that name what its indexes have changed are in the queue. */
interface CodeProject {
  readonly project_id: string
  /** The version of the index that is visible. */
  readonly shown: number
  readonly change_version: number
  readonly change_nid: number
  readonly new_nid: number
}

const dueBrand = statement<{ after: number }, { brand_id: number }>(
  (p) => sql`select brand_id from memory.code_projects where walked < shown and brand_id > ${p.after}
   order by brand_id limit 1`,
)
const due = brandStatement<object, CodeProject>(
  (p) => sql`select project_id, shown, change_version, change_nid, new_nid from memory.code_projects
   where brand_id = ${p.brand_id} and walked < shown order by project_id limit 1`,
)
const show = brandStatement<{ project_id: string; version: number }, unknown>(
  (p) => sql`insert into memory.code_projects (brand_id, project_id, shown)
   values (${p.brand_id}, ${p.project_id}, ${p.version})
   on conflict (brand_id, project_id) do update set shown = excluded.shown`,
)
// Where another worker was faster, it has gone at least as far.
const change = brandStatement<CodeProject & { old_version: number; old_nid: number }, unknown>(
  (
    p,
  ) => sql`update memory.code_projects set change_version = ${p.change_version}, change_nid = ${p.change_nid}
   where brand_id = ${p.brand_id} and project_id = ${p.project_id}
     and (change_version, change_nid) = (${p.old_version}::int, ${p.old_nid}::int)`,
)
const go = brandStatement<{ project_id: string; new_nid: number }, unknown>(
  (p) => sql`update memory.code_projects set new_nid = ${p.new_nid}
   where brand_id = ${p.brand_id} and project_id = ${p.project_id} and new_nid < ${p.new_nid}`,
)
const end = brandStatement<{ project_id: string; shown: number }, unknown>(
  (p) => sql`update memory.code_projects set walked = ${p.shown}
   where brand_id = ${p.brand_id} and project_id = ${p.project_id} and walked < ${p.shown}`,
)

// Memories that are being deleted are waited for, and then left out. A row that is in the queue already is enough: who has
// looked at its memory before the index cannot take it out any more.
const enqueue = (brand_id: Parameters<typeof sql>[1]) => sql`held as (
     select m.id from memory.memories m where m.brand_id = ${brand_id} and m.id in (select memory_id from found)
     order by m.id for key share),
   queued as (
     insert into memory.code_link_queue (brand_id, memory_id) select ${brand_id}, id from held
     on conflict (brand_id, memory_id) do nothing)`

export interface KeyUse {
  readonly key: string
  readonly memory_id: string
}
const queueNaming = brandStatement<{ keys: readonly string[]; limit: number } & KeyUse, KeyUse>(
  (p) => sql`with found as materialized (
     select key, memory_id from memory.code_mentions
     where brand_id = ${p.brand_id} and key = any(${p.keys}::text[])
       and (key, memory_id) > (${p.key}::text, ${p.memory_id}::uuid)
     order by key, memory_id limit ${p.limit}),
   ${enqueue(p.brand_id)}
   select key, memory_id from found order by key, memory_id`,
)
export interface NodeUse {
  readonly nid: number
  readonly memory_id: string
}
const queueLinked = brandStatement<{ nids: readonly number[]; limit: number } & NodeUse, NodeUse>(
  (p) => sql`with found as materialized (
     select distinct nid, memory_id from memory.code_links
     where brand_id = ${p.brand_id} and nid = any(${p.nids}::int[])
       and (nid, memory_id) > (${p.nid}::int, ${p.memory_id}::uuid)
     order by nid, memory_id limit ${p.limit}),
   ${enqueue(p.brand_id)}
   select nid, memory_id from found order by nid, memory_id`,
)

/** The next workspace after this one where an index has changed something that was not looked up yet. */
export const findChangedBrand = async (ctx: SystemCtx, after: number) =>
  (await ctx.overBrands().db.first(dueBrand, { after }))?.brand_id
export const findChangedProject = (ctx: BrandCtx) => ctx.db.first(due, {})
export const updateVersion = (ctx: BrandTx, project_id: string, version: number) =>
  ctx.db.run(show, { project_id, version })
export const updateChange = (ctx: BrandCtx, before: CodeProject, at: { version: number; nid: number }) =>
  ctx.db.run(change, {
    ...before,
    change_version: at.version,
    change_nid: at.nid,
    old_version: before.change_version,
    old_nid: before.change_nid,
  })
export const updateNew = (ctx: BrandCtx, project_id: string, new_nid: number) =>
  ctx.db.run(go, { project_id, new_nid })
export const updateWalked = (ctx: BrandCtx, { project_id, shown }: CodeProject) =>
  ctx.db.run(end, { project_id, shown })
/** Memories that mention one of the keys, after one of them; each is to be looked at again. */
export const queueNamingAfter = (ctx: BrandCtx, keys: readonly string[], after: KeyUse, limit: number) =>
  ctx.db.all(queueNaming, { keys, ...after, limit })
/** The same for memories with a link to one of the nodes. */
export const queueLinkedAfter = (ctx: BrandCtx, nids: readonly number[], after: NodeUse, limit: number) =>
  ctx.db.all(queueLinked, { nids, ...after, limit })
