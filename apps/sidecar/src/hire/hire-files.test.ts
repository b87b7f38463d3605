import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DeskHire } from '@crewhall/contracts/hires/credentials.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { agentEnv, HireFiles } from './hire-files.ts'

let folder = ''
let place: { env_id: string; state_dir: string; workspaces_dir: string }
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hire-'))
  place = { env_id: randomUUID(), state_dir: folder, workspaces_dir: join(folder, 'srv') }
})
afterEach(() => rm(folder, { recursive: true }))

const hire: DeskHire = {
  hire_id: '3f8a6c1e-52d4-4b7a-9c0e-1a2b3c4d5e6f',
  agent_id: 'builder',
  mcp_url: 'https://crew.example/mcp/agents/builder',
  revision: 3,
  token: 'chp_not-a-real-one',
  coder_profile: 'claude.hard',
  workspace_path: '/srv/crewhall/ab12cd34',
  files: [
    { name: 'PERSONA.md', content: '# Builder\n' },
    { name: 'DESK.md', content: '# Desk\n' },
  ],
}
const inFolder = (name: string) => join(folder, 'srv', 'ab12cd34', 'agent', name)
const there = async () => (await readdir(inFolder(''))).sort()

test('token and files are written for their owner alone, and the record holds no secret', async () => {
  const files = new HireFiles(place)
  expect(await files.revision()).toBeUndefined()
  await files.write(hire)
  expect(await files.revision()).toBe(3)
  expect(await there()).toEqual(['.agent.json', '.token', 'DESK.md', 'PERSONA.md'])
  for (const name of await there()) expect((await stat(inFolder(name))).mode & 0o777).toBe(0o600)
  expect(await readFile(inFolder('.token'), 'utf8')).toBe(`${hire.token}\n`)
  expect(await readFile(join(folder, 'hire.json'), 'utf8')).not.toContain('chp_')
  const { CREWHALL_AGENT = '' } = await agentEnv(folder, place.workspaces_dir)
  expect(JSON.parse(await readFile(CREWHALL_AGENT, 'utf8'))).toEqual({
    agent_id: 'builder',
    mcp_url: hire.mcp_url,
    coder_profile: 'claude.hard',
    token_file: inFolder('.token'),
  })
})

test('another revision replaces all of it, and takes away what the employee has no more', async () => {
  const files = new HireFiles(place)
  await files.write(hire)
  await writeFile(inFolder('notes.md'), 'of the team')
  const next = { ...hire, revision: 4, token: 'chp_another', files: hire.files.slice(0, 1) }
  await files.write(next)
  expect(await there()).toEqual(['.agent.json', '.token', 'PERSONA.md', 'notes.md'])
  expect([await files.revision(), await readFile(inFolder('.token'), 'utf8')]).toEqual([4, 'chp_another\n'])
})

test('when the employee leaves, the credential is gone and what it knew of its work stays', async () => {
  const files = new HireFiles(place)
  expect(await files.remove()).toBe(false)
  await files.write(hire)
  expect([await files.remove(), await files.remove()]).toEqual([true, false])
  expect(await there()).toEqual(['DESK.md', 'PERSONA.md'])
  expect([await files.revision(), await agentEnv(folder, place.workspaces_dir)]).toEqual([undefined, {}])
})

test('a token that somebody removed, and what was fetched as another desk, count as missing', async () => {
  const files = new HireFiles(place)
  await files.write(hire)
  expect(await new HireFiles({ ...place, env_id: randomUUID() }).revision()).toBeUndefined()
  await rm(inFolder('.token'))
  expect(await files.revision()).toBeUndefined()
})

test('a write that did not get to its end counts as missing', async () => {
  const files = new HireFiles(place)
  await files.write(hire)
  // A folder cannot be replaced by a file.
  await rm(inFolder('PERSONA.md'))
  await mkdir(inFolder('PERSONA.md'))
  await expect(files.write({ ...hire, revision: 4 })).rejects.toThrow()
  expect(await files.revision()).toBeUndefined()
  expect(await there()).not.toContain('.token')
})

test.each(['../PERSONA.md', 'a/b', '.token', '..', '', 'x'.repeat(101)])(
  'the service cannot name a file %j',
  async (name) => {
    const files = new HireFiles(place)
    await expect(files.write({ ...hire, files: [{ name, content: 'x' }] })).rejects.toThrow()
    expect(await files.revision()).toBeUndefined()
  },
)

test.each(['/srv/crewhall/..', '/etc/', '/srv/crewhall/.ssh', ''])(
  'the service cannot choose the workspace %j',
  async (workspace_path) => {
    await expect(new HireFiles(place).write({ ...hire, workspace_path })).rejects.toThrow()
    expect(await readdir(folder)).toEqual([])
  },
)

test('no link is followed, neither of the folder nor of a file', async () => {
  const files = new HireFiles(place)
  const outside = join(folder, 'outside')
  await mkdir(outside)
  await files.write(hire)
  await rename(inFolder(''), join(folder, 'moved'))
  await symlink(outside, join(folder, 'srv', 'ab12cd34', 'agent'))
  await expect(files.write({ ...hire, revision: 4 })).rejects.toThrow('is a link or a file')
  await expect(files.remove()).rejects.toThrow('is a link or a file')
  expect(await readdir(outside)).toEqual([])
  await rm(join(folder, 'srv', 'ab12cd34', 'agent'))
  await mkdir(inFolder(''), { recursive: true })
  await writeFile(join(outside, 'victim'), 'mine')
  for (const name of ['.token', 'PERSONA.md']) await symlink(join(outside, 'victim'), inFolder(name))
  await files.write({ ...hire, revision: 5 })
  expect(await readFile(join(outside, 'victim'), 'utf8')).toBe('mine')
  expect((await stat(inFolder('.token'))).isFile()).toBe(true)
})
