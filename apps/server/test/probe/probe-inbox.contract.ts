import { anyone, route } from '@crewhall/contracts/route.ts'
import { z } from 'zod'

/** A look of a worker, for tests that wait for its end. */
const mailInboxes = route({
  id: 'probe.mailInboxes',
  method: 'POST',
  path: '/api/v1/probe/inbox-mail',
  summary: 'Runs the job that sends what is due',
  auth: anyone(),
  responses: { 200: z.object({}) },
})

/** The naive twin of that look: it reads what is due and takes nothing. */
const mailInboxNaively = route({
  id: 'probe.mailInboxNaively',
  method: 'POST',
  path: '/api/v1/probe/naive/inbox-mail',
  summary: 'Sends the mail of a person, if it is due',
  auth: anyone(),
  body: z.object({ person_id: z.int() }),
  responses: { 200: z.object({}) },
})

export const probeInboxRoutes = { mailInboxes, mailInboxNaively } as const
