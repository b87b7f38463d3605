import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkBoundaries } from './check-boundaries.ts'
import { plantRepo, type Tree } from './planted-repo.ts'

const server = 'apps/server/src'
const fleet = `${server}/modules/fleet`
const boards = `${server}/modules/boards`

const cleanTree: Tree = {
  'apps/server/package.json': '{"name":"@crewhall/server"}',
  'packages/contracts/package.json': '{"name":"@crewhall/contracts","exports":{"./*":"./src/*"}}',
  'packages/contracts/src/desks.ts': "import { z } from 'zod'\nexport const Desk = z.object({})",
  'packages/client/src/client.ts': "import { Desk } from '@crewhall/contracts/desks.ts'\nexport { Desk }",
  'packages/testkit/src/db.ts': "import pg from 'pg'\nimport '@crewhall/services/facts.ts'\nprocess.env.X",
  'packages/services/package.json': '{"name":"@crewhall/services","exports":{"./*":"./src/*"}}',
  'packages/services/src/facts.ts': 'export const facts = process.env',
  'tools/dev/dev.ts': "import '@crewhall/services/facts.ts'",
  'vitest.config.ts': 'export default { ci: process.env.CI }',
  'conformance/health.test.ts': "import '@crewhall/contracts/desks.ts'",
  [`${server}/config.ts`]: 'export const config = process.env',
  [`${server}/modules.ts`]: "import './modules/fleet/fleet.module.ts'\nimport './config.ts'",
  [`${server}/platform/db/statement.ts`]: 'export const sql = String.raw',
  [`${server}/platform/clock/clock.ts`]: 'export const now = () => new Date()',
  [`${server}/platform/http/handle.ts`]:
    "import fastify from 'fastify'\nimport type { config } from '../../config.ts'",
  [`${server}/platform/http/request/validate.ts`]: "import '#platform/http/handle.ts'",
  [`${boards}/public.ts`]: "export { openBoard } from './boards.service.ts'",
  [`${boards}/boards.service.ts`]: 'export const openBoard = () => performance.now()',
  [`${fleet}/public.ts`]:
    "export { orderDesk } from './desks.service.ts'\nexport type { Row } from './desks.store.ts'",
  [`${fleet}/fleet.module.ts`]: "import './desks.routes.ts'\nimport type { config } from '../../config.ts'",
  [`${fleet}/desks.routes.ts`]: "import '#platform/http/handle.ts'\nimport './desks.service.ts'",
  [`${fleet}/desks.service.ts`]: [
    "import { openBoard } from '#modules/boards'",
    "import type { now } from '#platform/clock/clock.ts'",
    "import * as desks from './desks.store.ts'",
    'export const orderDesk = (at: string) => new Date(at)',
  ].join('\n'),
  [`${fleet}/desks.store.ts`]: [
    "import { sql } from '#platform/db/statement.ts'",
    'export type Row = object',
    'sql`with live as (select * from fleet.desks) select * from live join fleet.pats on true`',
    'sql`select extract(epoch from d.seen_at) from fleet.desks d where d.a is distinct from d.b`',
    'sql`select * from platform.now()`',
  ].join('\n'),
  [`${fleet}/desks.rules.ts`]: 'export const isLive = (at: string) => new Date(at) > new Date(0)',
  [`${fleet}/desks.pg.test.ts`]: "import './desks.store.ts'\nimport '#modules/boards'\nimport 'vitest'",
}

const rulesOf = (root: string) => checkBoundaries(root).violations.map(({ path, rule }) => `${path} ${rule}`)

test('a clean tree passes and every file of it was read', () => {
  const { violations, scanned, listed } = checkBoundaries(plantRepo(cleanTree))
  expect(violations).toEqual([])
  expect(scanned).toBe(listed)
  expect(listed).toBe(Object.keys(cleanTree).filter((path) => path.endsWith('.ts')).length)
})

const desk = `${fleet}/desks.service.ts`
const store = `${fleet}/desks.store.ts`
const plants: [title: string, rule: string, path: string, text: string][] = [
  ['an import past the door', 'past-the-door', desk, "import '../boards/boards.service.ts'"],
  [
    'a type import past the door',
    'past-the-door',
    desk,
    "import type { A } from '../boards/boards.service.ts'",
  ],
  [
    'a tool importing the inside of a module',
    'past-the-door',
    'tools/a.ts',
    "import '../apps/server/src/modules/fleet/desks.store.ts'",
  ],
  [
    'the inside of a module in the root',
    'past-the-door',
    `${server}/modules.ts`,
    "import './modules/fleet/desks.service.ts'",
  ],
  [
    'a module to the right',
    'module-order',
    `${boards}/boards.service.ts`,
    "import type { A } from '#modules/fleet'",
  ],
  ['the own door', 'module-order', desk, "import type { A } from '#modules/fleet'"],
  ['a module outside the order', 'module-order', desk, "import '#modules/payroll'"],
  ['a module folder outside the order', 'file-name', `${server}/modules/payroll/public.ts`, ''],
  ['a service importing fastify', 'role-import', desk, "import fastify from 'fastify'"],
  ['a service importing a type of the driver', 'role-import', desk, "import type { Pool } from 'pg'"],
  [
    'a service importing a platform value',
    'role-import',
    desk,
    "import { now } from '#platform/clock/clock.ts'",
  ],
  [
    'routes reaching below the face of http',
    'role-import',
    `${fleet}/desks.routes.ts`,
    "import '#platform/http/request/validate.ts'",
  ],
  ['routes importing a store', 'role-import', `${fleet}/desks.routes.ts`, "import './desks.store.ts'"],
  ['routes importing another module', 'role-import', `${fleet}/desks.routes.ts`, "import '#modules/boards'"],
  ['a store importing a service', 'role-import', store, "import './other.service.ts'"],
  ['rules importing a library', 'role-import', `${fleet}/desks.rules.ts`, "import 'node:crypto'"],
  [
    'a door exporting a store',
    'role-import',
    `${fleet}/public.ts`,
    "export { find } from './desks.store.ts'",
  ],
  [
    'platform by a relative path',
    'alias',
    `${fleet}/desks.routes.ts`,
    "import '../../platform/http/handle.ts'",
  ],
  [
    'platform importing a module',
    'workspace-import',
    `${server}/platform/db/pool.ts`,
    "import '#modules/fleet'",
  ],
  [
    'platform importing config',
    'workspace-import',
    `${server}/platform/db/pool.ts`,
    "import { config } from '../../config.ts'",
  ],
  ['contracts importing a library', 'workspace-import', 'packages/contracts/src/a.ts', "import 'pg'"],
  ['client importing a library', 'workspace-import', 'packages/client/src/a.ts', "import 'zod'"],
  [
    'testkit importing the server',
    'workspace-import',
    'packages/testkit/src/a.ts',
    "import '../../../apps/server/src/config.ts'",
  ],
  ['an unknown alias', 'unresolved', desk, "import '#secret/door.ts'"],
  ['an unknown folder', 'unknown-place', 'deploy/run.ts', ''],
  ['an unknown role', 'file-name', `${fleet}/desks.manager.ts`, ''],
  ['a nested door', 'file-name', `${fleet}/desks/public.ts`, ''],
  ['a name that says nothing', 'file-name', 'packages/testkit/src/utils.ts', ''],
  ['a folder name that says nothing', 'file-name', 'tools/helpers/a.ts', ''],
  ['a name in camel case', 'file-name', 'tools/someTool.ts', ''],
  ['process.env', 'env', `${server}/api.ts`, 'export const port = process.env.PORT'],
  ['env out of process', 'env', `${server}/api.ts`, 'const { env } = process'],
  ['env imported', 'env', `${server}/api.ts`, "import { env } from 'node:process'"],
  ['env in the client', 'env', 'packages/client/src/a.ts', "process['env']"],
  ['Date.now', 'clock', `${server}/platform/http/a.ts`, 'Date.now()'],
  ['new Date without argument', 'clock', desk, 'new Date()'],
  ['a clock in rules', 'clock', `${fleet}/desks.rules.ts`, 'performance.now()'],
  ['random in rules', 'random', `${fleet}/desks.rules.ts`, 'Math.random()'],
  ['S5: the outer context within reach of a transaction', 'outer-ctx', desk, 'ctx.tx(async (tx) => tx)'],
  ['a broken file', 'parse', 'tools/a.ts', 'const = 1'],
  [
    'a foreign schema in a join',
    'own-schema',
    store,
    'sql`select 1 from fleet.desks d join boards.boards b on true`',
  ],
  ['a foreign schema in a constant', 'own-schema', store, "const from = 'from boards.boards b'"],
  ['a foreign schema in sql', 'own-schema', store, 'sql`delete from identity.people where id = 1`'],
  ['a foreign table named for a kit', 'own-schema', store, 'sql`boards.guests`'],
  [
    'a foreign schema after a comma',
    'own-schema',
    store,
    'sql`select 1 from fleet.desks d, code_index.nodes n`',
  ],
  ['an unknown schema in sql', 'own-schema', store, 'sql`select 1 from public.desks`'],
  ['a platform table', 'own-schema', store, 'sql`select * from platform.jobs`'],
]

describe('caught:', () => {
  test.each(plants)('%s', (_title, rule, path, text) => {
    const planted = `${cleanTree[path] ?? ''}\n${text}`
    const line = rule === 'file-name' || rule === 'unknown-place' ? 1 : planted.split('\n').length
    const { violations } = checkBoundaries(plantRepo({ ...cleanTree, [path]: planted }))
    expect(violations).toEqual([{ path, line, rule, message: expect.any(String) }])
  })
})

test('a cycle of values is caught with its way, a cycle closed by a type is not', () => {
  const root = (closing: string) =>
    plantRepo({ 'tools/a.ts': "import './b.ts'", 'tools/b.ts': "import './c.ts'", 'tools/c.ts': closing })
  const [violation, ...others] = checkBoundaries(root("export { a } from './a.ts'")).violations
  expect(violation).toMatchObject({ path: 'tools/c.ts', line: 1, rule: 'cycle' })
  expect(violation?.message).toBe('tools/a.ts -> tools/b.ts -> tools/c.ts -> tools/a.ts')
  expect(others).toEqual([])
  expect(checkBoundaries(root("import type { a } from './a.ts'")).violations).toEqual([])
})

test('a cycle through package names is caught', () => {
  const path = 'packages/contracts/src/a.ts'
  const planted = {
    [path]: "import '@crewhall/contracts/desks.ts'",
    'packages/contracts/src/desks.ts': "import './a.ts'",
  }
  expect(rulesOf(plantRepo({ ...cleanTree, ...planted }))).toEqual([`${path} cycle`])
})

describe('the scan accounts for its files:', () => {
  test('a file git lists where the scan does not go', () => {
    const root = plantRepo({ ...cleanTree, 'tools/dist/hidden.ts': '', '.secret/hidden.tsx': '' })
    expect(rulesOf(root)).toEqual(['.secret/hidden.tsx not-scanned', 'tools/dist/hidden.ts not-scanned'])
  })

  test('a scan that finds nothing', () => {
    const { violations, scanned, listed } = checkBoundaries(plantRepo(cleanTree), () => [])
    expect(scanned).toBe(0)
    expect(violations.filter(({ rule }) => rule === 'not-scanned')).toHaveLength(listed)
  })

  test('a repository without any file', () => {
    expect(rulesOf(plantRepo({}))).toEqual(['. not-scanned'])
  })

  test('a new file counts before it is added, a deleted and an ignored one do not', () => {
    const root = plantRepo({ ...cleanTree, '.gitignore': 'ignored/' })
    const { listed } = checkBoundaries(root)
    rmSync(join(root, `${fleet}/desks.rules.ts`))
    writeFileSync(join(root, 'tools/someTool.ts'), '')
    expect(rulesOf(root)).toEqual(['tools/someTool.ts file-name'])
    expect(checkBoundaries(root)).toMatchObject({ listed, scanned: listed })
  })
})
