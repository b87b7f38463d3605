import { emptying, erasureParts } from '#platform/erasure/erasure-part.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill } from '#platform/modules/port.ts'
import { profileRowsOfBrand } from './erase-profiles.store.ts'
import { profileRoutes } from './profiles.routes.ts'

export const createProfiles = (): Module => ({
  routes: profileRoutes,
  // Of people it holds numbers alone.
  fills: [fill(erasureParts, { part: 'profiles', brand: emptying(...profileRowsOfBrand) })],
})
