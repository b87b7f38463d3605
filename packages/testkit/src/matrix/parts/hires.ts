import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { identified, type MatrixPart, type NewWorkspace, type Scene } from '../part.ts'
import { letHiresWork } from '../working-hires.ts'

// Employees that every installation has.
const reviewer = 'db36c3fb-73e4-4434-b95c-e2dc0c9d4593'
const others = { rows: 'docs-writer', fresh: 'test-engineer' } as const

export const hiresPart: MatrixPart = {
  resources: {
    employee: { own: reviewer, missing: identified.missing, refused: 404 },
    hire: { ...identified, fresh: replaceHire },
  },
  bodies: { 'hires.hireEmployee': {} },
  before: {
    // A workspace holds an employee once, and hires few in an hour.
    'hires.hireEmployee': (admin) => deleteHires(admin, `profile_id = '${reviewer}'`),
    'hires.issueHireCredential': (admin) => letHiresWork(admin, others.fresh),
    'hires.cancelHire': (admin) => letHiresWork(admin, others.fresh),
    'hires.cancelHireNow': (admin) => letHiresWork(admin, others.fresh),
  },
  async rows(workspace: NewWorkspace) {
    const { admin, brand_id } = workspace
    await admin.query(`update identity.brands set subscription_status = 'active' where id = $1`, [brand_id])
    return { hire: await addHire(workspace, others.rows) }
  },
  tenant_rows: `
    insert into hires.hires (brand_id, id, profile_id, version, is_grant, current_period_end, created_at)
    select b.id, gen_random_uuid(), e.profile_id, e.version, true, now(), now()
    from identity.brands b, hires.employees e where e.key = 'release-manager';
    insert into hires.build_steps (brand_id, hire_id, step, position)
    select brand_id, id, 'agent', 1 from hires.hires on conflict do nothing;
    insert into hires.management_records (brand_id, hire_id, agent_id, coder_profile, scopes, packages)
    select brand_id, id, 'planted', '', '{}', '{}' from hires.hires on conflict do nothing;
    insert into hires.removals (brand_id, hire_id, directory, next_try_at)
    select brand_id, id, '', now() from hires.hires on conflict do nothing`,
}

/** One that a call may use up. A workspace holds an employee once, so that of the call before goes. */
async function replaceHire(scene: Scene): Promise<string> {
  await deleteHires(
    scene.admin,
    `brand_id = ${scene.brand_id} and profile_id in (select profile_id from hires.employees where key = '${others.fresh}')`,
  )
  return addHire(scene, others.fresh)
}

async function deleteHires(admin: pg.Client, condition: string): Promise<void> {
  for (const table of ['build_steps', 'management_records', 'removals'])
    await admin.query(
      `delete from hires.${table} where hire_id in (select id from hires.hires where ${condition})`,
    )
  await admin.query(`delete from hires.hires where ${condition}`)
}

/** One whose build has failed. */
async function addHire({ admin, brand_id, mark }: Scene, key: string): Promise<string> {
  const id = randomUUID()
  await admin.query(
    `insert into hires.hires (brand_id, id, profile_id, version, is_grant, comp_reason, current_period_end, created_at,
       failures, reason, next_try_at)
     select $1, $2, profile_id, version, true, $3, now() + interval '1 month', now(), 1, $4, now() + interval '1 day'
     from hires.employees where key = $5`,
    [brand_id, id, `C ${mark}`, `R ${mark}`, key],
  )
  await admin.query(
    `insert into hires.build_steps (brand_id, hire_id, step, position, status, attempts, reason)
     values ($1, $2, 'agent', 1, 'failed', 1, $3)`,
    [brand_id, id, `S ${mark}`],
  )
  await admin.query(
    `insert into hires.management_records (brand_id, hire_id, agent_id, coder_profile, scopes, packages, directory)
     values ($1, $2, 'reviewer', 'claude.hard', '{}', '{}', $3)`,
    [brand_id, id, `D ${mark}`],
  )
  await admin.query(
    `insert into hires.removals (brand_id, hire_id, directory, next_try_at) values ($1, $2, $3, now() + interval '1 day')`,
    [brand_id, id, `D ${mark}`],
  )
  return id
}
