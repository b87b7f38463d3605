import { noteMachine } from '@crewhall/contracts/fleet/updates.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { noteSharedMachine } from './shared-machines.service.ts'

export const updateJobs = [onJob(noteMachine, (ctx, { desk_id }) => noteSharedMachine(ctx, desk_id))]
