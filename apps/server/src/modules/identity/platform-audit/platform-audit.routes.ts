import { listPlatformAudit } from '@crewhall/contracts/identity/platform-audit.ts'
import { handle } from '#platform/http/handle.ts'
import { listPlatformPage } from './platform-audit.service.ts'

export const platformAuditRoutes = [
  handle(listPlatformAudit, (ctx, { query }) => listPlatformPage(ctx, query)),
]
