import * as contract from '@crewhall/contracts/identity/sessions.ts'
import { Answer } from '#platform/http/answer.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './sessions.service.ts'

const done = { done: true } as const

export const sessionRoutes = (deps: service.SessionDeps) => {
  const started = (status: number, { set_cookie, me }: service.Started) =>
    new Answer(status, me, { 'set-cookie': set_cookie })
  return [
    handle(contract.signUp, async (ctx, { body, ...from }) =>
      started(201, await service.signUpPerson(ctx, deps, from, body)),
    ),
    handle(contract.signIn, async (ctx, { body, ...from }) =>
      started(200, await service.signInPerson(ctx, deps, from, body)),
    ),
    handle(contract.signOut, async (ctx) => {
      const set_cookie = await service.signOutPerson(ctx, deps)
      return new Answer(200, done, { 'set-cookie': set_cookie })
    }),
    handle(contract.requestReset, async (ctx, { body, network }) => {
      await service.requestPasswordReset(ctx, deps, network, body.email)
      return done
    }),
    handle(contract.confirmReset, async (ctx, { body, network }) => {
      await service.confirmPasswordReset(ctx, deps, network, body)
      return done
    }),
    handle(contract.getMe, (ctx) => service.getMyself(ctx)),
    handle(contract.switchBrand, (ctx, { body }) => service.switchSessionBrand(ctx, body.brand_id)),
  ]
}
