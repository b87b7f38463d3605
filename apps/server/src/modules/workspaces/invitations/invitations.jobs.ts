import { sendInvitation } from '@crewhall/contracts/workspaces/invitations.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { type InvitationDeps, mailInvitation } from './invitations.service.ts'

export const invitationJobs = (deps: InvitationDeps) => [
  onJob(sendInvitation, (ctx, payload) => mailInvitation(ctx, deps, payload)),
]
