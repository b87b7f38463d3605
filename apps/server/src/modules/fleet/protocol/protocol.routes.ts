import * as contract from '@crewhall/contracts/fleet/desk-agent.ts'
import { FileAnswer } from '#platform/http/file-answer.ts'
import { handle } from '#platform/http/handle.ts'
import { type BundleDeps, getBundle, getFile } from '../updates/bundle-files.service.ts'
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
  handle(contract.getInstallFile, async (_, { query }) => {
    const file = await getFile(deps, query.sha256)
    return new FileAnswer({
      ...file,
      content_type: 'application/octet-stream',
      keep: 'revalidate',
      disposition: { attachment: file.digest },
    })
  }),
]
