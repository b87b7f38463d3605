import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Profile, ProfileWorkspace, root } from './profile-workspace.ts'

const server = useSharedServer('product')
let workspace: ProfileWorkspace
beforeAll(async () => {
  workspace = await ProfileWorkspace.open(server)
})

const key = 'claude.hard'
const url = `${root}/${key}/override`

test.each([
  ['PROF-46', { tools: 'a\0' }, 'tools is platform-only and cannot be overridden'],
  ['PROF-48', { 'a\0': 1 }, 'a\0 is not an editable coder profile field'],
  ['PROF-52', { model: 'a\0' }, 'model must be one of: claude-opus-5-5, claude-sonnet-5'],
  ['PROF-52', { model: ['\ud800'] }, 'model must be one of: claude-opus-5-5, claude-sonnet-5'],
  ['PROF-55', { effort: '\0' }, 'effort must be one of: low, medium, high'],
  ['PROF-59', { limit_value: '7\0' }, 'limit_value must be from 1 up to the platform default of 400'],
] as const)('K23 %s a NUL is refused as every other wrong value: %j', async (_, body, detail) => {
  const answer = await workspace.call('PUT', url, body)
  const { body: profile } = await workspace.call<Profile>('GET', `${root}/${key}`)
  const most = profile.platform_defaults.limit_value
  expect(answer).toEqual({ status: 422, body: { detail: detail.replace('400', String(most)) } })
})

test.each([
  ['600 characters', 'x'.repeat(600), `${'x'.repeat(100)}… is not an editable coder profile field`],
  ['a NUL', '%00', '\0 is not an editable coder profile field'],
])('K23 PROF-66 the reset of a field named by %s is 422', async (_, field, detail) => {
  expect(await workspace.call('DELETE', `${url}/${field}`)).toEqual({ status: 422, body: { detail } })
})

test('K23 PROF-35 a history longer than 1,000 changes says that there is more, and where', async () => {
  await server.sql(
    `insert into profiles.changes (brand_id, profile_key, field, new_value, actor_user_id, actor_role)
     select $1, $2, 'effort', 'low', $3, 'brand_admin' from generate_series(1, 1001)`,
    [workspace.owner.brand_id, key, workspace.owner.person_id],
  )
  const read = async (path: string) => {
    const response = await server.get(path, { headers: { authorization: `Bearer ${workspace.admin}` } })
    return { changes: (await response.json()) as unknown[], link: response.headers.get('link') }
  }
  const first = await read(`${root}/${key}/history`)
  expect(first.changes).toHaveLength(1000)
  const [, next = ''] = /^<([^>]+)>; rel="next"$/.exec(first.link ?? '') ?? []
  const { pathname, search } = new URL(next, `${server.api.url}${root}/${key}/history`)
  const second = await read(`${pathname}${search}`)
  expect([second.changes.length, second.link]).toEqual([1, null])
})
