import * as contract from '@crewhall/contracts/boards/work.ts'
import { handleInPhases } from '#platform/http/handle.ts'
import type { AroundPorts } from './around.service.ts'
import { nextWork, prepareWork } from './work.service.ts'

export const workRoutes = (ports: AroundPorts) => [
  handleInPhases(contract.nextWork, {
    dry_runs: 'without before',
    before: (ctx, { body }, key) => prepareWork(ctx, ports, body, key),
    run: (ctx, { body }, prepared) => nextWork(ctx, body, prepared),
  }),
]
