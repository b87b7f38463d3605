import { randomBytes, randomUUID } from 'node:crypto'
import {
  getInstallFile,
  getSidecarBundle,
  registerDesk,
  reportInstallEvent,
  sendBeat,
} from '@crewhall/contracts/fleet/desk-agent.ts'
import { getBuildSettings } from '@crewhall/contracts/fleet/desk-builds.ts'
import { exchangeMemory } from '@crewhall/contracts/fleet/desk-memory.ts'
import { sendLogs } from '@crewhall/contracts/fleet/logs.ts'
import { formOf } from '../../people.ts'
import { png } from '../../pictures/picture-png.ts'
import { identified, type MatrixPart, type NewWorkspace, type Scene } from '../part.ts'

export const fleetPart: MatrixPart = {
  resources: { desk: { ...identified, fresh: addDeskWithPhoto } },
  bodies: {
    'fleet.orderDesk': { name: 'ordered by the matrix' },
    'fleet.changeEnvironment': { description: 'set by the matrix' },
    'fleet.reportInstallEvent': reportInstallEvent.example.body,
    'fleet.registerDesk': registerDesk.example.body,
    'fleet.sendBeat': sendBeat.example.body,
    'fleet.getBuildSettings': getBuildSettings.example.body,
    'fleet.exchangeMemory': exchangeMemory.example.body,
    'fleet.sendLogs': sendLogs.example.body,
  },
  queries: {
    'fleet.getSidecarBundle': getSidecarBundle.example.query,
    'fleet.getInstallFile': getInstallFile.example.query,
  },
  refused_as: { 'fleet.changeEnvironment body.agent_id': 403 },
  before: {
    // A plan has room for few, and calls before this one have left theirs.
    'fleet.orderDesk': (admin) => admin.query('update identity.plans set desk_cap = 1000000'),
  },
  async rows(workspace: NewWorkspace) {
    const desk = await addDesk(workspace)
    await addPhoto(workspace, desk)
    await workspace.admin.query(
      `insert into fleet.machine_updates (brand_id, id, desk_id, requested_by, state, ended_at)
       values ($1, gen_random_uuid(), $2, $3, 'done', now())`,
      [workspace.brand_id, desk, workspace.owner.id],
    )
    await workspace.admin.query(
      `insert into fleet.health_events (brand_id, desk_id, seq, from_state, state, misses)
       values ($1, $2, 1, 'provisioning', 'ready', 0)`,
      [workspace.brand_id, desk],
    )
    await workspace.admin.query(
      `insert into fleet.desk_commands (brand_id, id, desk_id, kind, expires_at, ended_at, outcome, error)
       values ($1, gen_random_uuid(), $2, 'drain', now() + interval '10 minutes', now(), 'failed', $3)`,
      [workspace.brand_id, desk, `E ${workspace.mark}`],
    )
    await workspace.admin.query(
      `insert into fleet.desk_logs (brand_id, desk_id, requested_by, received_at, content, expires_at)
       values ($1, $2, $3, now(), $4, now() + interval '1 day')`,
      [workspace.brand_id, desk, workspace.owner.id, `L ${workspace.mark}`],
    )
    return { desk }
  },
  tenant_rows: `
    insert into fleet.desks (brand_id, id, short_id, name, runtime, workspace_path)
    select id, gen_random_uuid(), substr(md5(random()::text), 1, 8), 'D', 'codex', '/srv' from identity.brands;
    insert into fleet.join_secrets (brand_id, desk_id, secret_digest, expires_at)
    select brand_id, id, encode(sha256(id::text::bytea), 'hex'), now() + interval '1 day' from fleet.desks
    on conflict do nothing;
    insert into fleet.desk_keys (brand_id, desk_id, public_key, fingerprint, wg_key, machine_digest, os, arch)
    select brand_id, id, repeat('A', 43), repeat('0', 64), repeat('A', 43), '', 'linux', 'x64' from fleet.desks
    on conflict do nothing;
    insert into fleet.mesh_peers (brand_id, desk_id, wg_key, address)
    select brand_id, id, replace(md5(id::text) || substr(md5(id::text), 1, 11), '-', ''),
      ('fd00:' || substr(md5(id::text), 1, 4) || '::' || substr(md5(id::text), 5, 4) || ':'
        || substr(md5(id::text), 9, 4))::inet from fleet.desks on conflict do nothing;
    insert into fleet.desk_photos (brand_id, desk_id, object_key, digest)
    select brand_id, id, 'desk-photos/' || brand_id || '/' || gen_random_uuid(), repeat('0', 64) from fleet.desks
    on conflict do nothing;
    insert into fleet.machine_updates (brand_id, id, desk_id, requested_by)
    select brand_id, gen_random_uuid(), id, 1 from fleet.desks on conflict do nothing;
    insert into fleet.health_events (brand_id, desk_id, seq, from_state, state, misses)
    select brand_id, id, 1, 'provisioning', 'ready', 0 from fleet.desks on conflict do nothing;
    insert into fleet.desk_commands (brand_id, id, desk_id, kind, expires_at)
    select brand_id, gen_random_uuid(), id, 'drain', now() + interval '10 minutes' from fleet.desks
    on conflict do nothing;
    insert into fleet.desk_logs (brand_id, desk_id, requested_by, expires_at)
    select brand_id, id, 1, now() + interval '1 day' from fleet.desks on conflict do nothing`,
}

async function addDesk({ admin, brand_id, mark }: Scene): Promise<string> {
  const id = randomUUID()
  await admin.query(
    `insert into fleet.desks (brand_id, id, short_id, name, runtime, description, region, workspace_path)
     values ($1, $2, $3, $4, 'codex', $5, $6, '/srv/desk')`,
    [brand_id, id, randomBytes(4).toString('hex'), `D ${mark}`, `N ${mark}`, `R ${mark}`],
  )
  await admin.query(
    `insert into fleet.join_secrets (brand_id, desk_id, secret_digest, expires_at)
     values ($1, $2, $3, now() + interval '1 day')`,
    [brand_id, id, randomBytes(32).toString('hex')],
  )
  await admin.query(
    `insert into fleet.desk_keys (brand_id, desk_id, public_key, fingerprint, wg_key, machine_digest, os, arch)
     values ($1, $2, $3, $4, $3, '', $5, 'x64')`,
    [brand_id, id, randomBytes(32).toString('base64url'), randomBytes(32).toString('hex'), `O ${mark}`],
  )
  await admin.query(
    `insert into fleet.mesh_peers (brand_id, desk_id, wg_key, address)
     values ($1, $2, $3, set_masklen('fd00::'::inet + nextval('fleet.mesh_addresses'), 128))`,
    [brand_id, id, randomBytes(32).toString('base64url')],
  )
  return id
}

/** Whoever takes the photo away has to find one; its object is missed by nobody. */
async function addDeskWithPhoto(scene: Scene): Promise<string> {
  const desk = await addDesk(scene)
  await scene.admin.query(
    `insert into fleet.desk_photos (brand_id, desk_id, object_key, digest)
     values ($1, $2, 'desk-photos/' || $1::int || '/' || gen_random_uuid(), repeat('0', 64))`,
    [scene.brand_id, desk],
  )
  return desk
}

async function addPhoto({ get, owner: { cookie } }: NewWorkspace, desk: string): Promise<void> {
  const body = formOf('file', png({ width: 2, height: 2 }))
  const response = await get(`/api/v1/environments/${desk}/image`, {
    method: 'POST',
    headers: { cookie },
    body,
  })
  await response.text()
  if (response.status !== 200) throw new Error(`photo was answered ${response.status}`)
}
