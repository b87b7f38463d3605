import * as contract from '@crewhall/contracts/inbox/inbox.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './entries.service.ts'

export const entryRoutes = (cursors: Cursors) => [
  handle(contract.listInbox, (ctx, { query }) => service.listOwnEntries(ctx, cursors, query)),
  handle(contract.markInbox, (ctx, { body }) => service.markEntries(ctx, body)),
]
