import { argv } from 'node:process'
import { createDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { readSeeded, seedBoards, sizesOf } from '@crewhall/testkit/seeded-boards.ts'
import { runProcess } from '@crewhall/testkit/server-process.ts'

/** Creates the database with the tables of the product and fills it. It is the caller's to drop. */
export async function createSeeded(name: string, scale: number): Promise<TestDatabase> {
  const database = await createDatabase(name)
  try {
    const env = { DATABASE_OWNER_URL: database.owner_url }
    await runProcess({ entry: 'apps/server/src/migrate.ts', database_url: database.url, env })
    await seedBoards(name, sizesOf(scale))
    return database
  } catch (error) {
    await database.drop()
    throw error
  }
}

if (import.meta.main) {
  const given = (flag: string) => argv.find((each) => each.startsWith(`--${flag}=`))?.split('=')[1]
  const name = given('database')
  if (!name) throw new Error('node bench/boards-seed.ts --database=name [--scale=1]')
  const began = performance.now()
  await createSeeded(name, Number(given('scale') ?? 1))
  console.log(
    `${name} was filled in ${((performance.now() - began) / 1000).toFixed(0)} s`,
    await readSeeded(name),
  )
}
