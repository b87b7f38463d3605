import { type ErasurePart, emptying } from '#platform/erasure/erasure-part.ts'
import { docsRowsOfBrand, erasePersonFromDocs } from './erasure/erase-docs.service.ts'
import { spaceGuestRoutes } from './guests/space-guests.routes.ts'
import { spaceSharing } from './guests/space-guests.service.ts'
import { pageRoutes } from './pages/pages.routes.ts'
import { sharedRoutes } from './shared/shared.routes.ts'
import { spaceRoutes } from './spaces/spaces.routes.ts'

export function createDocsSpaces() {
  const erasure: ErasurePart = {
    part: 'docs-spaces',
    person: erasePersonFromDocs,
    brand: emptying(...docsRowsOfBrand),
  }
  return {
    routes: [...spaceRoutes, ...pageRoutes, ...spaceGuestRoutes, ...sharedRoutes],
    guest_access: spaceSharing.access,
    erasure,
  }
}
