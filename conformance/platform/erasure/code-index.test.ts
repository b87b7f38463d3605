import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type IndexHome, newRepository, openIndexHome, smallSources } from '../../code-index/index-world.ts'
import { type Body, erasureEnv, newWord, type Person, useErasureWorld } from './erasure-world.ts'
import { everything, placesOf, rowsOfBrand } from './everything.ts'

const home: IndexHome = await openIndexHome()
afterAll(() => home.close())
const server = useServer('product', { ...erasureEnv, ...home.env })
const world = useErasureWorld(server)
const word = newWord('source')
let [eve, gus]: Person[] = []

/** A project with an index that has lost something, so that every table has a row. */
async function addIndex(by: Person, name: string): Promise<void> {
  const repository = newRepository(home, `${name}.git`)
  repository.commit({ ...smallSources, [`src/${name}.ts`]: `export function ${name}() {}\n` })
  repository.push()
  const { id } = await world.made(by, 'POST', '/projects', { name })
  await world.made(by, 'PUT', `/projects/${id}/repository`, { url: `${home.git.url}/${name}.git` })
  const index = async () => {
    await world.made(by, 'POST', `/projects/${id}/index`)
    await waitFor(async () => {
      const { state } = (await world.made(by, 'GET', `/projects/${id}/index`)) as Body
      return state === 'ready'
    }, 60_000)
  }
  await index()
  repository.commit({ [`src/${name}.ts`]: null })
  repository.push()
  await index()
  // What a worker that was killed leaves behind.
  await world.admin.query(
    `insert into code_index.staged_runs (brand_id, run_id, project_id, epoch)
     select brand_id, gen_random_uuid(), id, 1 from code_index.projects where brand_id = $1`,
    [by.home],
  )
}

beforeAll(async () => {
  ;[eve, gus] = [await world.signUp('Eve', 'Gone'), await world.signUp('Gus', 'Stays')]
})

test('the erasure of a workspace takes its projects, its index and the copies of its repositories along', async () => {
  if (!eve || !gus) throw new Error('nobody has signed up')
  const worker = await server.start('worker')
  await addIndex(eve, word)
  await addIndex(gus, 'stays')
  const tablesOf = async (brand_id: number) =>
    Object.keys(await rowsOfBrand(world.admin, brand_id)).filter((table) => table.startsWith('code_index.'))
  const { rows } = await world.admin.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c where c.relkind = 'r'
     and c.relnamespace = 'code_index'::regnamespace and c.relname !~ '^staged_(nodes|edges)$' order by 1`,
  )
  expect(await tablesOf(eve.home)).toEqual(rows.map(({ name }) => name))
  const before = await rowsOfBrand(world.admin, gus.home)
  await world.made(eve, 'POST', `/brands/${eve.home}/erasure`, { name: 'Gone' })
  await world.admin.query('update identity.brand_erasures set due_at = now() where brand_id = $1', [eve.home])
  await world.admin.query(`update jobs.schedules set next_at = now() where name = 'identity.start-erasures'`)
  await world.done(`brands/${eve.home}`)
  await worker.stop()
  expect(await tablesOf(eve.home)).toEqual([])
  expect(placesOf(await everything(server.database, world.admin), word)).toEqual([])
  expect(existsSync(join(home.dir, String(eve.home)))).toBe(false)
  expect(existsSync(join(home.dir, String(gus.home)))).toBe(true)
  const after = await rowsOfBrand(world.admin, gus.home)
  for (const table of await tablesOf(gus.home)) expect([table, after[table]]).toEqual([table, before[table]])
})
