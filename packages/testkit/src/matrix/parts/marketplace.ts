import { randomUUID } from 'node:crypto'
import { identified, type MatrixPart, type NewWorkspace, type Scene } from '../part.ts'

const digest = 'a'.repeat(64)

export const marketplacePart: MatrixPart = {
  resources: {
    package: { own: 'boards', missing: 'nothing', refused: 404 },
    package_version: { own: '1.27.0', missing: '9.9.9', refused: 404 },
    published_package: { own: 'clocks', missing: 'nothing', refused: 404 },
    published_version: { own: '1.0.0', missing: '9.9.9', refused: 404 },
    install: { ...identified, fresh: (call) => replaceInstall(call) },
  },
  bodies: {
    'marketplace.publishPackage': { key: 'weather', title: 'T', description: 'D', publisher: 'P' },
    'marketplace.changePackage': { title: 'T' },
    'marketplace.publishVersion': {
      version: '2.0.0',
      url: 'https://93.184.215.14/mcp',
      touches: ['Nothing'],
      credential: 'none',
    },
    'marketplace.installPackage': { package_key: 'boards', everyone: true },
    'marketplace.changeGrants': { everyone: true, agent_ids: [] },
    'marketplace.changeCredential': { credential: null },
    'marketplace.changeVersion': { version: '1.0.0' },
    'marketplace.approveTools': { digest },
  },
  refused_as: {
    'marketplace.installPackage body.agent_ids': 422,
    'marketplace.changeGrants body.agent_ids': 422,
  },
  before: {
    'marketplace.installPackage': (admin) =>
      admin.query(`delete from marketplace.installs where package_key = 'boards'`),
    'marketplace.publishPackage': (admin) =>
      admin.query(`delete from marketplace.packages where key = 'weather'`),
  },
  async rows(workspace: NewWorkspace) {
    await workspace.admin.query(
      `insert into marketplace.packages (key, kind, title, description, publisher)
       values ('clocks', 'http', 'Clocks', 'Time', 'Somebody') on conflict do nothing`,
    )
    await workspace.admin.query(
      `insert into marketplace.package_versions (package_key, version, touches, methods, url, credential)
       values ('clocks', '1.0.0', '{Nothing}', '[]', 'https://93.184.215.14/mcp', 'optional') on conflict do nothing`,
    )
    return { install: await addInstall(workspace, 'memory') }
  },
  tenant_rows: `
    insert into marketplace.installs (brand_id, package_key, version, kind, origin, digest)
    select id, 'lessons', '1.0.0', 'builtin', 'hire', '' from identity.brands;
    insert into marketplace.grants (brand_id, install_id, agent_id)
    select brand_id, id, 'planted' from marketplace.installs where package_key = 'lessons';
    insert into marketplace.install_refs (brand_id, package_key, hire_id, agent_id)
    select brand_id, package_key, gen_random_uuid(), 'planted' from marketplace.installs
    where package_key = 'lessons'`,
  empty_tables: ['marketplace.install_refs'],
}

/** One that a call may use up. A workspace has one of each package, so that of the call before goes. */
async function replaceInstall(scene: Scene): Promise<string> {
  const key = 'profiles'
  await scene.admin.query('delete from marketplace.installs where brand_id = $1 and package_key = $2', [
    scene.brand_id,
    key,
  ])
  return addInstall(scene, key)
}

/** With tools that wait for approval. */
async function addInstall({ admin, brand_id, mark }: Scene, package_key: string): Promise<string> {
  const id = randomUUID()
  const tools = JSON.stringify([
    {
      name: 'one',
      title: null,
      description: `D ${mark}`,
      input_schema: { type: 'object' },
      hints: { read_only: true, destructive: false, idempotent: true },
    },
  ])
  await admin.query(
    `insert into marketplace.installs (brand_id, id, package_key, version, kind, origin, digest, tools, found_tools,
       found_digest)
     values ($1, $2, $3, '1.0.0', 'builtin', 'workspace', $4, $5, $5, $6)`,
    [brand_id, id, package_key, 'b'.repeat(64), tools, digest],
  )
  await admin.query('insert into marketplace.grants (brand_id, install_id, agent_id) values ($1, $2, $3)', [
    brand_id,
    id,
    `agent-${mark.replaceAll(/[^A-Za-z0-9_-]/g, '')}`,
  ])
  return id
}
