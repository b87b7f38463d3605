import { readFileSync } from 'node:fs'
import Fastify from 'fastify'
import pg from 'pg'

/** What any Node service pays: Fastify and the driver, one named statement, nothing of ours. */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL ?? '', max: 10 })
const app = Fastify()
const text = 'select "id", "name", "created_at" from "probe"."rows" where "id" = $1'

app.get<{ Params: { id: string } }>('/api/v1/probe/rows/:id', async (request) => {
  const { rows } = await pool.query({ name: 'find-row', text, values: [Number(request.params.id)] })
  return rows[0]
})
// The very bytes that our list answers with, after one indexed read.
let profiles: string | undefined
app.get('/api/v1/factory/coder-profiles', async (_, reply) => {
  await pool.query({ name: 'find-row', text, values: [500] })
  profiles ??= readFileSync(process.env.BENCH_PROFILES_FILE ?? '', 'utf8')
  return reply.type('application/json; charset=utf-8').send(profiles)
})
app.get('/api/v1/system/info', async () => ({
  name: 'bare',
  version: '0.1.0',
  environment: 'production',
  docs_url: '/',
}))

await app.listen({ host: '127.0.0.1', port: Number(process.env.HTTP_PORT) })
process.once('SIGTERM', async () => {
  await app.close()
  await pool.end()
})
