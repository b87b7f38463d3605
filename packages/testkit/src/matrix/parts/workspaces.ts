import { randomUUID } from 'node:crypto'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { formOf, newEmail } from '../../people.ts'
import { png } from '../../pictures/picture-png.ts'
import { type MatrixPart, type NewWorkspace, numbered, type Scene } from '../part.ts'

export const workspacesPart: MatrixPart = {
  resources: {
    member: { ...numbered, fresh: addMember },
    invitation: { ...numbered, fresh: addInvitation },
    feature: { own: 'skills', missing: 'nothing', refused: 422 },
  },
  bodies: {
    'workspaces.changeMember': { position: 'set by the matrix' },
    'workspaces.setMemberPassword': { password: 'made by the matrix' },
    // Nobody is invited twice.
    'workspaces.createInvitation': () => ({ email: newEmail() }),
    'workspaces.changeFeature': { on: true },
  },
  async rows(workspace: NewWorkspace) {
    await addPhoto(workspace)
    return { member: workspace.owner.id, invitation: await addInvitation(workspace) }
  },
  tenant_rows: `
    insert into workspaces.feature_switches (brand_id, key, is_on, changed_by)
    select id, 'feed', false, 1 from identity.brands;
    insert into workspaces.preferences (brand_id) select id from identity.brands;
    insert into workspaces.member_profiles (brand_id, person_id, position)
    select brand_id, person_id, 'Designer' from identity.memberships;
    insert into workspaces.invitations (brand_id, email, role, expires_at)
    select id, 'c@example.test', 'member', now() + interval '1 day' from identity.brands;
    insert into workspaces.member_photos (brand_id, person_id, object_key, content_type, digest)
    select brand_id, person_id, 'member-photos/' || brand_id || '/' || gen_random_uuid(), 'image/png', repeat('0', 64)
    from identity.memberships;
    insert into workspaces.guest_removals (brand_id, person_id, kind, resource_id)
    select id, 1, 'docs', gen_random_uuid() from identity.brands`,
  empty_tables: [
    'workspaces.feature_switches',
    'workspaces.guest_removals',
    'workspaces.member_profiles',
    'workspaces.preferences',
  ],
}

/** A member, for a call that may end the membership or the sessions. */
async function addMember({ admin, brand_id, mark }: Scene): Promise<number> {
  // An address that takes mail: some calls send a letter and report when it could not be sent.
  const email = `${randomUUID()}@${readServiceFacts().mail.domain}`
  const { rows } = await admin.query<{ id: number }>(
    `with person as (insert into identity.people (email, full_name, email_verified) values ($2, $3, true) returning id),
     password as (insert into identity.passwords (person_id, password_hash) select id, 'none' from person),
     membership as (insert into identity.memberships (brand_id, person_id, role) select $1, id, 'member' from person)
     select id from person`,
    [brand_id, email, `P ${mark}`],
  )
  return rows[0]?.id ?? 0
}

async function addInvitation({ admin, brand_id, mark }: Scene): Promise<number> {
  const { rows } = await admin.query<{ id: number }>(
    `insert into workspaces.invitations (brand_id, email, role, expires_at)
     values ($1, $2, 'member', now() + interval '1 day') returning id`,
    [brand_id, `${mark}-${randomUUID()}@example.test`],
  )
  return rows[0]?.id ?? 0
}

async function addPhoto({ get, brand_id, owner: { id, cookie } }: NewWorkspace): Promise<void> {
  const body = formOf('file', png({ width: 2, height: 2 }))
  const response = await get(`/api/v1/brands/${brand_id}/members/${id}/photo`, {
    method: 'POST',
    headers: { cookie },
    body,
  })
  await response.text()
  if (response.status !== 200) throw new Error(`photo was answered ${response.status}`)
}
