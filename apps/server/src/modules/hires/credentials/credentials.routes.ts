import * as contract from '@crewhall/contracts/hires/credentials.ts'
import { handle } from '#platform/http/handle.ts'
import { type CredentialDeps, fetchDeskHire, issueCredential } from './credentials.service.ts'

export const credentialRoutes = (deps: CredentialDeps) => [
  handle(contract.fetchDeskHire, (ctx) => fetchDeskHire(ctx, deps)),
  handle(contract.issueHireCredential, (ctx, { params }) => issueCredential(ctx, deps, params.hire_id)),
]
