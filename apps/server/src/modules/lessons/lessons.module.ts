import { emptying, erasureParts } from '#platform/erasure/erasure-part.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill } from '#platform/modules/port.ts'
import { deletingLessons } from './erasure/erase-lessons.store.ts'

export function createLessons(): Module {
  return {
    routes: [],
    jobs: [],
    fills: [fill(erasureParts, { part: 'lessons', brand: emptying(...deletingLessons) })],
  }
}
