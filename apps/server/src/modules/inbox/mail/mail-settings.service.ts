import {
  badUnsubscribeLink,
  type InboxMail,
  type InboxMailMode,
  usualMailHour,
} from '@crewhall/contracts/inbox/mail.ts'
import type { BrandCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import { readerOf } from '../entries/entries.service.ts'
import * as store from './mail-settings.store.ts'
import type { UnsubscribeLinks } from './unsubscribe-links.ts'
import { askingPage, donePage } from './unsubscribe-page.ts'

export { unsubscribePath } from './unsubscribe-links.ts'
export { refusedPage } from './unsubscribe-page.ts'

/** Nobody is written to unasked: there is no row until somebody chooses. */
export async function getMailSetting(ctx: BrandCtx): Promise<InboxMail> {
  const row = await store.findSetting(ctx, readerOf(ctx).person_id)
  return row ?? { mode: 'off', hour: usualMailHour, sent_at: null }
}

export async function chooseMail(
  ctx: BrandCtx,
  minutes: number,
  chosen: { readonly mode: InboxMailMode; readonly hour: number },
): Promise<InboxMail> {
  const { person_id } = readerOf(ctx)
  const row = await ctx.tx((ctx) => store.upsertSetting(ctx, { ...chosen, person_id, minutes }))
  if (!row) throw new Error('the setting was not written')
  return row
}

export interface UnsubscribeDeps {
  readonly links: UnsubscribeLinks
  readonly service_name: string
}

/** Changes nothing: whatever scans mail follows the links in it. */
export function showUnsubscribe({ links, service_name }: UnsubscribeDeps, query: URLSearchParams) {
  if (!links.read(tokenIn(query))) throw badUnsubscribeLink()
  return askingPage(service_name)
}

/** The link is enough: whoever has the mail may end it. The same answer whether there was something to end. */
export async function unsubscribe(
  ctx: SystemCtx,
  { links, service_name }: UnsubscribeDeps,
  query: URLSearchParams,
) {
  const named = links.read(tokenIn(query))
  if (!named) throw badUnsubscribeLink()
  await ctx.forBrand(named.brand_id).tx((ctx) => store.updateStopped(ctx, named.person_id))
  return donePage(service_name)
}

const tokenIn = (query: URLSearchParams): string => query.get('token') ?? ''
