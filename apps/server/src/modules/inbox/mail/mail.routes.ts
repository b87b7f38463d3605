import * as contract from '@crewhall/contracts/inbox/mail.ts'
import { handle } from '#platform/http/handle.ts'
import type { PlainRoute } from '#platform/http/plain-route.ts'
import * as service from './mail-settings.service.ts'

export const mailRoutes = (minutes: number) => [
  handle(contract.getInboxMail, (ctx) => service.getMailSetting(ctx)),
  handle(contract.changeInboxMail, (ctx, { body }) => service.chooseMail(ctx, minutes, body)),
]

/** Outside of the API: mail clients and people call them, who have no credential and read no JSON. */
export const unsubscribeRoutes = (deps: service.UnsubscribeDeps): readonly PlainRoute[] => [
  {
    id: 'inbox.showUnsubscribe',
    method: 'GET',
    path: service.unsubscribePath,
    run: (_, { query }) => service.showUnsubscribe(deps, query),
    refuse: service.refusedPage,
  },
  {
    id: 'inbox.unsubscribe',
    method: 'POST',
    path: service.unsubscribePath,
    run: (ctx, { query }) => service.unsubscribe(ctx, deps, query),
    refuse: service.refusedPage,
  },
]
