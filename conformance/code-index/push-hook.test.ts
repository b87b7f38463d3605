import { createHmac } from 'node:crypto'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  attached,
  type IndexHome,
  indexNow,
  indexOf,
  newRepository,
  openIndexHome,
  smallSources,
} from './index-world.ts'
import { nowhere, type Project, ProjectWorkspace } from './project-world.ts'

const server = useServer('product')
let home: IndexHome
let work: ProjectWorkspace
let url: string

beforeAll(async () => {
  home = await openIndexHome()
  url = (await server.start('api', home.env)).url
  await server.start('worker', { ...home.env, CODE_INDEX_CHECK_MINUTES: '15' })
  work = await ProjectWorkspace.open({
    sql: server.sql,
    get: (path: string, init?: RequestInit) => fetch(`${url}${path}`, init),
  })
})
afterAll(() => home.close())

interface PushSecret {
  readonly secret: string
  readonly path: string
}
const secretOf = async (project_id: string): Promise<PushSecret> => {
  const { status, body } = await work.call<PushSecret>('POST', `/${project_id}/repository/push-secret`)
  if (status !== 201) throw new Error(`no secret: ${status} ${JSON.stringify(body)}`)
  return body
}
const hmac = (secret: string, body: string | Buffer) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

async function send(project_id: string, body: string, headers: Record<string, string>) {
  const init = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } }
  const response = await fetch(`${url}/api/v1/projects/${project_id}/repository/pushed`, init)
  return { status: response.status, body: await response.json() }
}
const signed = (project_id: string, secret: string, body: string, more: Record<string, string> = {}) =>
  send(project_id, body, { 'x-hub-signature-256': hmac(secret, body), ...more })

const runsOf = (project_id: string) =>
  server.sql<{ trigger: string; state: string }>(
    'select trigger, state from code_index.runs where project_id = $1 order by id',
    [project_id],
  )
const requested = { status: 202, body: { result: 'requested' } }
const otherBranch = { status: 202, body: { result: 'other_branch' } }
const refused = { status: 403, body: { detail: 'The signature does not fit' } }

/** Whose repository is never reached: only what the hook says counts. */
async function hooked(branch: string | null = 'main'): Promise<{ id: string; secret: string }> {
  const id = await attached(work, `${home.git.url}/nothing.git`, { branch })
  return { id, secret: (await secretOf(id)).secret }
}

// Shortened, in the form and with the fields that each host sends.
const github = {
  ref: 'refs/heads/main',
  before: '0'.repeat(40),
  after: 'a'.repeat(40),
  repository: { id: 1, full_name: 'team/engine', default_branch: 'main' },
  commits: [{ id: 'a'.repeat(40), message: 'Ünïcode 😀 \u0000', added: ['src/a.ts'], modified: [] }],
  head_commit: null,
}
const gitea = { ...github, secret: '', compare_url: 'https://gitea.example/compare', total_commits: 1 }
const gitlab = {
  object_kind: 'push',
  event_name: 'push',
  ref: 'refs/heads/main',
  project_id: 15,
  project: { id: 15, default_branch: 'main' },
}

test('IDX-G5: a push is told by a signed hook, and its commit is indexed', async () => {
  const repository = newRepository(home, 'hooked.git')
  repository.commit(smallSources)
  repository.push()
  const id = await attached(work, `${home.git.url}/hooked.git`)
  await indexNow(work, id)
  const { secret, path } = await secretOf(id)
  expect(path).toBe(`/api/v1/projects/${id}/repository/pushed`)
  const commit = repository.commit({ 'src/extra.ts': 'export const extra = 1\n' })
  repository.push()
  expect(await signed(id, secret, JSON.stringify(github))).toEqual(requested)
  await waitFor(async () => (await indexOf(work, id)).commit === commit, 120_000)
  expect((await runsOf(id)).map(({ trigger }) => trigger)).toEqual(['request', 'pushed'])
  // Sent again, it only asks the remote, which has nothing new.
  expect(await signed(id, secret, JSON.stringify(github))).toEqual(requested)
  await waitFor(async () => (await runsOf(id)).filter(({ state }) => state === 'done').length === 3, 60_000)
  const [{ version } = { version: 0 }] = await server.sql<{ version: number }>(
    'select version from code_index.indexes where project_id = $1',
    [id],
  )
  expect(version).toBe(2)
})

test('remotes that tell nothing are asked by and by, also those with a hook', async () => {
  const repository = newRepository(home, 'silent.git')
  repository.commit(smallSources)
  repository.push()
  const id = await attached(work, `${home.git.url}/silent.git`)
  await indexNow(work, id)
  await secretOf(id)
  const commit = repository.commit({ 'src/late.ts': 'export const late = 1\n' })
  repository.push()
  await server.sql(
    'update code_index.repositories set next_check_at = platform.now() where project_id = $1',
    [id],
  )
  await server.sql(
    `update jobs.schedules set next_at = platform.now() where name = 'code-index.check-remotes'`,
  )
  await waitFor(async () => (await indexOf(work, id)).commit === commit, 120_000)
  expect((await runsOf(id)).at(-1)?.trigger).toBe('check')
})

describe('a notice of', () => {
  const form = (body: object) => `payload=${encodeURIComponent(JSON.stringify(body))}`
  const formType = { 'content-type': 'application/x-www-form-urlencoded' }

  test.each<[string, (secret: string, id: string) => Promise<unknown>]>([
    [
      'GitHub as JSON',
      (secret, id) => signed(id, secret, JSON.stringify(github), { 'x-github-event': 'push' }),
    ],
    ['GitHub as a form', (secret, id) => signed(id, secret, form(github), formType)],
    ['GitHub, a ping', (secret, id) => signed(id, secret, JSON.stringify({ zen: 'Design for failure.' }))],
    ['Gitea', (secret, id) => signed(id, secret, JSON.stringify(gitea), { 'x-gitea-event': 'push' })],
    ['GitLab', (secret, id) => send(id, JSON.stringify(gitlab), { 'x-gitlab-token': secret })],
    ['a script without a body', (secret, id) => signed(id, secret, '')],
    [
      'a script with no JSON',
      (secret, id) => signed(id, secret, 'pushed!', { 'content-type': 'text/plain' }),
    ],
    ['a script with a list', (secret, id) => signed(id, secret, '[{"__proto__":1}]')],
    ['a script with deep JSON', (secret, id) => signed(id, secret, '['.repeat(5000) + ']'.repeat(5000))],
  ])('%s is taken', async (_, sending) => {
    const { id, secret } = await hooked()
    expect(await sending(secret, id)).toEqual(requested)
    expect((await runsOf(id)).map(({ trigger }) => trigger)).toEqual(['pushed'])
  })

  test.each<[string, object, string | null]>([
    ['another branch', { ...github, ref: 'refs/heads/next' }, 'main'],
    ['a tag', { ...github, ref: 'refs/tags/main' }, 'main'],
    ['another branch than the default one', { ...gitlab, ref: 'refs/heads/next' }, null],
  ])('%s is taken, and nothing is indexed', async (_, notice, branch) => {
    const { id, secret } = await hooked(branch)
    expect(await signed(id, secret, JSON.stringify(notice))).toEqual(otherBranch)
    expect(await runsOf(id)).toEqual([])
  })
})

describe('one refusal for', () => {
  const body = JSON.stringify(github)

  test.each<[string, (of: { id: string; secret: string }) => Promise<unknown>]>([
    ['no signature', ({ id }) => send(id, body, {})],
    ['an empty one', ({ id }) => send(id, body, { 'x-hub-signature-256': '' })],
    ['one of another secret', ({ id }) => signed(id, 'other', body)],
    [
      'one of another body',
      ({ id, secret }) => send(id, `${body} `, { 'x-hub-signature-256': hmac(secret, body) }),
    ],
    [
      'one without its prefix',
      ({ id, secret }) => send(id, body, { 'x-hub-signature-256': hmac(secret, body).slice(7) }),
    ],
    [
      'the older digest',
      ({ id, secret }) =>
        send(id, body, {
          'x-hub-signature': `sha1=${createHmac('sha1', secret).update(body).digest('hex')}`,
        }),
    ],
    ['another token', ({ id }) => send(id, body, { 'x-gitlab-token': 'other' })],
    ['an empty token', ({ id }) => send(id, body, { 'x-gitlab-token': '' })],
    [
      'a good token beside a wrong signature',
      ({ id, secret }) => send(id, body, { 'x-hub-signature-256': 'sha256=00', 'x-gitlab-token': secret }),
    ],
    ['a project that does not exist', ({ secret }) => signed(nowhere, secret, body)],
    ['what is no project', ({ secret }) => signed('nope', secret, body)],
    ['a secret of another project', async ({ id }) => signed(id, (await hooked()).secret, body)],
    [
      'an archived project',
      async ({ id, secret }) => {
        await work.call('POST', `/${id}/archive`)
        return signed(id, secret, body)
      },
    ],
    [
      'a repository that was detached',
      async ({ id, secret }) => {
        await work.call('DELETE', `/${id}/repository`)
        return signed(id, secret, body)
      },
    ],
    [
      'a secret that was replaced',
      async ({ id, secret }) => {
        await secretOf(id)
        return signed(id, secret, body)
      },
    ],
    [
      'a repository without a secret',
      async () => signed(await attached(work, `${home.git.url}/nothing.git`), '', body),
    ],
  ])('%s', async (_, sending) => {
    const of = await hooked()
    expect(await sending(of)).toEqual(refused)
    expect(await runsOf(of.id)).toEqual([])
  })

  test('a body above the limit is too large, for a known and an unknown project', async () => {
    const { id, secret } = await hooked()
    const long = JSON.stringify({ ...github, note: 'x'.repeat(1_100_000) })
    for (const project of [id, nowhere]) expect((await signed(project, secret, long)).status).toBe(413)
  })
})

test('many pushes at once lead to one run and at most one more', async () => {
  const repository = newRepository(home, 'often.git')
  const commit = repository.commit(smallSources)
  repository.push()
  const id = await attached(work, `${home.git.url}/often.git`)
  const { secret } = await secretOf(id)
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => signed(id, secret, JSON.stringify(github))),
  )
  for (const answer of answers) expect(answer).toEqual(requested)
  const runs = await waitFor(async () => {
    const rows = await runsOf(id)
    return rows.every(({ state }) => state === 'done') && rows
  }, 120_000)
  expect(runs.length).toBeLessThanOrEqual(2)
  expect((await indexOf(work, id)).commit).toBe(commit)
})

test('a push during a run is followed by another one', async () => {
  const { id, secret } = await hooked()
  await server.sql(
    `insert into code_index.runs (brand_id, id, project_id, trigger, state, epoch, lease_until)
     values ($1, gen_random_uuid(), $2, 'check', 'running', 1, now() + interval '1 hour')`,
    [work.brand_id, id],
  )
  for (let times = 0; times < 3; times += 1)
    expect(await signed(id, secret, JSON.stringify(github))).toEqual(requested)
  const rows = await server.sql('select is_wanted_again from code_index.runs where project_id = $1', [id])
  expect(rows).toEqual([{ is_wanted_again: true }])
})

test('the secret is told once, sealed, and created by admins alone', async () => {
  const id = await attached(work, `${home.git.url}/nothing.git`)
  const path = `/${id}/repository/push-secret`
  expect((await work.call('POST', path, undefined, work.reader)).status).toBe(403)
  const before = await work.call<Project>('GET', `/${id}`)
  expect(before.body.repository?.push_secret_set_at).toBe(null)
  const { secret } = await secretOf(id)
  expect(secret).toMatch(/^whsec_[0-9a-f]{64}$/)
  const shown = [
    await work.call<Project>('GET', `/${id}`),
    await server.sql('select r::text from code_index.repositories r where project_id = $1', [id]),
    await server.sql(`select encode(push_secret, 'escape') from code_index.repositories`),
    await server.sql('select a::text from platform.audit_entries a where brand_id = $1', [work.brand_id]),
  ]
  expect(JSON.stringify(shown)).not.toContain(secret.slice(6))
  expect(JSON.stringify(shown[0])).toMatch(/"push_secret_set_at":"2/)
  expect(JSON.stringify(shown[3])).toContain('repository.push_secret_rotated')
  const bare = await work.add()
  expect((await work.call('POST', `/${bare.id}/repository/push-secret`)).status).toBe(409)
  const foreign = await (await ProjectWorkspace.open(server)).add()
  for (const other of [foreign.id, nowhere])
    expect((await work.call('POST', `/${other}/repository/push-secret`)).status).toBe(404)
})
