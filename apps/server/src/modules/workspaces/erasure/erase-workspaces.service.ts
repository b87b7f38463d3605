import type { OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { ErasedPerson, Next } from '#platform/erasure/erasure-part.ts'
import type { PictureObjects } from '#platform/storage/picture-objects.ts'
import * as store from './erase-workspaces.store.ts'

const photoBite = 50
const invitationBite = 2000

/** Pictures, positions, and invitations to their addresses. */
export const erasePersonFromWorkspaces =
  (objects: PictureObjects) =>
  async (ctx: OutsideSystemCtx, person: ErasedPerson, position: string): Promise<Next> => {
    const { id: person_id, brand_ids, addresses, until } = person
    if (position === '') {
      const photos = await store.listPhotosOf(ctx, { person_id, brand_ids }, photoBite)
      for (const photo of photos) {
        // The row last: what it names is not forgotten when this stops half-way.
        await objects.drop(ctx, photo.object_key)
        await store.deletePhoto(ctx, photo)
      }
      if (photos.length === photoBite) return ''
      await store.deleteProfilesOf(ctx, { person_id, brand_ids })
    }
    const after = position ? JSON.parse(position) : { brand_id: 0, id: 0 }
    const last = await store.deleteInvitationsTo(ctx, after, { bite: invitationBite, addresses, until })
    return last && JSON.stringify(last)
  }

export { rowsOfBrand } from './erase-workspaces.store.ts'
