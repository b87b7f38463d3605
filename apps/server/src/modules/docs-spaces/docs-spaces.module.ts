import type { GuestAccess } from '#modules/workspaces'
import { type ErasurePart, emptying } from '#platform/erasure/erasure-part.ts'
import { docsRowsOfBrand, erasePersonFromDocs } from './erasure/erase-docs.service.ts'
import { spaceGuestRoutes } from './guests/space-guests.routes.ts'
import { endAllAccess, findAccess, isGuestElsewhere, listAllAccess } from './guests/space-guests.service.ts'
import { pageRoutes } from './pages/pages.routes.ts'
import { sharedRoutes } from './shared/shared.routes.ts'
import { spaceRoutes } from './spaces/spaces.routes.ts'

export function createDocsSpaces() {
  const guest_access: GuestAccess = {
    kind: 'docs',
    list: listAllAccess,
    remove: endAllAccess,
    find: findAccess,
    isGuestElsewhere,
  }
  const erasure: ErasurePart = {
    part: 'docs-spaces',
    person: erasePersonFromDocs,
    brand: emptying(...docsRowsOfBrand),
  }
  return {
    routes: [...spaceRoutes, ...pageRoutes, ...spaceGuestRoutes, ...sharedRoutes],
    guest_access,
    erasure,
  }
}
