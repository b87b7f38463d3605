import { mostCounted } from '@crewhall/contracts/inbox/inbox.ts'
import { mostMailed } from '@crewhall/contracts/inbox/mail.ts'
import { brandNameOf, findMailedMember } from '#modules/identity'
import type { OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { Sender } from '#platform/letter/letter.ts'
import type { Mail, Message } from '#platform/mail/mail.ts'
import { Outage } from '#platform/outage/outage.ts'
import * as store from './due-mail.store.ts'
import { inboxLetter } from './inbox-letter.ts'
import type { UnsubscribeLinks } from './unsubscribe-links.ts'

export interface DueMailDeps {
  readonly mail: Mail
  readonly sender: Sender
  readonly links: UnsubscribeLinks
  /** Between two mails about the same inbox. */
  readonly minutes: number
}

/** As many as are sent at a time; the mail server gets a few at once, and each has its time limit. */
const bite = 8

/** Sends what is due, in bites. Any number of workers may do this at once. */
export async function mailDue(ctx: OutsideSystemCtx, deps: DueMailDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { looked, due } = await takeDue(ctx)
    const sent = await Promise.all(due.map((each) => mailInbox(ctx, deps, each)))
    // While the mail server is away the others stay due, and those taken are due again when their lease ends.
    if (looked < bite || sent.includes('away')) return
  }
}

const takeDue = (ctx: OutsideSystemCtx) =>
  ctx.overBrands().tx(async (ctx) => {
    const locked = await store.lockDue(ctx, bite)
    const taken = locked.length > 0 ? await store.updateTaken(ctx, locked) : []
    return { looked: locked.length, due: taken.filter(({ is_due }) => is_due) }
  })

/**
 * Sent first and noted afterwards: a worker that dies in between sends the same mail once more, with the same id, and
 * none is lost.
 */
async function mailInbox(
  ctx: OutsideSystemCtx,
  { mail, sender, links, minutes }: DueMailDeps,
  { brand_id, person_id, since, until }: store.DueRow,
): Promise<'away' | 'noted'> {
  const brand = ctx.forBrand(brand_id)
  const member = await findMailedMember(brand, person_id)
  if (!member) {
    await store.deleteSetting(brand, person_id)
    return 'noted'
  }
  const reader = { person_id, is_admin: member.role === 'admin', scopes: null, since, until }
  const entries = member.email_verified ? await store.listNew(brand, { ...reader, limit: mostMailed }) : []
  if (entries.length > 0) {
    const count = Math.max(entries.length, await store.countNew(brand, { ...reader, limit: mostCounted }))
    const digest = {
      ...member,
      brand_name: await brandNameOf(brand),
      entries,
      count,
      most: mostCounted,
      unsubscribe_url: links.urlOf({ brand_id, person_id }),
    }
    const message_id = `<inbox-${brand_id}-${person_id}-${since.replace(/\D/g, '')}@crewhall>`
    if (!(await sendOrGiveUp(ctx, mail, { ...inboxLetter(digest, sender), message_id }))) return 'away'
    await ctx.faultPoint('inbox.mail-sent')
  }
  await store.updateMailed(brand, { person_id, until, is_sent: entries.length > 0, minutes })
  return 'noted'
}

/** False while the mail server is away. What it refuses for good would be refused again. */
async function sendOrGiveUp(ctx: OutsideSystemCtx, mail: Mail, message: Message): Promise<boolean> {
  try {
    await mail.send(ctx, message)
    return true
  } catch (error) {
    if (!(error instanceof Outage)) throw error
    ctx.log.warn({ error }, 'could not send an e-mail about an inbox')
    return error.is_final
  }
}
