import type { Cursors } from '#platform/cursor/cursor.ts'
import { emptying, erasureParts } from '#platform/erasure/erasure-part.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill } from '#platform/modules/port.ts'
import { projectRowsOfBrand } from './erasure/erase-projects.service.ts'
import { projectRoutes } from './projects/projects.routes.ts'

interface Deps {
  readonly cursors: Cursors
}

export function createCodeIndex({ cursors }: Deps): Module {
  return {
    routes: [...projectRoutes(cursors)],
    // Names of people stand nowhere here, so there is no part for a person.
    fills: [fill(erasureParts, { part: 'code_index', brand: emptying(...projectRowsOfBrand) })],
  }
}
