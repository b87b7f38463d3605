import { scaled } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { call } from '@crewhall/testkit/world/call.ts'
import { expect, onTestFinished, test } from 'vitest'
import { attached, indexNow, newRepository, openIndexHome } from '../code-index/index-world.ts'
import { ProjectWorkspace } from '../code-index/project-world.ts'
import type { Near } from './reading-world.ts'
import { lessonText } from './synced-world.ts'

const server = useServer('product')
const calls = scaled(500, 100)

const store = 'export class Store {\n  find(id: string): string {\n    return id\n  }\n}\n'
const main = (from: string) =>
  `import { Store } from '${from}'\n\nexport const main = () => new Store().find('a')\n`

test(`IDX-01 IDX-07 IDX-08 LES-45: an index of a moved file becomes visible during ${calls} calls of near, and each equals the old or the new answer`, async () => {
  const home = await openIndexHome()
  onTestFinished(() => home.close())
  const api = await server.start('api', home.env)
  await server.start('worker', home.env)
  const get = (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init)
  const work = await ProjectWorkspace.open({ sql: server.sql, get })
  const member = await work.world.join(work.brand_id, 'member')
  const token = await work.world.newToken(member, ['memory:read', 'code:read'])

  const git = newRepository(home)
  git.commit({
    'src/main.ts': main('./store.ts'),
    'src/store.ts': store,
    'lessons/store/file.md': lessonText({ anchors: ['src/store.ts'] }),
    'lessons/store/find.md': lessonText({ anchors: ['src/store.ts#Store.find'] }),
    'lessons/store/folder.md': lessonText({ anchors: ['src/'] }),
  })
  git.push()
  const project_id = await attached(work, `${home.git.url}/engine.git`)
  expect((await indexNow(work, project_id)).state).toBe('ready')

  const query = { project_id, paths: ['src/main.ts'], depth: 3 }
  const read = async () => {
    const { status, body } = await call<Near>(get, { token }, 'POST', '/api/v1/memory/entries:near', query)
    expect(status).toBe(200)
    // On a busy machine a walk may pass its limit. That is said, and mixes nothing.
    if (body.degraded === 'code_index_unavailable') return undefined
    expect(body.degraded).toBe(null)
    return JSON.stringify(body)
  }
  const answer = async (): Promise<string> => (await read()) ?? answer()
  const before = await answer()
  expect(JSON.parse(before).entries).toHaveLength(3)
  git.commit({ 'src/store.ts': null, 'lib/store.ts': store, 'src/main.ts': main('../lib/store.ts') })
  git.push()

  let [done, isShown] = [0, false]
  const seen = new Map<string, number>()
  const caller = async () => {
    while (done < calls || !isShown) {
      done += 1
      const told = await read()
      if (told !== undefined) seen.set(told, (seen.get(told) ?? 0) + 1)
    }
  }
  const shown = indexNow(work, project_id).then(({ state }) => {
    isShown = true
    expect(state).toBe('ready')
  })
  await Promise.all([shown, ...Array.from({ length: 6 }, caller)])
  const after = await answer()
  expect(after).not.toBe(before)
  expect(after).toContain('lib/store.ts')
  expect([...seen.keys()].filter((told) => told !== before && told !== after)).toEqual([])
  expect(seen.get(before)).toBeGreaterThan(0)
})
