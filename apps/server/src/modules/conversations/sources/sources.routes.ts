import * as contract from '@crewhall/contracts/conversations/sources.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './sources.service.ts'

export const sourceRoutes = (deps: service.SourceDeps) => [
  handle(contract.createSource, (ctx, { body }) => service.createSource(ctx, deps, body)),
  handle(contract.listSources, (ctx, { query }) => service.listSourcePage(ctx, deps, query)),
  handle(contract.getSource, (ctx, { params }) => service.getSource(ctx, deps, params.source_id)),
  handle(contract.changeSource, (ctx, { params, body }) =>
    service.changeSource(ctx, deps, params.source_id, body),
  ),
  handle(contract.pauseSource, (ctx, { params, body }) =>
    service.changeSource(ctx, deps, params.source_id, { enabled: false, ...body }),
  ),
  handle(contract.resumeSource, (ctx, { params }) =>
    service.changeSource(ctx, deps, params.source_id, { enabled: true }),
  ),
  handle(contract.deleteSource, async (ctx, { params }) => {
    await service.endSource(ctx, params.source_id)
    return undefined
  }),
]
