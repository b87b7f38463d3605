import { createHash, randomUUID } from 'node:crypto'
import { dropPhotoObject } from '@crewhall/contracts/workspaces/photos.ts'
import { sql, statement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import type { Parts } from '../../src/parts.ts'
import { naivePhoto } from './probe-photos.contract.ts'

interface OfPerson {
  readonly brand_id: number
  readonly person_id: number
}

const findKey = statement<OfPerson, { object_key: string }>(
  (p) => sql`select object_key from workspaces.member_photos where brand_id = ${p.brand_id}
     and person_id = ${p.person_id}`,
)
const putKey = statement<OfPerson & { object_key: string; digest: string }, unknown>(
  (p) => sql`insert into workspaces.member_photos (brand_id, person_id, object_key, content_type, digest)
   values (${p.brand_id}, ${p.person_id}, ${p.object_key}, 'image/png', ${p.digest})
   on conflict on constraint member_photos_pkey do update
   set object_key = excluded.object_key, digest = excluded.digest`,
)

export const probePhotosMounted = ({ storage }: Parts) => [
  handle(naivePhoto, async (ctx, { params, file }) => {
    const of = { brand_id: ctx.brandId, person_id: params.user_id }
    const before = await ctx.db.first(findKey, of)
    const object_key = `member-photos/${ctx.brandId}/${randomUUID()}`
    await storage.put(ctx, object_key, { bytes: file.bytes, content_type: 'image/png' })
    const digest = createHash('sha256').update(file.bytes).digest('hex')
    return ctx.tx(async (ctx) => {
      await ctx.db.run(putKey, { ...of, object_key, digest })
      if (before) await ctx.enqueue(dropPhotoObject, before)
      return {}
    })
  }),
]
