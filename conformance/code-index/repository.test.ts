import { hostileUrls } from '@crewhall/testkit/hostile/hostile-urls.ts'
import { type NameServer, startNameServer } from '@crewhall/testkit/name-server.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nowhere, type Project, ProjectWorkspace } from './project-world.ts'

/** In two parts: the checks take a whole one for a path of some machine. */
const file = ['file:', ''].join('//')

const server = useServer('product')
let names: NameServer
let work: ProjectWorkspace

const addresses: Record<string, string[]> = {
  'inside.example': ['10.1.2.3'],
  'mixed.example': ['93.184.215.14', '127.0.0.1'],
  'git.example.com': ['93.184.215.14'],
}
beforeAll(async () => {
  names = await startNameServer(addresses)
  const api = await server.start('api', {
    OUTBOUND_NAME_SERVERS: names.address,
    CODE_INDEX_FILE_ROOT: '/srv/git',
  })
  work = await ProjectWorkspace.open({
    sql: server.sql,
    get: (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init),
  })
})
afterAll(() => names.close())

const refused = {
  status: 422,
  body: { detail: 'url: must be an https or ssh address of a repository on the public Internet' },
}
const url = 'https://git.example.com/team/engine.git'
const hostKey = `ssh-ed25519 ${'A'.repeat(68)}`
const attach = (project_id: string, body: object) => work.call('PUT', `/${project_id}/repository`, body)

test('IDX-G5: a repository is attached, shown with its project, replaced and detached', async () => {
  const { id } = await work.add()
  const { status, body } = await attach(id, { url, branch: 'main' })
  expect(status).toBe(200)
  expect(body).toMatchObject({ url, branch: 'main', credential: 'none', host_key_count: 0 })
  expect((await work.call<Project>('GET', `/${id}`, undefined, work.reader)).body.repository).toEqual(body)
  const { body: listed } = await work.call<{ projects: Project[] }>('GET', '?limit=1')
  expect(listed.projects[0]?.repository).toEqual(body)
  const other = { url: 'git@git.example.com:team/tools.git', private_key: 'KEY', host_keys: [hostKey] }
  expect((await attach(id, other)).body).toMatchObject({
    url: other.url,
    branch: null,
    credential: 'ssh_key',
    host_key_count: 1,
  })
  expect((await work.call('DELETE', `/${id}/repository`)).status).toBe(204)
  expect((await work.call<Project>('GET', `/${id}`)).body.repository).toBe(null)
  expect(await work.call('DELETE', `/${id}/repository`)).toEqual({
    status: 409,
    body: { detail: 'The project has no repository' },
  })
})

test('no URL of the corpus is taken', async () => {
  const { id } = await work.add()
  const taken: string[] = []
  for (const each of hostileUrls) {
    const answer = await attach(id, { url: each })
    if (JSON.stringify(answer) !== JSON.stringify(refused)) taken.push(`${each}: ${answer.status}`)
  }
  expect(hostileUrls.length).toBeGreaterThanOrEqual(60)
  expect(taken).toEqual([])
  expect((await work.call<Project>('GET', `/${id}`)).body.repository).toBe(null)
})

test.each([
  'https://inside.example/a.git',
  'https://mixed.example/a.git',
  'ssh://git@inside.example/a.git',
  'git@mixed.example:a.git',
  'ssh://git@127.0.0.1/a.git',
  'ssh://git@[::1]/a.git',
  'ssh://git@0x7f.1/a.git',
  'ssh://git@localhost/a.git',
  'ssh://git@git.example.com:25/a.git',
  'ssh://-oProxyCommand=id@git.example.com/a',
  '--upload-pack=id',
  '-u',
  'ext::sh -c id',
  `${file}/etc/passwd`,
  `${file}/srv/git/../../etc`,
  '/srv/git/a.git',
])('%s is refused without a word about its addresses', async (given) => {
  const { id } = await work.add()
  expect(await attach(id, { url: given, host_keys: [hostKey] })).toEqual(refused)
})

test('a file address is taken where the operator allows it, below the root alone', async () => {
  const { id } = await work.add()
  expect((await attach(id, { url: `${file}/srv/git/team/a.git` })).status).toBe(200)
  const strict = await ProjectWorkspace.open(server)
  const project = await strict.add()
  expect(
    await strict.call('PUT', `/${project.id}/repository`, { url: `${file}/srv/git/team/a.git` }),
  ).toEqual(refused)
})

test('a credential is sealed, never shown, kept for the same address and dropped for another one', async () => {
  const { id } = await work.add()
  const sent = await attach(id, { url, username: 'ann', password: 'hunter2-secret' })
  expect(sent.body).toMatchObject({ credential: 'password' })
  expect((await attach(id, { url, branch: 'next' })).body).toMatchObject({ credential: 'password' })
  const [row] = await work.world.sql<{ row: string; generation: number }>(
    `select r::text || encode(r.credential, 'escape') as row, generation
     from code_index.repositories r where project_id = $1`,
    [id],
  )
  expect(row?.row).not.toMatch(/hunter2|ann/)
  const shown = await Promise.all([work.call('GET', `/${id}`), work.call('GET', '')])
  expect(JSON.stringify(shown)).not.toContain('hunter2')
  const logged = await work.world.sql<{ row: string }>(
    'select a::text as row from platform.audit_entries a where brand_id = $1',
    [work.brand_id],
  )
  expect(logged.map(({ row }) => row).join()).not.toContain('hunter2')
  const moved = await attach(id, { url: 'https://git.example.com/other.git' })
  expect(moved.body).toMatchObject({ credential: 'none' })
  const [after] = await work.world.sql<{ credential: Buffer | null; generation: number }>(
    'select credential, generation from code_index.repositories where project_id = $1',
    [id],
  )
  expect(after?.credential).toBe(null)
  expect(after?.generation).toBeGreaterThan(row?.generation ?? Number.NaN)
})

test('credentials fit their address, and an ssh address needs the keys of its host', async () => {
  const { id } = await work.add()
  const ssh = 'ssh://git@git.example.com/a.git'
  for (const body of [
    { url, private_key: 'KEY' },
    { url, username: 'ann' },
    { url: ssh, password: 'p', host_keys: [hostKey] },
    { url: `${file}/srv/git/a.git`, password: 'p' },
  ])
    expect((await attach(id, body)).body.detail).toMatch(/An https address takes/)
  expect((await attach(id, { url: ssh, private_key: 'KEY' })).body.detail).toMatch(/^host_keys: an ssh/)
  for (const host_keys of [['x'], [`${hostKey}\nevil ssh-rsa A`], Array(11).fill(hostKey)])
    expect((await attach(id, { url: ssh, host_keys })).status).toBe(422)
  for (const branch of ['-x', 'a..b', 'a b', '', 'a.lock', 'x/', '@{u}', 'a\nb', 'b'.repeat(201)])
    expect((await attach(id, { url, branch })).status).toBe(422)
})

test('only admins attach, an archived project takes none, and a foreign project is as one that is missing', async () => {
  const { id } = await work.add()
  expect((await work.call('PUT', `/${id}/repository`, { url }, work.reader)).status).toBe(403)
  expect((await work.call('DELETE', `/${id}/repository`, undefined, work.reader)).status).toBe(403)
  await work.call('POST', `/${id}/archive`)
  expect((await attach(id, { url })).status).toBe(409)
  const foreign = await (await ProjectWorkspace.open(server)).add()
  const notFound = { status: 404, body: { detail: 'Project not found' } }
  for (const other of [foreign.id, nowhere]) {
    expect(await attach(other, { url })).toEqual(notFound)
    expect(await work.call('DELETE', `/${other}/repository`)).toEqual(notFound)
  }
})
