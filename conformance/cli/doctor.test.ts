import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace } from '../boards/board-workspace.ts'
import { useCommandLine } from './command-line.ts'
import { sendJson, useStandIns } from './stand-in.ts'

const server = useSharedServer('product')
const newPerson = useCommandLine()
const standIn = useStandIns()
let workspace: BoardWorkspace
let board: Board
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  board = await workspace.board()
})

interface Finding {
  readonly check: string
  readonly state: string
  readonly told: string
  readonly remedy: string
}
const signedIn = (more: Record<string, string> = {}) =>
  newPerson({
    CREWHALL_HOST: server.api.url,
    CREWHALL_TOKEN: workspace.token,
    CREWHALL_BOARD: board.key,
    ...more,
  })
const findings = (out: string) => (JSON.parse(out) as { findings: Finding[] }).findings

test('doctor looks at everything, one line each, and ends with 0 where nothing is broken', async () => {
  const { code, out } = await signedIn().run(['doctor', '-o', 'json'])
  const all = findings(out)
  expect(all.map(({ check }) => check)).toEqual([
    'program',
    'host',
    'encryption',
    'service',
    'health',
    'time',
    'sign-in',
    'scopes',
    'end',
    'board',
  ])
  expect([code, all.filter(({ state }) => state === 'failed')]).toEqual([0, []])
  expect(out).not.toContain(workspace.token)
  const lines = (await signedIn().run(['doctor'])).out.trimEnd().split('\n')
  expect(lines.length).toBe(all.length)
})

test.each([
  ['a service that is not there', { CREWHALL_HOST: 'http://127.0.0.1:2' }, 'service'],
  ['a token that has ended', { CREWHALL_TOKEN: `ch_${'x'.repeat(40)}` }, 'sign-in'],
  ['a board that is gone', { CREWHALL_BOARD: 'NOSUCH' }, 'board'],
])('doctor ends with 1 and a remedy for %s', async (_, more, check) => {
  const { code, out } = await signedIn(more).run(['doctor', '-o', 'json', '--timeout', '5'])
  const found = findings(out).find((each) => each.check === check)
  expect([code, found?.state]).toEqual([1, 'failed'])
  expect(found?.remedy).not.toBe('')
})

/** A service that knows many lessons, some with wide characters. */
const manyLessons = (asked: unknown[]): Promise<string> =>
  standIn((_, response, body) => {
    asked.push(JSON.parse(body))
    const lessons = Array.from({ length: 100 }, (_, n) => ({
      id: `engine/carry-${n}`,
      title: `Lesson ${n}`,
      body: `第${n}課 ${'Never round before the carry. '.repeat(20)}`,
    }))
    sendJson(response, 200, { lessons })
  })

test('prime is the workflow and the lessons near changed files, in at most 8 KB', async () => {
  const asked: unknown[] = []
  const host = await manyLessons(asked)
  const person = newPerson({ CREWHALL_HOST: host, CREWHALL_TOKEN: 'x'.repeat(40) })
  const folder = join(person.home, 'repository')
  mkdirSync(join(folder, 'src'), { recursive: true })
  execFileSync('git', ['init', '-q'], { cwd: folder })
  writeFileSync(join(folder, 'src/carry.ts'), '')
  writeFileSync(join(folder, 'src/größe.ts'), '')
  const project = '3f8a6c1e-52d4-4b7a-9c0e-1a2b3c4d5e6f'
  const { code, out } = await person.run(['prime', '--project', project], { cwd: folder })
  expect(asked).toEqual([{ project_id: project, paths: ['src/carry.ts', 'src/größe.ts'] }])
  expect([code, out.startsWith('# How to work with Crewhall\n')]).toEqual([0, true])
  expect(out).toContain('Lesson 0')
  expect(out).toContain('[cut to 8 KB')
  expect(out).not.toContain('\ufffd')
  expect(Buffer.byteLength(out)).toBeGreaterThan(7000)
  expect(Buffer.byteLength(out)).toBeLessThanOrEqual(8192)
})

test('prime says how to work also where there is no service, and that lessons are missing', async () => {
  const person = newPerson()
  expect((await person.run(['prime'])).out).toContain('crewhall next --claim')
})
