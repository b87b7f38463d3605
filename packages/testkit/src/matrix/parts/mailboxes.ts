import { randomBytes } from 'node:crypto'
import type { MatrixPart } from '../part.ts'

const newName = () => `m${randomBytes(6).toString('hex')}`

export const mailboxesPart: MatrixPart = {
  // A name is had once.
  bodies: { 'mailboxes.renameAddress': () => ({ name: newName() }) },
  queries: { 'mailboxes.getAvailability': { name: newName() } },
  before: {
    // A person holds few names at a time; those that earlier calls left behind make room.
    'mailboxes.renameAddress': (admin, { person_id }) =>
      admin.query('delete from mailboxes.names where person_id = $1 and forwards_until is not null', [
        person_id,
      ]),
  },
  tenant_rows: '',
}
