import { randomUUID } from 'node:crypto'
import { identified, type MatrixPart, type NewWorkspace, type Scene } from '../part.ts'

export const inboxPart: MatrixPart = {
  resources: {
    inbox_entry: { ...identified, fresh: (call) => addEntry(call, call.caller.person_id) },
  },
  bodies: {
    'inbox.markInbox': { entries: [{}], state: 'done' },
    'inbox.changeInboxMail': { mode: 'daily', hour: 7 },
  },
  async rows(workspace: NewWorkspace) {
    await workspace.admin.query(
      `insert into inbox.mail_settings (brand_id, person_id, mode) values ($1, $2, 'daily')`,
      [workspace.brand_id, workspace.owner.id],
    )
    return { inbox_entry: await addEntry(workspace, workspace.owner.id) }
  },
  tenant_rows: `
    insert into inbox.entries (brand_id, person_id, kind, subject_kind, subject_id, title, ends_at)
    select brand_id, person_id, 'assigned', 'task', gen_random_uuid()::text, 'Title', now() + interval '1 day'
    from identity.memberships;
    insert into inbox.mail_settings (brand_id, person_id, mode)
    select brand_id, person_id, 'daily' from identity.memberships`,
}

async function addEntry({ admin, brand_id, mark }: Scene, person_id: number): Promise<string> {
  const id = randomUUID()
  await admin.query(
    `insert into inbox.entries (brand_id, id, person_id, kind, subject_kind, subject_id, title, ends_at)
     values ($1, $2, $3, 'assigned', 'task', $4, $5, now() + interval '1 day')`,
    [brand_id, id, person_id, randomUUID(), `E ${mark}`],
  )
  return id
}
