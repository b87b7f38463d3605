import { createHash, hash, randomBytes, randomUUID } from 'node:crypto'
import { dropDeskPhotoObject } from '@crewhall/contracts/fleet/desk-photos.ts'
import { deskLimitReached, joinedByAnother } from '@crewhall/contracts/fleet/refusals.ts'
import { planOf } from '#modules/identity'
import { brandStatement, sql } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import type { Parts } from '../../src/parts.ts'
import { probeDeskRoutes } from './probe-desks.contract.ts'

type OfDesk = { readonly desk_id: string }
const count = brandStatement<object, { count: number }>(
  (p) => sql`select count(*)::int as count from fleet.desks where brand_id = ${p.brand_id}`,
)
const add = brandStatement<{ name: string; short_id: string }, unknown>(
  (p) => sql`insert into fleet.desks (brand_id, id, short_id, name, runtime, workspace_path)
   values (${p.brand_id}, gen_random_uuid(), ${p.short_id}, ${p.name}, 'codex', '/srv')`,
)
const secretsOf = brandStatement<OfDesk, { id: string }>(
  (p) =>
    sql`select id from probe.naive_join_secrets where brand_id = ${p.brand_id} and desk_id = ${p.desk_id}`,
)
const addSecret = brandStatement<OfDesk & { digest: string }, unknown>(
  (p) => sql`insert into probe.naive_join_secrets (brand_id, desk_id, secret_digest)
   values (${p.brand_id}, ${p.desk_id}, ${p.digest})`,
)
const dropSecrets = brandStatement<{ ids: readonly string[] }, unknown>(
  (p) =>
    sql`delete from probe.naive_join_secrets where brand_id = ${p.brand_id} and id = any(${p.ids}::uuid[])`,
)
const findKey = brandStatement<OfDesk, { object_key: string }>(
  (p) =>
    sql`select object_key from fleet.desk_photos where brand_id = ${p.brand_id} and desk_id = ${p.desk_id}`,
)
const putKey = brandStatement<OfDesk & { object_key: string; digest: string }, unknown>(
  (p) => sql`insert into fleet.desk_photos (brand_id, desk_id, object_key, digest)
   values (${p.brand_id}, ${p.desk_id}, ${p.object_key}, ${p.digest})
   on conflict on constraint desk_photos_pkey do update
   set object_key = excluded.object_key, digest = excluded.digest`,
)

const findUpdate = brandStatement<OfDesk, { id: string }>(
  (p) => sql`select id from probe.naive_updates where brand_id = ${p.brand_id} and desk_id = ${p.desk_id}`,
)
const addUpdate = brandStatement<OfDesk, { id: string }>(
  (p) =>
    sql`insert into probe.naive_updates (brand_id, desk_id) values (${p.brand_id}, ${p.desk_id}) returning id`,
)

const findBinding = brandStatement<OfDesk, { key_fingerprint: string | null }>(
  (p) =>
    sql`select key_fingerprint from fleet.join_secrets where brand_id = ${p.brand_id} and desk_id = ${p.desk_id}`,
)
const bind = brandStatement<OfDesk & { fingerprint: string }, unknown>(
  (p) => sql`update fleet.join_secrets set key_fingerprint = ${p.fingerprint}, bound_at = platform.now()
   where brand_id = ${p.brand_id} and desk_id = ${p.desk_id}`,
)

const findRow = brandStatement<OfDesk, { row: string; sidecar_url: string }>(
  (p) => sql`select to_jsonb(d)::text as row, d.sidecar_url from fleet.desks d
   where d.brand_id = ${p.brand_id} and d.id = ${p.desk_id}`,
)
// As a mapper of objects would save what it has loaded.
const saveRow = brandStatement<{ row: string }, unknown>(
  (p) => sql`insert into fleet.desks
   select (jsonb_populate_record(null::fleet.desks, ${p.row}::jsonb || jsonb_build_object('brand_id', ${p.brand_id}::int))).*
   on conflict (brand_id, id) do update set state = excluded.state, misses = excluded.misses`,
)

const readCount = brandStatement<object, { live: number }>(
  (p) => sql`select live from probe.naive_live_desks where brand_id = ${p.brand_id}`,
)
const writeCount = brandStatement<{ live: number }, unknown>(
  (p) => sql`insert into probe.naive_live_desks (brand_id, live) values (${p.brand_id}, ${p.live})
   on conflict (brand_id) do update set live = excluded.live`,
)

const { checkNaively, countNaively } = probeDeskRoutes
const { joinNaively, orderDeskNaively, regeneratePatNaively, naiveDeskPhoto, requestUpdateNaively } =
  probeDeskRoutes

export const probeDesksMounted = ({ storage }: Parts) => [
  handle(checkNaively, async (ctx, { params: { workstation_id: desk_id } }) => {
    const { row = '{}', sidecar_url } = (await ctx.db.first(findRow, { desk_id })) ?? {}
    const { ok } = await fetch(`${sidecar_url}/v1/health?nonce=${'A'.repeat(43)}`)
    await ctx.db.run(saveRow, { row: JSON.stringify({ ...JSON.parse(row), ...(ok && { state: 'ready' }) }) })
    return {}
  }),
  handle(countNaively, (ctx, { body: { cause } }) =>
    ctx.tx(async (ctx) => {
      const { desk_cap } = await planOf(ctx)
      const live = (await ctx.db.first(readCount, {}))?.live ?? 0
      if (cause === 'order' && live >= desk_cap) throw deskLimitReached(live, '')
      await ctx.db.run(writeCount, { live: live + 1 })
      return {}
    }),
  ),
  handle(joinNaively, (ctx, { params: { workstation_id: desk_id }, body: { fingerprint } }) =>
    ctx.tx(async (ctx) => {
      const known = (await ctx.db.first(findBinding, { desk_id }))?.key_fingerprint ?? fingerprint
      if (known !== fingerprint) throw joinedByAnother()
      await ctx.db.run(bind, { desk_id, fingerprint })
      return {}
    }),
  ),
  handle(orderDeskNaively, (ctx, { body: { name } }) =>
    ctx.tx(async (ctx) => {
      const { desk_cap } = await planOf(ctx)
      const current = (await ctx.db.first(count, {}))?.count ?? 0
      if (current >= desk_cap) throw deskLimitReached(current, '')
      await ctx.db.run(add, { name, short_id: randomBytes(4).toString('hex') })
      return {}
    }),
  ),
  handle(regeneratePatNaively, (ctx, { params: { workstation_id: desk_id } }) =>
    ctx.tx(async (ctx) => {
      const old = await ctx.db.all(secretsOf, { desk_id })
      const pat = randomUUID()
      await ctx.db.run(addSecret, { desk_id, digest: hash('sha256', pat) })
      await ctx.db.run(dropSecrets, { ids: old.map(({ id }) => id) })
      return { pat }
    }),
  ),
  handle(naiveDeskPhoto, async (ctx, { params: { workstation_id: desk_id }, file }) => {
    const before = await ctx.db.first(findKey, { desk_id })
    const object_key = `desk-photos/${ctx.brandId}/${randomUUID()}`
    await storage.put(ctx, object_key, { bytes: file.bytes, content_type: 'image/png' })
    const digest = createHash('sha256').update(file.bytes).digest('hex')
    return ctx.tx(async (ctx) => {
      await ctx.db.run(putKey, { desk_id, object_key, digest })
      if (before) await ctx.enqueue(dropDeskPhotoObject, before)
      return {}
    })
  }),
  handle(requestUpdateNaively, (ctx, { params: { machine_id: desk_id } }) =>
    ctx.tx(async (ctx) => {
      const row =
        (await ctx.db.first(findUpdate, { desk_id })) ?? (await ctx.db.first(addUpdate, { desk_id }))
      return { id: row?.id ?? '' }
    }),
  ),
]
