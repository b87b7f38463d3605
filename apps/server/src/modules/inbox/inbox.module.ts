import type { Cursors } from '#platform/cursor/cursor.ts'
import { emptying, erasureParts } from '#platform/erasure/erasure-part.ts'
import { sweeps } from '#platform/jobs/sweep.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill } from '#platform/modules/port.ts'
import { entryRoutes } from './entries/entries.routes.ts'
import { entrySweeps } from './entries/entries.service.ts'
import { deleteEntries, erasePersonFromInbox } from './erasure/erase-entries.service.ts'
import { tellAdmins } from './telling/telling.service.ts'

interface Deps {
  readonly cursors: Cursors
}

export const createInbox = ({ cursors }: Deps): Module => ({
  routes: entryRoutes(cursors),
  listeners: [tellAdmins],
  fills: [
    fill(sweeps, ...entrySweeps),
    fill(erasureParts, {
      part: 'inbox',
      person: erasePersonFromInbox,
      brand: emptying(deleteEntries),
    }),
  ],
})
