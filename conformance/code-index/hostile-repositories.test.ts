import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestRepository } from '@crewhall/testkit/git/test-repository.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  attached,
  type IndexHome,
  indexNow,
  newRepository,
  openIndexHome,
  smallSources,
} from './index-world.ts'
import { ProjectWorkspace } from './project-world.ts'

// Repositories of the threat list; forced pushes stand in runs.test.ts, addresses in repository.test.ts.

const server = useServer('product')
const refs = scaled(1_000_000, 20_000)
let home: IndexHome
let work: ProjectWorkspace
let canary: string

beforeAll(async () => {
  home = await openIndexHome()
  canary = join(home.root, 'canary')
  const env = { ...home.env, CODE_INDEX_REPOSITORY_MB: '3' }
  const api = await server.start('api', env)
  await server.start('worker', env)
  work = await ProjectWorkspace.open({
    sql: server.sql,
    get: (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init),
  })
})
afterAll(() => home.close())

async function indexed(repository: TestRepository) {
  const id = await attached(work, `${home.git.url}/${repository.name}`)
  return { id, state: await indexNow(work, id) }
}
const pathsOf = async (project_id: string) =>
  (
    await work.world.sql<{ place: string }>(
      `select path || case when symbol = '' then '' else '#' || symbol end as place from code_index.nodes
       where project_id = $1 and is_live order by path, symbol`,
      [project_id],
    )
  ).map(({ place }) => place)

/** Commits a tree that no work tree could hold. Paths are bytes. */
function commitRaw(repository: TestRepository, files: readonly (readonly [Buffer, string])[]): void {
  const quoted = (path: Buffer) =>
    Buffer.concat([
      Buffer.from('"'),
      ...[...path].map((byte) => Buffer.from(`\\${byte.toString(8).padStart(3, '0')}`)),
      Buffer.from('"'),
    ])
  const parts = [
    Buffer.from('commit refs/heads/main\ncommitter A <a@example.test> 1769851800 +0000\ndata 1\nc\n'),
    ...files.flatMap(([path, text]) => [
      Buffer.from('M 100644 inline '),
      quoted(path),
      Buffer.from(`\ndata ${Buffer.byteLength(text)}\n${text}\n`),
    ]),
  ]
  execFileSync('git', ['-C', repository.bare, 'fast-import', '--quiet', '--force'], {
    input: Buffer.concat(parts),
    stdio: ['pipe', 'ignore', 'pipe'],
  })
}

test('hooks that come with a repository are never run', async () => {
  const repository = newRepository(home, 'hooks.git')
  const hook = `#!/bin/sh\ntouch ${canary}\n`
  repository.commit({ ...smallSources, 'hooks/post-checkout': hook, '.githooks/post-merge': hook })
  repository.push()
  for (const name of ['post-update', 'post-checkout', 'reference-transaction'])
    writeFileSync(join(repository.bare, 'hooks', name), hook, { mode: 0o755 })
  expect((await indexed(repository)).state).toMatchObject({ state: 'ready' })
  expect(existsSync(canary)).toBe(false)
})

test('a submodule is named and not fetched, also with a carriage return in its path', async () => {
  const repository = newRepository(home, 'submodule.git')
  repository.commit({
    ...smallSources,
    '.gitmodules': `[submodule "sub"]\n\tpath = "sub\\r"\n\turl = ${home.git.url}/hooks.git\n`,
  })
  const commit = repository.git('rev-parse', 'HEAD')
  repository.git('update-index', '--add', '--cacheinfo', `160000,${commit},sub`)
  repository.git('commit', '-q', '-m', 'Submodule')
  repository.push()
  const asked = home.git.requests.filter(({ path }) => path.startsWith('/hooks.git')).length
  const { state } = await indexed(repository)
  expect(state.state === 'ready' ? state.skipped : state.fault?.code).toEqual(
    state.state === 'ready' ? [{ path: 'sub', reason: 'a submodule' }] : 'damaged',
  )
  expect(home.git.requests.filter(({ path }) => path.startsWith('/hooks.git'))).toHaveLength(asked)
  expect(existsSync(canary)).toBe(false)
})

test('a submodule whose address is an option is refused by git itself', async () => {
  const repository = newRepository(home, 'modules.git')
  repository.commit({
    ...smallSources,
    '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = --upload-pack=touch ${canary}\n`,
  })
  repository.push()
  expect((await indexed(repository)).state).toMatchObject({ state: 'failed', fault: { code: 'damaged' } })
  expect(existsSync(canary)).toBe(false)
})

test('links are not followed', async () => {
  const repository = newRepository(home, 'links.git')
  const blob = execFileSync('git', ['-C', repository.work, 'hash-object', '-w', '--stdin'], {
    input: '/etc/passwd',
  })
  repository.commit(smallSources)
  repository.git('update-index', '--add', '--cacheinfo', `120000,${blob.toString().trim()},src/evil.ts`)
  repository.git('commit', '-q', '-m', 'Link')
  repository.push()
  const { id, state } = await indexed(repository)
  expect(state.state).toBe('ready')
  expect((await pathsOf(id)).filter((path) => path.startsWith('src/evil.ts'))).toEqual(['src/evil.ts'])
})

test(`${refs} refs are not asked for`, async () => {
  const repository = newRepository(home, 'refs.git')
  const commit = repository.commit(smallSources)
  repository.push()
  const lines = Array.from(
    { length: refs },
    (_, n) => `${commit} refs/heads/many/b${String(n).padStart(7, '0')}\n`,
  )
  writeFileSync(
    join(repository.bare, 'packed-refs'),
    `# pack-refs with: peeled fully-peeled sorted \n${commit} refs/heads/main\n${lines.join('')}`,
  )
  expect((await indexed(repository)).state).toMatchObject({ state: 'ready', commit })
})

test('a repository that is too large is refused, and nothing of it stays on the disk', async () => {
  const repository = newRepository(home, 'large.git')
  repository.commit({ 'data.bin': randomBytes(4_000_000).toString('base64') })
  repository.push()
  const { id, state } = await indexed(repository)
  expect(state).toMatchObject({ state: 'failed', fault: { code: 'too_large' } })
  const dir = join(home.dir, String(work.brand_id))
  const clone = readdirSync(dir).find((name) => name.startsWith(id)) ?? ''
  const packs = clone ? readdirSync(join(dir, clone, 'objects', 'pack')) : []
  const bytes = packs.reduce((sum, name) => sum + statSync(join(dir, clone, 'objects', 'pack', name)).size, 0)
  expect(bytes).toBeLessThan(1_000_000)
})

test('deep trees and names with control characters or without UTF-8 are skipped with a reason, and names that differ in case are two', async () => {
  const repository = newRepository(home, 'names.git')
  const deep = `${'d/'.repeat(300)}deep.ts`
  commitRaw(repository, [
    [Buffer.from('src/a.ts'), 'export const a = 1\n'],
    [Buffer.from('src/A.ts'), 'export const A = 1\n'],
    [Buffer.from(deep), 'export const deep = 1\n'],
    [Buffer.from([0x73, 0x2f, 0xff, 0xfe, 0x2e, 0x74, 0x73]), 'export const bad = 1\n'],
    [Buffer.from('src/new\nline.ts'), 'export const line = 1\n'],
    [Buffer.from("src/'; drop table.ts"), 'export const quote = 1\n'],
  ])
  const { id, state } = await indexed(repository)
  expect(state.state).toBe('ready')
  expect(state.skipped.map(({ reason }) => reason).sort()).toEqual([
    'control characters in the name',
    'in too many folders',
    'the name is not UTF-8',
  ])
  const paths = await pathsOf(id)
  expect(paths).toEqual(expect.arrayContaining(['src/A.ts', 'src/a.ts', "src/'; drop table.ts"]))
  expect(paths).not.toContain('src/new\nline.ts')
})

test('an empty repository is told as such', async () => {
  expect((await indexed(newRepository(home, 'empty.git'))).state).toMatchObject({
    state: 'failed',
    fault: { code: 'empty', text: 'The repository has no commits' },
  })
})
