import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expect, onTestFinished, test } from 'vitest'
import { stepsOf } from '#platform/steps/steps.ts'

/** A process that reaches the steps in order and says which it has passed. */
function walk(plan: string, steps: readonly string[]) {
  const source = `
    import { stepsOf } from ${JSON.stringify(join(import.meta.dirname, 'steps.ts'))}
    import { writeSync } from 'node:fs'
    const step = stepsOf(${JSON.stringify(plan)})
    for (const name of ${JSON.stringify(steps)}) { await step(name); writeSync(1, name + ' ') }`
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

test('a process kills itself at the named step, the named time', async () => {
  const { ended } = walk('b:kill@2', ['a', 'b', 'a', 'b', 'c'])
  expect(await ended).toEqual({ code: null, signal: 'SIGKILL', passed: 'a b a' })
})

test('a process freezes at the named step and goes on when it is thawed', async () => {
  const { child, ended, passed } = walk('b:stop@1', ['a', 'b', 'c'])
  await waitFor(() => readFileSync(`/proc/${child.pid}/stat`, 'utf8').includes(') T '), 5000)
  expect(passed()).toBe('a')
  child.kill('SIGCONT')
  expect(await ended).toEqual({ code: 0, signal: null, passed: 'a b c' })
})

test('a plan with several faults follows each of them', async () => {
  const { ended } = walk('x:kill@1, c:kill@1', ['a', 'b', 'c', 'd'])
  expect(await ended).toMatchObject({ signal: 'SIGKILL', passed: 'a b' })
})

test('without a plan every step passes', async () => {
  const step = stepsOf(undefined)
  await expect(step('jobs.effect')).resolves.toBeUndefined()
})

test.for(['jobs.effect', 'jobs.effect:kill', 'jobs.effect:explode@1', 'jobs.effect:kill@0', ':kill@1'])(
  'the plan %s is refused',
  (plan) => {
    expect(() => stepsOf(plan)).toThrow('not a fault')
  },
)
