import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const processes = 4
const each = 60

test('processes that look for ports at the same time never get the same one', async () => {
  // They hold what they have until all are done; their ranges begin beside each other.
  const work = `
    import { freePort } from ${JSON.stringify(join(import.meta.dirname, 'free-port.ts'))}
    const ports = []
    while (ports.length < ${each}) ports.push(await freePort())
    console.log(ports.join())
    process.stdin.resume()`
  const started = Array.from({ length: processes }, () => {
    const running = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', work])
    const told = new Promise<void>((done) => running.child.stdout?.once('data', () => done()))
    return { running, told }
  })
  await Promise.all(started.map(({ told }) => told))
  for (const { running } of started) running.child.stdin?.end()
  const outputs = await Promise.all(started.map(({ running }) => running))
  const ports = outputs.flatMap(({ stdout }) => stdout.trim().split(','))
  expect(ports).toHaveLength(processes * each)
  expect(new Set(ports).size).toBe(processes * each)
})
