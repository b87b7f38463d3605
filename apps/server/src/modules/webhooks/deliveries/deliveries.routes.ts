import * as contract from '@crewhall/contracts/webhooks/deliveries.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './deliveries.service.ts'

export const deliveryRoutes = (cursors: Cursors) => [
  handle(contract.listDeliveries, (ctx, { params, query }) =>
    service.listDeliveriesOf(ctx, cursors, params.webhook_id, query),
  ),
  handle(contract.testWebhook, (ctx, { params }) => service.sendTest(ctx, params.webhook_id)),
  handle(contract.redeliver, (ctx, { params }) => service.sendAgain(ctx, params)),
]
