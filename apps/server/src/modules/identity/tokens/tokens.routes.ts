import * as contract from '@crewhall/contracts/identity/tokens.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './tokens.service.ts'

export const tokenRoutes = [
  handle(contract.listTokens, async (ctx) => ({ tokens: await service.listLiveTokens(ctx) })),
  handle(contract.createToken, (ctx, { body }) => service.issueToken(ctx, body)),
  handle(contract.revokeToken, async (ctx, { params }) => {
    await service.revokeLiveToken(ctx, params.token_id)
    return { revoked: true as const }
  }),
  handle(contract.rotateToken, (ctx, { params }) => service.rotateLiveToken(ctx, params.token_id)),
]
