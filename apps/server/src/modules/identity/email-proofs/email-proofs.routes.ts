import * as contract from '@crewhall/contracts/identity/email-proofs.ts'
import { handle } from '#platform/http/handle.ts'
import { askAgain, proveEmail } from './email-proofs.service.ts'

const done = { done: true } as const

export const emailProofRoutes = [
  handle(contract.confirmEmail, async (ctx, { body }) => {
    await proveEmail(ctx, body.token)
    return done
  }),
  handle(contract.resendEmailProof, async (ctx) => {
    await askAgain(ctx)
    return done
  }),
]
