import { type ErasurePart, emptying } from '#platform/erasure/erasure-part.ts'
import { profileRowsOfBrand } from './erase-profiles.store.ts'
import { profileRoutes } from './profiles.routes.ts'

/** Of people it holds numbers alone. */
const erasure: ErasurePart = { part: 'profiles', brand: emptying(...profileRowsOfBrand) }

export const createProfiles = () => ({ routes: profileRoutes, erasure })
