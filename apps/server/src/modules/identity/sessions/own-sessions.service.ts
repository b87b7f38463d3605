import { maxSessions, type OwnSession } from '@crewhall/contracts/identity/own-sessions.ts'
import { notAuthenticated, sessionNotFound } from '@crewhall/contracts/identity/refusals.ts'
import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { lockPerson } from '../passwords/passwords.store.ts'
import { notePlatform } from '../platform-audit/platform-audit.service.ts'
import { presentOwnSession } from './own-sessions.present.ts'
import * as store from './own-sessions.store.ts'

export async function listSessionsOfCaller(ctx: SystemCtx): Promise<OwnSession[]> {
  const { person_id, session_id } = signedIn(ctx)
  const rows = await store.listOwnSessions(ctx, person_id, maxSessions)
  return rows.map((row) => presentOwnSession(row, session_id))
}

/** Missing, ended and foreign sessions get one refusal from one statement. */
export async function endSessionOfCaller(ctx: SystemCtx, id: number): Promise<void> {
  const { person_id } = signedIn(ctx)
  await ctx.tx(async (ctx) => {
    if (!(await store.deleteOwnSession(ctx, person_id, id))) throw sessionNotFound()
    await notePlatform(ctx, { action: 'session.ended', person_id })
  })
}

/** If two sessions end each other, the first wins: a session that was ended while waiting ends none. */
export async function endOtherSessionsOfCaller(ctx: SystemCtx): Promise<number> {
  const { person_id, session_id } = signedIn(ctx)
  return ctx.tx(async (ctx) => {
    await lockPerson(ctx, person_id)
    if (!(await store.findOwnSession(ctx, person_id, session_id))) throw notAuthenticated()
    const ended = await store.deleteOtherSessions(ctx, person_id, session_id)
    if (ended > 0) await notePlatform(ctx, { action: 'session.others_ended', person_id, to: { ended } })
    return ended
  })
}

/** The person who calls, and the session they call with. */
export function signedIn({ actor }: SystemCtx): { person_id: number; session_id: number } {
  if (actor.kind !== 'person' || actor.credential !== 'session') throw notAuthenticated()
  return { person_id: actor.person_id, session_id: Number(actor.credential_id) }
}
