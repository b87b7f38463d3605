import * as contract from '@crewhall/contracts/workspaces/audit.ts'
import { handle } from '#platform/http/handle.ts'
import { type AuditDeps, readAudit } from './audit.service.ts'

export const auditRoutes = (deps: AuditDeps) => [
  handle(contract.listAudit, (ctx, { query }) => readAudit(ctx, deps, query)),
]
