import type { AttachmentType } from '@crewhall/contracts/boards/attachments.ts'
import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { deletingRows } from '#platform/db/brand-rows.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

export interface ListedRow {
  readonly id: string
  readonly card_id: string
  readonly object_key: string
  readonly name: string
  readonly content_type: AttachmentType
  readonly size: number
  readonly sha256: string
  readonly created_by: Actor
  readonly created_at: string
}
export interface AttachmentRow extends ListedRow {
  readonly preview: string | null
}
export type NewAttachment = Omit<AttachmentRow, 'id' | 'created_at'>

const listed =
  'id, card_id, object_key, name, content_type, size::float8 as size, sha256, created_by, created_at'
type One = { id: string }

const ofCard = brandStatement<{ card_id: string }, ListedRow>(
  (p) => sql`select ${listed} from boards.attachments
   where brand_id = ${p.brand_id} and card_id = ${p.card_id} order by created_at, id`,
)
const find = brandStatement<One, AttachmentRow>(
  (p) =>
    sql`select ${listed}, preview from boards.attachments where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const add = brandStatement<Omit<NewAttachment, 'created_by'> & { created_by: string }, AttachmentRow>(
  (
    p,
  ) => sql`insert into boards.attachments (brand_id, card_id, object_key, name, content_type, size, sha256, preview, created_by)
   values (${p.brand_id}, ${p.card_id}, ${p.object_key}, ${p.name}, ${p.content_type}, ${p.size}, ${p.sha256}, ${p.preview}, ${p.created_by}::jsonb)
   returning ${listed}, preview`,
)
const remove = brandStatement<One, unknown>(
  (p) => sql`delete from boards.attachments where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const sum = brandStatement<object, { bytes: number }>(
  (p) => sql`select bytes::float8 as bytes from boards.attachment_sums where brand_id = ${p.brand_id}`,
)
const named = brandStatement<{ object_keys: readonly string[] }, { object_key: string }>(
  (p) => sql`select object_key from boards.attachments
   where brand_id = ${p.brand_id} and object_key = any(${p.object_keys})`,
)
const position = statement<object, { after_key: string }>(
  () => sql`select after_key from boards.attachment_sweeps`,
)
const move = statement<{ after_key: string }, unknown>(
  (p) => sql`update boards.attachment_sweeps set after_key = ${p.after_key}`,
)
const sums = deletingRows('boards.attachment_sums')

export const listAttachments = (ctx: BrandCtx, card_id: string) => ctx.db.all(ofCard, { card_id })
export const findAttachment = (ctx: BrandCtx, id: string) => ctx.db.first(find, { id })
/** Only under the lock of the board, as the next one. Triggers count it on the card and for the workspace. */
export const insertAttachment = (ctx: BrandTx, { created_by, ...row }: NewAttachment) =>
  ctx.db.first(add, { ...row, created_by: JSON.stringify(created_by) })
export const deleteAttachment = (ctx: BrandTx, id: string) => ctx.db.run(remove, { id })
export const countBytes = async (ctx: BrandCtx) => (await ctx.db.first(sum, {}))?.bytes ?? 0
/** Those of the given keys that a row names. */
export const listNamedKeys = async (ctx: BrandCtx, object_keys: readonly string[]) =>
  (await ctx.db.all(named, { object_keys })).map(({ object_key }) => object_key)
export const findSweepPosition = async (ctx: SystemCtx) => (await ctx.db.first(position, {}))?.after_key ?? ''
export const updateSweepPosition = (ctx: SystemCtx, after_key: string) => ctx.db.run(move, { after_key })
export const deleteSums = (ctx: BrandCtx, limit: number) => ctx.db.run(sums, { limit })
