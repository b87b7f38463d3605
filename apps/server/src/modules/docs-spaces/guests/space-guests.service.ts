import {
  alreadyGuest,
  docsAccessLimit,
  spaceGuestNotFound,
  spaceNotFound,
} from '@crewhall/contracts/docs-spaces/refusals.ts'
import { createSharing } from '#modules/workspaces'
import { findSpace, lockSpace } from '../spaces/spaces.store.ts'
import { spaceGuestTables } from './space-guests.store.ts'

export const spaceSharing = createSharing({
  kind: 'docs',
  id_field: 'space_id',
  tables: spaceGuestTables,
  refusals: {
    not_found: spaceNotFound,
    guest_not_found: spaceGuestNotFound,
    already_guest: alreadyGuest,
    too_many: docsAccessLimit,
  },
  find: findSpace,
  async lockOpen(ctx, space_id) {
    if (!(await lockSpace(ctx, space_id))) throw spaceNotFound()
  },
})
