import { sendDeviceLetter } from '@crewhall/contracts/identity/device.ts'
import { sendPasswordLetter } from '@crewhall/contracts/identity/own-password.ts'
import { sendSignInLetter } from '@crewhall/contracts/identity/own-sessions.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import {
  type AccountLetterDeps,
  mailDevice,
  mailPasswordChange,
  mailSignIn,
} from './account-letters.service.ts'

export const accountLetterJobs = (deps: AccountLetterDeps) => [
  onJob(sendSignInLetter, (ctx, signedIn) => mailSignIn(ctx, deps, signedIn)),
  onJob(sendDeviceLetter, (ctx, approved) => mailDevice(ctx, deps, approved)),
  onJob(sendPasswordLetter, (ctx, changed) => mailPasswordChange(ctx, deps, changed)),
]
