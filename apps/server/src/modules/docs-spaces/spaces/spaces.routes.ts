import * as contract from '@crewhall/contracts/docs-spaces/spaces.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './spaces.service.ts'

export const spaceRoutes = [
  handle(contract.listSpaces, (ctx, { query }) => service.listSpacePage(ctx, query)),
  handle(contract.createSpace, (ctx, { body }) => service.openSpace(ctx, body.name)),
  handle(contract.getSpace, (ctx, { params }) => service.getSpace(ctx, params.space_id)),
  handle(contract.renameSpace, (ctx, { params, body }) =>
    service.renameSpace(ctx, params.space_id, body.name),
  ),
  handle(contract.deleteSpace, async (ctx, { params }) => {
    await service.closeSpace(ctx, params.space_id)
    return { deleted: true as const }
  }),
]
