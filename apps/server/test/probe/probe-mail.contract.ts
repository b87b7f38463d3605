import { MailName } from '@crewhall/contracts/mailboxes/addresses.ts'
import { refusal } from '@crewhall/contracts/refusal.ts'
import { person, route } from '@crewhall/contracts/route.ts'
import { z } from 'zod'

export const nameHeld = refusal(409, 'Name is held')

export const naiveRename = route({
  id: 'probe.naiveRename',
  method: 'PUT',
  path: '/api/v1/probe/mail/address',
  summary: 'Renames a mail address as one would who thinks that nobody else is calling',
  auth: person('any'),
  body: z.object({ name: MailName }),
  responses: { 200: z.object({ name: z.string() }) },
  refusals: [nameHeld],
})
