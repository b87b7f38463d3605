import * as contract from '@crewhall/contracts/fleet/desk-agent.ts'
import { FileAnswer } from '#platform/http/file-answer.ts'
import { handle } from '#platform/http/handle.ts'
import { type BundleDeps, getBundle } from '../updates/bundle-files.service.ts'
import { type BeatDeps, takeBeat } from './beats.service.ts'
import { noteInstallEvent, type RegistrationDeps, registerDesk } from './registration.service.ts'

export const protocolRoutes = (deps: RegistrationDeps & BeatDeps & BundleDeps) => [
  handle(contract.reportInstallEvent, async (ctx, { body }) => {
    await noteInstallEvent(ctx, body)
    return { recorded: true as const }
  }),
  handle(contract.registerDesk, (ctx, { body }) => registerDesk(ctx, deps, body)),
  handle(contract.sendBeat, (ctx, { body }) => takeBeat(ctx, deps, body)),
  handle(contract.getSidecarBundle, async (_, { query }) => {
    const bundle = await getBundle(deps, query.sha256)
    return new FileAnswer({
      ...bundle,
      content_type: 'text/javascript',
      keep: 'revalidate',
      disposition: { attachment: 'sidecar.mjs' },
    })
  }),
]
