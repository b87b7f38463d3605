import { guestAccess } from '#modules/workspaces'
import { emptying, erasureParts } from '#platform/erasure/erasure-part.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill } from '#platform/modules/port.ts'
import { docsRowsOfBrand, erasePersonFromDocs } from './erasure/erase-docs.service.ts'
import { spaceGuestRoutes } from './guests/space-guests.routes.ts'
import { spaceSharing } from './guests/space-guests.service.ts'
import { pageRoutes } from './pages/pages.routes.ts'
import { sharedRoutes } from './shared/shared.routes.ts'
import { spaceRoutes } from './spaces/spaces.routes.ts'

export const createDocsSpaces = (): Module => ({
  routes: [...spaceRoutes, ...pageRoutes, ...spaceGuestRoutes, ...sharedRoutes],
  fills: [
    fill(guestAccess, spaceSharing.access),
    fill(erasureParts, {
      part: 'docs-spaces',
      person: erasePersonFromDocs,
      brand: emptying(...docsRowsOfBrand),
    }),
  ],
})
