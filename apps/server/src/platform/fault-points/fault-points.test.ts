import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expect, onTestFinished, test } from 'vitest'
import { faultPointsOf } from '#platform/fault-points/fault-points.ts'

/** A process that reaches the points in order and says which it has passed. */
function walk(plan: string, points: readonly string[]) {
  const source = `
    import { faultPointsOf } from ${JSON.stringify(join(import.meta.dirname, 'fault-points.ts'))}
    import { writeSync } from 'node:fs'
    const point = faultPointsOf(${JSON.stringify(plan)})
    for (const name of ${JSON.stringify(points)}) { await point(name); writeSync(1, name + ' ') }`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  let passed = ''
  child.stdout.on('data', (bytes) => {
    passed += bytes
  })
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, passed: passed.trim() }))
  return { child, ended, passed: () => passed.trim() }
}

test('a process kills itself at the named point, the named time', async () => {
  const { ended } = walk('b:kill@2', ['a', 'b', 'a', 'b', 'c'])
  expect(await ended).toEqual({ code: null, signal: 'SIGKILL', passed: 'a b a' })
})

test('a process freezes at the named point and goes on when it is thawed', async () => {
  const { child, ended, passed } = walk('b:stop@1', ['a', 'b', 'c'])
  await waitFor(() => readFileSync(`/proc/${child.pid}/stat`, 'utf8').includes(') T '), 20_000)
  expect(passed()).toBe('a')
  child.kill('SIGCONT')
  expect(await ended).toEqual({ code: 0, signal: null, passed: 'a b c' })
})

test('a plan with several faults follows each of them', async () => {
  const { ended } = walk('x:kill@1, c:kill@1', ['a', 'b', 'c', 'd'])
  expect(await ended).toMatchObject({ signal: 'SIGKILL', passed: 'a b' })
})

test('a plan in a file counts from when it was written there', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'crewhall-plan-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const file = join(dir, 'plan')
  writeFileSync(file, '')
  const first = walk(`@${file}`, ['a', 'b', 'b'])
  expect(await first.ended).toMatchObject({ signal: null, passed: 'a b b' })
  writeFileSync(file, 'b:kill@2')
  const second = walk(`@${file}`, ['a', 'b', 'b'])
  expect(await second.ended).toMatchObject({ signal: 'SIGKILL', passed: 'a b' })
  writeFileSync(file, '')
  const point = faultPointsOf(`@${file}`)
  await point('b')
  writeFileSync(file, 'c:kill@1')
  await point('b')
  writeFileSync(file, 'c:explode@1')
  await expect(point('b')).rejects.toThrow('not a fault')
})

test('without a plan every point passes', async () => {
  const point = faultPointsOf(undefined)
  await expect(point('jobs.effect')).resolves.toBeUndefined()
})

test.for(['jobs.effect', 'jobs.effect:kill', 'jobs.effect:explode@1', 'jobs.effect:kill@0', ':kill@1'])(
  'the plan %s is refused',
  (plan) => {
    expect(() => faultPointsOf(plan)).toThrow('not a fault')
  },
)
