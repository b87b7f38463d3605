import { refusal } from '../refusal.ts'

export const maxWebhooks = 20

export const webhookNotFound = refusal(404, 'Webhook not found')
export const deliveryNotFound = refusal(404, 'Delivery not found')
/** One text for every reason, so that nobody learns how a name resolves inside the network. */
export const addressRefused = refusal(422, 'url: must be an https address on the public Internet')
export const boardsUnknown = refusal(422, 'board_ids: must be boards of this workspace')
export const tooManyWebhooks = refusal(409, `A workspace has at most ${maxWebhooks} webhooks`)
export const webhookDisabled = refusal(409, 'The webhook is disabled')
export const unknownDeliveryCursor = refusal(422, 'cursor: must be a next_cursor of this list')
