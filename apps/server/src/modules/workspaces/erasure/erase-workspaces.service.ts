import type { OutsideBrandCtx, OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { ErasedPerson, Next } from '#platform/erasure/erasure-part.ts'
import { Outage } from '#platform/outage/outage.ts'
import type { Storage } from '#platform/storage/storage.ts'
import { photoPrefix } from '../photos/photo-key.ts'
import * as store from './erase-workspaces.store.ts'

const photoBite = 50
const invitationBite = 2000

/** Pictures, positions, and invitations to their addresses. */
export const erasePersonFromWorkspaces =
  (storage: Storage) =>
  async (ctx: OutsideSystemCtx, person: ErasedPerson, position: string): Promise<Next> => {
    const { id: person_id, brand_ids, addresses, until } = person
    if (position === '') {
      const photos = await store.listPhotosOf(ctx, { person_id, brand_ids }, photoBite)
      for (const photo of photos) {
        // The row last: what it names is not forgotten when this stops half-way.
        await storage.remove(ctx, photo.object_key)
        await store.deletePhoto(ctx, photo)
      }
      if (photos.length === photoBite) return ''
      await store.deleteProfilesOf(ctx, { person_id, brand_ids })
    }
    const after = position ? JSON.parse(position) : { brand_id: 0, id: 0 }
    const last = await store.deleteInvitationsTo(ctx, after, { bite: invitationBite, addresses, until })
    return last && JSON.stringify(last)
  }

/** All objects under the prefix of the workspace, with or without a row. Returns how many of `limit`. */
export const deleteObjectsOfBrand =
  (storage: Storage) =>
  async (ctx: OutsideBrandCtx, limit: number): Promise<number> => {
    try {
      const found = await storage.list(ctx, `${photoPrefix}${ctx.brandId}/`, { limit: photoBite })
      for (const { key } of found) await storage.remove(ctx, key)
      return found.length === photoBite ? limit : 0
    } catch (error) {
      // Without a storage there is no object.
      if (error instanceof Outage && error.reason === 'not_configured') return 0
      throw error
    }
  }

export { rowsOfBrand } from './erase-workspaces.store.ts'
