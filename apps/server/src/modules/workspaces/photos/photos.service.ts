import { createHash } from 'node:crypto'
import { dropPhotoObject, notAPhoto, photoNotFound } from '@crewhall/contracts/workspaces/photos.ts'
import { memberNotFound } from '@crewhall/contracts/workspaces/refusals.ts'
import { findMembership } from '#modules/identity'
import type { BrandCtx, BrandTx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { Images } from '#platform/images/images.ts'
import type { PictureRules } from '#platform/images/picture-rules.ts'
import type { PictureObjects } from '#platform/storage/picture-objects.ts'
import type { ObjectRows } from '#platform/storage/uploaded-objects.ts'
import { photoUrl, versionOf } from './photos.present.ts'
import * as store from './photos.store.ts'

export interface PhotoDeps {
  readonly objects: PictureObjects
  readonly images: Images
}

/** MBR-G10: small enough for every list, in the two formats that every program shows. */
const rules: PictureRules = {
  kinds: ['png', 'jpeg', 'gif'],
  width: 512,
  height: 512,
  fit: 'inside',
  keep_alpha: true,
}

/** For the sweep of objects. */
export const photoRows: ObjectRows = {
  findPosition: store.findSweepPosition,
  updatePosition: store.updateSweepPosition,
  listNamed: store.listNamedKeys,
}

/** Photo URLs of these people in this workspace; people without a photo are missing. */
export async function photoUrls(ctx: BrandCtx, person_ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await store.listDigests(ctx, person_ids)
  return new Map(rows.map(({ person_id, digest }) => [person_id, photoUrl(ctx.brandId, person_id, digest)]))
}

interface Sent {
  readonly person_id: number
  readonly bytes: Uint8Array
}

export async function changePhoto(ctx: OutsideBrandCtx, deps: PhotoDeps, sent: Sent): Promise<string> {
  const { person_id, bytes } = sent
  // The kind is a matter of form and comes first. Decoding is work, and is done for members only.
  if (!deps.images.claimsToBe(bytes, rules)) throw notAPhoto()
  await getMember(ctx, person_id)
  const picture = await deps.images.read(bytes, rules, `brand:${ctx.brandId}`)
  if (!picture) throw notAPhoto()
  const put = await deps.objects.put(ctx, picture)
  await ctx.faultPoint('photos.put')
  const digest = createHash('sha256').update(picture.bytes).digest('hex')
  const photo = { object_key: put.object_key, content_type: picture.content_type, digest }
  return ctx.tx(async (ctx) => {
    deps.objects.refuseLate(ctx, put)
    await store.lockPhoto(ctx, person_id)
    await getMember(ctx, person_id)
    const before = await store.findPhoto(ctx, person_id)
    await store.upsertPhoto(ctx, person_id, photo)
    return recordChange(ctx, { person_id, before, after: photo })
  })
}

/** MBR-G11: removing a missing photo succeeds. */
export async function removePhoto(ctx: BrandCtx, person_id: number): Promise<void> {
  await ctx.tx(async (ctx) => {
    await store.lockPhoto(ctx, person_id)
    await getMember(ctx, person_id)
    const before = await store.deletePhoto(ctx, person_id)
    if (before) await recordChange(ctx, { person_id, before, after: undefined })
  })
}

/** Called when a membership ends, in the same transaction: the photo goes with it. */
export async function forgetPhoto(ctx: BrandTx, person_id: number): Promise<void> {
  await store.lockPhoto(ctx, person_id)
  const before = await store.deletePhoto(ctx, person_id)
  if (before) await ctx.enqueue(dropPhotoObject, { object_key: before.object_key })
}

export interface ShownPhoto {
  readonly content_type: store.PhotoRow['content_type']
  readonly digest: string
  /** The version in the current URL of the photo. */
  readonly version: string
  load(): Promise<Uint8Array>
}

export async function getPhoto(
  ctx: OutsideBrandCtx,
  deps: PhotoDeps,
  person_id: number,
): Promise<ShownPhoto> {
  await getMember(ctx, person_id)
  const photo = await store.findPhoto(ctx, person_id)
  if (!photo) throw photoNotFound()
  const { object_key, content_type, digest } = photo
  return {
    content_type,
    digest,
    version: versionOf(digest),
    async load() {
      const found = await deps.objects.find(ctx, object_key)
      if (!found) throw photoNotFound()
      return found.bytes
    },
  }
}

async function getMember(ctx: BrandCtx, person_id: number): Promise<void> {
  if (!(await findMembership(ctx, person_id))) throw memberNotFound()
}

interface PhotoChange {
  readonly person_id: number
  readonly before: store.PhotoRow | undefined
  readonly after: store.PhotoRow | undefined
}

/** The old object goes by a job of the same transaction: no commit without it, no job without the commit. */
async function recordChange(ctx: BrandTx, { person_id, before, after }: PhotoChange): Promise<string> {
  if (before) await ctx.enqueue(dropPhotoObject, { object_key: before.object_key })
  const urlOf = (photo: store.PhotoRow | undefined) =>
    photo ? photoUrl(ctx.brandId, person_id, photo.digest) : null
  await ctx.audit({
    action: after ? 'member.photo_changed' : 'member.photo_removed',
    target: `member:${person_id}`,
    from: urlOf(before),
    to: urlOf(after),
  })
  return urlOf(after) ?? ''
}
