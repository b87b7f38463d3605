import pg from 'pg'
import { expect, test } from 'vitest'
import { startPrivateServices, usePrivateServices } from './private-services.ts'

const services = usePrivateServices()

async function ask(url: string): Promise<unknown> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query('select 1 as one')).rows[0]
  } finally {
    await client.end()
  }
}

test('a private Postgres answers, is gone after a kill of all its processes, and comes back', async () => {
  const { url } = services.facts.postgres
  expect(await ask(url)).toEqual({ one: 1 })
  await services.signal('postgres', 'SIGKILL')
  // Whoever is on the way in at that moment is reset.
  await expect(ask(url)).rejects.toThrow(/ECONNREFUSED|ECONNRESET/)
  await services.start('postgres')
  expect(await ask(url)).toEqual({ one: 1 })
})

test('two sets of private services do not meet, and a closed set leaves nothing behind', async () => {
  const other = await startPrivateServices()
  expect(other.facts.postgres.port).not.toBe(services.facts.postgres.port)
  expect(await ask(other.facts.postgres.url)).toEqual({ one: 1 })
  await other.close()
  await expect(ask(other.facts.postgres.url)).rejects.toThrow('ECONNREFUSED')
  await expect(other.signal('redis', 'SIGKILL')).rejects.toThrow()
})
