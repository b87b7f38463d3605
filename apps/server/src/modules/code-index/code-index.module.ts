import { emptying, erasureParts } from '#platform/erasure/erasure-part.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill } from '#platform/modules/port.ts'
import { projectRowsOfBrand } from './erasure/erase-projects.service.ts'

export function createCodeIndex(): Module {
  return {
    // Names of people stand nowhere here, so there is no part for a person.
    fills: [fill(erasureParts, { part: 'code_index', brand: emptying(...projectRowsOfBrand) })],
  }
}
