import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { run, tailOf, waitUntil } from './commands.ts'
import type { RedisFacts, ServiceFacts } from './facts.ts'
import type { Part } from './part.ts'
import { listProcesses, type ProcessMatch, readPid } from './processes.ts'

export function makeRedisPart({ redis: facts }: ServiceFacts): Part {
  const match: ProcessMatch = { program: /\/redis-(server|check-rdb)/, dirs: [facts.dir] }
  return {
    name: 'redis',
    address: `${facts.host}:${facts.port}`,
    packages: ['redis-server'],
    pidFiles: [facts.pid_file],
    match,
    stopSignal: 'SIGTERM',
    dir: facts.dir,
    start: () => start(facts, match),
    isReady: () => answersPing(facts),
  }
}

async function start(facts: RedisFacts, match: ProcessMatch): Promise<void> {
  const pid = readPid(facts.pid_file)
  if (!listProcesses(match).some((entry) => entry.pid === pid)) {
    mkdirSync(facts.dir, { recursive: true })
    const config = join(facts.dir, 'redis.conf')
    writeFileSync(config, settings(facts))
    await run('redis-server', [config])
  }
  if (!(await waitUntil(() => answersPing(facts), 30_000)))
    throw new Error(`Redis did not start (${facts.log_file}):\n${tailOf(facts.log_file)}`)
}

const settings = (facts: RedisFacts): string => `bind ${facts.host}
port ${facts.port}
protected-mode yes
daemonize yes
supervised no
dir "${facts.dir}"
pidfile "${facts.pid_file}"
logfile "${facts.log_file}"
appendonly yes
appendfsync everysec
maxmemory 512mb
maxmemory-policy noeviction
`

/** PONG comes only when the append-only file is loaded; before that the answer is an error. */
function answersPing(facts: RedisFacts): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(facts.port, facts.host, () => socket.write('PING\r\n'))
    const settle = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(2_000, () => settle(false))
    socket.on('error', () => settle(false))
    socket.on('data', (chunk) => settle(chunk.toString().startsWith('+PONG')))
    socket.on('close', () => resolve(false))
  })
}
