import * as contract from '@crewhall/contracts/fleet/desk-agent.ts'
import { handle } from '#platform/http/handle.ts'
import { type BeatDeps, takeBeat } from './beats.service.ts'
import { noteInstallEvent, type RegistrationDeps, registerDesk } from './registration.service.ts'

export const protocolRoutes = (deps: RegistrationDeps & BeatDeps) => [
  handle(contract.reportInstallEvent, async (ctx, { body }) => {
    await noteInstallEvent(ctx, body)
    return { recorded: true as const }
  }),
  handle(contract.registerDesk, (ctx, { body }) => registerDesk(ctx, deps, body)),
  handle(contract.sendBeat, (ctx, { body }) => takeBeat(ctx, deps, body)),
]
