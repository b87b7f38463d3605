import { sendInboxMail } from '@crewhall/contracts/inbox/mail.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { type DueMailDeps, mailDue } from './due-mail.service.ts'

export const dueMailJobs = (deps: DueMailDeps) => [
  onJob(sendInboxMail, (ctx, _, { signal }) => mailDue(ctx, deps, signal)),
]
