import * as fs from 'node:fs'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expect, test } from 'vitest'
import { AgentFile, agentFilesDir } from '../../memory/export-world.ts'
import type { MemoryWorkspace } from '../../memory/memory-world.ts'
import { erasureEnv, useErasureWorld } from './erasure-world.ts'

const dir = agentFilesDir()
const root = agentFilesDir()
const server = useServer('product', { ...erasureEnv, AGENT_FILES_DIR: dir, CONVERSATIONS_ROOT: root })
const world = useErasureWorld(server)

test('the erasure of a workspace takes the files of its agents and the directories of its hires along, and no other file', async () => {
  const [eve, gus] = [await world.signUp('Eve', 'Gone'), await world.signUp('Gus', 'Stays')]
  const files: AgentFile[] = []
  for (const person of [eve, gus]) {
    for (const folder of ['hires/one/sessions', 'sessions']) {
      fs.mkdirSync(`${root}/${person.home}/${folder}`, { recursive: true })
      fs.writeFileSync(`${root}/${person.home}/${folder}/a.txt`, 'x')
    }
    for (const agent_id of ['one', 'two']) {
      await world.made(person, 'POST', '/agents', { agent_id, name: agent_id })
      const memory = { agent_id, kind: 'fact', title: 'T', body: 'CANARY' }
      await world.made(person, 'POST', '/memory/memories', memory)
      files.push(new AgentFile(dir, { brand_id: person.home, agent: agent_id } as MemoryWorkspace))
    }
  }
  await world.admin.query(`update jobs.schedules set next_at = now() where name = 'memory.export'`)
  const worker = await server.start('worker')
  await waitFor(() => files.every(({ text }) => text.includes('CANARY')), 60_000)
  const [one, two, ...others] = files
  fs.writeFileSync(`${two?.folder}/own.txt`, 'x')
  await world.made(eve, 'POST', `/brands/${eve.home}/erasure`, { name: 'Gone' })
  await world.admin.query('update identity.brand_erasures set due_at = now() where brand_id = $1', [eve.home])
  await world.admin.query(`update jobs.schedules set next_at = now() where name = 'identity.start-erasures'`)
  await world.done(`brands/${eve.home}`)
  await worker.stop()
  expect(fs.existsSync(one?.folder ?? '')).toBe(false)
  expect(fs.readdirSync(two?.folder ?? '')).toEqual(['own.txt'])
  for (const { text } of others) expect(text).toContain('CANARY')
  // Directories of hires are ours; beside them lies what others keep for conversations.
  expect(fs.readdirSync(`${root}/${eve.home}`)).toEqual(['sessions'])
  expect(fs.existsSync(`${root}/${gus.home}/hires/one/sessions/a.txt`)).toBe(true)
})
