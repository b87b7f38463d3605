import { sendPasswordNotice } from '@crewhall/contracts/workspaces/members.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { mailPasswordNotice, type PasswordDeps } from './member-passwords.service.ts'

export const memberJobs = (deps: PasswordDeps) => [
  onJob(sendPasswordNotice, (ctx, payload) => mailPasswordNotice(ctx, deps, payload)),
]
