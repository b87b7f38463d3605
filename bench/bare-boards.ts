import { readFileSync } from 'node:fs'
import Fastify from 'fastify'
import pg from 'pg'

/**
 * Fastify and the driver: each route sends the statements it was given, all at once, and answers their rows as
 * JSON. It logs in as the product does and stands in its workspace, so that the same policies hold.
 */
interface BareRoute {
  readonly path: string
  readonly statements: readonly { readonly name: string; readonly text: string; readonly values: unknown[] }[]
}
const { brand_id, routes } = JSON.parse(readFileSync(process.env.BENCH_BOARDS_FILE ?? '', 'utf8')) as {
  brand_id: number
  routes: BareRoute[]
}
// By default the driver makes a Date of every timestamp and Fastify a text of it again. Without that the bare
// server is up to half as fast again: the hardest comparison there is.
if (process.env.BENCH_TEXT_TIMES === 'true') {
  pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (value) => value)
}

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL ?? '',
  max: Number(process.env.DATABASE_POOL_SIZE),
  options: `-c app.brand_id=${brand_id} -c TimeZone=UTC`,
})
const app = Fastify()
for (const { path, statements } of routes) {
  const [only] = statements
  app.get(path, async () => {
    if (only && statements.length === 1) return (await pool.query({ ...only })).rows
    const results = await Promise.all(statements.map((each) => pool.query({ ...each })))
    return results.map(({ rows }) => rows)
  })
}
app.get('/api/v1/system/info', async () => ({ name: 'bare' }))

await app.listen({ host: '127.0.0.1', port: Number(process.env.HTTP_PORT) })
process.once('SIGTERM', async () => {
  await app.close()
  await pool.end()
})
