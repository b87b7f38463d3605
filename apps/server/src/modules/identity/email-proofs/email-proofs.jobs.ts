import { sendEmailProof } from '@crewhall/contracts/identity/email-proofs.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { mailProof, type ProofDeps } from './email-proofs.service.ts'

export const emailProofJobs = (deps: ProofDeps) => [
  onJob(sendEmailProof, (ctx, { person_id }) => mailProof(ctx, deps, person_id)),
]
