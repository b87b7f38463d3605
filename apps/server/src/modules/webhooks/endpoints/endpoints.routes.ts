import * as contract from '@crewhall/contracts/webhooks/webhooks.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './endpoints.service.ts'

export const endpointRoutes = (deps: service.EndpointDeps) => [
  handle(contract.listWebhooks, (ctx) => service.listAllWebhooks(ctx)),
  handle(contract.createWebhook, (ctx, { body }) => service.openWebhook(ctx, deps, body)),
  handle(contract.getWebhook, (ctx, { params }) => service.getOneWebhook(ctx, params.webhook_id)),
  handle(contract.changeWebhook, (ctx, { params, body }) =>
    service.changeOneWebhook(ctx, deps, params.webhook_id, body),
  ),
  handle(contract.deleteWebhook, async (ctx, { params }) => {
    await service.endWebhook(ctx, params.webhook_id)
    return { success: true as const }
  }),
  handle(contract.rotateSecret, (ctx, { params }) => service.rotateOneSecret(ctx, deps, params.webhook_id)),
]
