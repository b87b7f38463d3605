import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { beforeAll, expect, test } from 'vitest'
import { nowhere, type Project, ProjectWorkspace } from './project-world.ts'

const server = useSharedServer('product')
let work: ProjectWorkspace
beforeAll(async () => {
  work = await ProjectWorkspace.open(server)
})

interface Page {
  readonly projects: readonly Project[]
  readonly next_cursor: string | null
}
const notFound = { status: 404, body: { detail: 'Project not found' } }

test('an admin creates a project, members read it, and it is renamed', async () => {
  const made = await work.add(' Engine ')
  expect(made).toMatchObject({ name: 'Engine', archived_at: null })
  const path = `/${made.id}`
  expect(await work.call('GET', path, undefined, work.reader)).toEqual({ status: 200, body: made })
  const renamed = await work.call<Project>('PATCH', path, { name: 'Tools' })
  expect(renamed.body).toEqual({ ...made, name: 'Tools', updated_at: renamed.body.updated_at })
  for (const name of ['', ' ', 'x'.repeat(201), null, 3])
    expect((await work.call('PATCH', path, { name })).status).toBe(422)
})

test('projects are listed newest first, page by page, open ones and archived ones apart', async () => {
  const own = await ProjectWorkspace.open(server)
  const ids: string[] = []
  for (let n = 0; n < 5; n += 1) ids.unshift((await own.add(`P${n}`)).id)
  await own.call('POST', `/${ids[2]}/archive`)
  const walk = async (query: string) => {
    const found: string[] = []
    let cursor = ''
    do {
      const { body } = await own.call<Page>('GET', `?limit=2${query}${cursor}`, undefined, own.reader)
      found.push(...body.projects.map(({ id }) => id))
      cursor = body.next_cursor ? `&cursor=${body.next_cursor}` : ''
    } while (cursor)
    return found
  }
  expect(await walk('')).toEqual(ids.filter((_, at) => at !== 2))
  expect(await walk('&archived=true')).toEqual([ids[2]])
  const { body } = await own.call<Page>('GET', '?limit=1')
  for (const cursor of ['x', `${body.next_cursor}&archived=true`])
    expect(await own.call('GET', `?cursor=${cursor}`)).toEqual({
      status: 422,
      body: { detail: 'cursor: must be a next_cursor of this list' },
    })
})

test('an archived project stays readable, refuses changes, and is restored as it was', async () => {
  const made = await work.add()
  const archived = await work.call<Project>('POST', `/${made.id}/archive`)
  expect(archived.body.archived_at).not.toBe(null)
  expect(await work.call('POST', `/${made.id}/archive`)).toEqual(archived)
  expect((await work.call('GET', `/${made.id}`)).body).toEqual(archived.body)
  expect(await work.call('PATCH', `/${made.id}`, { name: 'Other' })).toEqual({
    status: 409,
    body: { detail: 'The project is archived' },
  })
  const { body } = await work.call<Project>('POST', `/${made.id}/restore`)
  expect(body).toEqual({ ...made, updated_at: body.updated_at })
})

test('a workspace has at most 500 projects that are not archived', async () => {
  const full = await ProjectWorkspace.open(server)
  const { id } = await full.add()
  await full.call('POST', `/${id}/archive`)
  await full.world.sql(
    `insert into code_index.projects (brand_id, id, name)
     select $1, gen_random_uuid(), 'P' from generate_series(1, 500)`,
    [full.brand_id],
  )
  const refused = {
    status: 409,
    body: { detail: 'A workspace has at most 500 projects that are not archived' },
  }
  expect(await full.call('POST', '', { name: 'One more' })).toEqual(refused)
  expect(await full.call('POST', `/${id}/restore`)).toEqual(refused)
})

test('a project of another workspace and one that does not exist are the same 404', async () => {
  const { id } = await (await ProjectWorkspace.open(server)).add()
  for (const path of [`/${id}`, `/${nowhere}`, '/x']) {
    expect(await work.call('GET', path)).toEqual(notFound)
    expect(await work.call('PATCH', path, { name: 'Other' })).toEqual(notFound)
    expect(await work.call('POST', `${path}/archive`)).toEqual(notFound)
    expect(await work.call('POST', `${path}/restore`)).toEqual(notFound)
  }
})

test('reading needs code:read, and changing needs an admin with brand:admin', async () => {
  const world = new World(server)
  const member = await world.join(work.brand_id, 'member')
  const { id } = await work.add()
  const narrow = { token: await world.newToken(member, ['memory:read']) }
  expect((await work.call('GET', '', undefined, narrow)).status).toBe(403)
  expect((await work.call('GET', `/${id}`, undefined, narrow)).status).toBe(403)
  const wide = { token: await world.newToken(member, ['brand:admin', 'code:read']) }
  for (const by of [work.reader, wide]) {
    expect((await work.call('POST', '', { name: 'P' }, by)).status).toBe(403)
    expect((await work.call('POST', `/${id}/archive`, undefined, by)).status).toBe(403)
  }
})

test('changes are in the audit log and among the events, and a key creates one project', async () => {
  const own = await ProjectWorkspace.open(server)
  const create = () =>
    own.world.call<Project>(
      own.admin,
      'POST',
      '/api/v1/projects',
      { name: 'Once' },
      { 'Idempotency-Key': 'k1' },
    )
  const [one, two] = [await create(), await create()]
  expect(two.body).toEqual(one.body)
  await own.call('PATCH', `/${one.body.id}`, { name: 'Twice' })
  await own.call('POST', `/${one.body.id}/archive`)
  await own.call('POST', `/${one.body.id}/restore`)
  const types = ['project.created', 'project.renamed', 'project.archived', 'project.restored']
  const events = await own.world.sql<{ type: string }>(
    'select type from platform.workspace_events where brand_id = $1 order by created_at, id',
    [own.brand_id],
  )
  expect(events.map(({ type }) => type)).toEqual(types)
  const audited = await own.world.sql<{ action: string }>(
    `select action from platform.audit_entries where brand_id = $1 and target = $2 order by created_at, id`,
    [own.brand_id, `project:${one.body.id}`],
  )
  expect(audited.map(({ action }) => action)).toEqual(types)
})
