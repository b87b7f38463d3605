import { createHash } from 'node:crypto'
import {
  deskPhotoNotFound,
  dropDeskPhotoObject,
  notADeskPhoto,
} from '@crewhall/contracts/fleet/desk-photos.ts'
import { deskNotFound } from '@crewhall/contracts/fleet/refusals.ts'
import { imageStorageAbsent } from '@crewhall/contracts/pictures.ts'
import type { BrandCtx, BrandTx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { Images } from '#platform/images/images.ts'
import type { PictureRules } from '#platform/images/picture-rules.ts'
import { Outage } from '#platform/outage/outage.ts'
import type { PictureObjects } from '#platform/storage/picture-objects.ts'
import type { ObjectRows } from '#platform/storage/uploaded-objects.ts'
import { type DeskRow, findDesk, lockDesk } from '../desks/desks.store.ts'
import { imageUrl } from '../environments/environments.present.ts'
import * as store from './desk-photos.store.ts'

export interface DeskPhotoDeps {
  readonly objects: PictureObjects
  readonly images: Images
}

/** ENV-25, ENV-26. */
const rules: PictureRules = {
  kinds: ['png', 'jpeg', 'gif', 'webp'],
  width: 256,
  height: 256,
  fit: 'cover',
  keep_alpha: false,
}

/** For the sweep of objects. */
export const photoRows: ObjectRows = {
  findPosition: store.findSweepPosition,
  updatePosition: store.updateSweepPosition,
  listNamed: store.listNamedKeys,
}

export async function changePhoto(
  ctx: OutsideBrandCtx,
  deps: DeskPhotoDeps,
  id: string,
  bytes: Uint8Array,
): Promise<string> {
  // The kind is a matter of form and comes first. Decoding is work, and is done for desks of the workspace only.
  if (!deps.images.claimsToBe(bytes, rules)) throw notADeskPhoto()
  found(await findDesk(ctx, id))
  const picture = await deps.images.read(bytes, rules, `brand:${ctx.brandId}`)
  if (!picture) throw notADeskPhoto()
  const put = await deps.objects.put(ctx, picture)
  await ctx.faultPoint('desk-photos.put')
  const digest = createHash('sha256').update(picture.bytes).digest('hex')
  await ctx.tx(async (ctx) => {
    deps.objects.refuseLate(ctx, put)
    const desk = found(await lockDesk(ctx, id))
    const before = await store.findPhoto(ctx, id)
    await store.upsertPhoto(ctx, id, { object_key: put.object_key, digest })
    await recordChange(ctx, desk, before, digest)
  })
  return imageUrl(id)
}

/** ENV-37, ENV-G10: also without a photo, and without a storage. */
export const removePhoto = (ctx: BrandCtx, id: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    const desk = found(await lockDesk(ctx, id))
    const before = await store.deletePhoto(ctx, id)
    if (before) await recordChange(ctx, desk, before, null)
  })

/** Called when the desk is released, in the same transaction. */
export async function forgetPhoto(ctx: BrandTx, id: string): Promise<void> {
  const before = await store.deletePhoto(ctx, id)
  if (before) await ctx.enqueue(dropDeskPhotoObject, { object_key: before.object_key })
}

export interface ShownPhoto {
  readonly digest: string
  load(): Promise<Uint8Array>
}

export async function getPhoto(ctx: OutsideBrandCtx, deps: DeskPhotoDeps, id: string): Promise<ShownPhoto> {
  found(await findDesk(ctx, id))
  // ENV-35: before it is said whether there is a photo.
  if (!deps.objects.is_configured) throw new Outage('storage', 'not_configured').worded(imageStorageAbsent)
  const photo = await store.findPhoto(ctx, id)
  if (!photo) throw deskPhotoNotFound()
  return {
    digest: photo.digest,
    async load() {
      const stored = await deps.objects.find(ctx, photo.object_key)
      if (!stored) throw deskPhotoNotFound()
      return stored.bytes
    },
  }
}

/** The old object goes by a job of the same transaction: no commit without it, no job without the commit. */
async function recordChange(
  ctx: BrandTx,
  { id, state }: DeskRow,
  before: store.PhotoRow | undefined,
  digest: string | null,
): Promise<void> {
  if (before) await ctx.enqueue(dropDeskPhotoObject, { object_key: before.object_key })
  await ctx.emit({
    type: 'desk.changed',
    subject_id: id,
    data: { workstation_id: id, status: state },
  })
  await ctx.audit({
    action: digest ? 'desk.photo_changed' : 'desk.photo_removed',
    target: `desk:${id}`,
    from: before?.digest ?? null,
    to: digest,
  })
}

function found<T>(row: T | undefined): T {
  if (row === undefined) throw deskNotFound()
  return row
}
