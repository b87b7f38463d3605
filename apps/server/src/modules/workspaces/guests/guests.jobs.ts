import { sendGuestLetter } from '@crewhall/contracts/workspaces/guests.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { type GuestLetterDeps, mailGuest } from './guest-letters.service.ts'

export const guestJobs = (deps: GuestLetterDeps) => [
  onJob(sendGuestLetter, (ctx, payload) => mailGuest(ctx, deps, payload)),
]
