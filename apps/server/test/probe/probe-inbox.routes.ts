import { sendInboxMail } from '@crewhall/contracts/inbox/mail.ts'
import { sql, statement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import type { JobRun, MountedJob } from '#platform/jobs/job-handler.ts'
import type { Parts } from '../../src/parts.ts'
import { probeInboxRoutes } from './probe-inbox.contract.ts'

type Of = { readonly person_id: number }
const due = statement<Of, { email: string }>(
  (p) => sql`select p.email from inbox.mail_settings s join identity.people p on p.id = s.person_id
   where s.person_id = ${p.person_id} and s.due_at <= platform.now()`,
)
const note = statement<Of, unknown>(
  (p) => sql`update inbox.mail_settings set due_at = null where person_id = ${p.person_id}`,
)

export const probeInboxMounted = ({ mail }: Parts, jobs: readonly MountedJob[]) => [
  handle(probeInboxRoutes.mailInboxes, async (ctx) => {
    const sending = jobs.find(({ spec }) => spec.name === sendInboxMail.name)
    // It keeps no effects, so it needs no more of its run than this.
    await sending?.run(ctx, {}, { signal: new AbortController().signal } as JobRun)
    return {}
  }),
  handle(probeInboxRoutes.mailInboxNaively, async (ctx, { body: { person_id } }) => {
    const found = await ctx.overBrands().db.first(due, { person_id })
    if (found) {
      await mail.send(ctx, { to: found.email, subject: 'New', text: 'New', html: '<p>New</p>' })
      await ctx.overBrands().db.run(note, { person_id })
    }
    return {}
  }),
]
