import * as contract from '@crewhall/contracts/webhooks/webhooks.ts'
import { handle, handleInPhases } from '#platform/http/handle.ts'
import * as service from './endpoints.service.ts'

export const endpointRoutes = (deps: service.EndpointDeps) => [
  handle(contract.listWebhooks, (ctx) => service.listAllWebhooks(ctx)),
  handleInPhases(contract.createWebhook, {
    before: (ctx, { body }) => service.judgeNewUrl(ctx, deps, body.url),
    run: (ctx, { body }) => service.openWebhook(ctx, deps, body),
  }),
  handle(contract.getWebhook, (ctx, { params }) => service.getOneWebhook(ctx, params.webhook_id)),
  handleInPhases(contract.changeWebhook, {
    before: (ctx, { params, body }) => service.judgeChangedUrl(ctx, deps, params.webhook_id, body.url),
    run: (ctx, { params, body }) => service.changeOneWebhook(ctx, params.webhook_id, body),
  }),
  handle(contract.deleteWebhook, async (ctx, { params }) => {
    await service.endWebhook(ctx, params.webhook_id)
    return { success: true as const }
  }),
  handle(contract.rotateSecret, (ctx, { params }) => service.rotateOneSecret(ctx, deps, params.webhook_id)),
]
