import { parseArgs } from 'node:util'
import { apiAs } from './demo-api.ts'
import { type Scene, workAs } from './demo-crew.ts'
import type { Team } from './demo-fill.ts'
import { keepOffice } from './demo-office.ts'
import { Pace } from './demo-pace.ts'
import { agentNames } from './demo-people.ts'
import { type DemoState, readState, stateFileFor, writeState } from './demo-state.ts'
import { defaultUrl, findWorkspace, foundWorkspace, revokeTokens } from './demo-workspace.ts'

/**
 * Fills a workspace of the running server with a software team, and lets scripted agents work on it until it is stopped. It
 * uses the public API and the letters that people get; only the first platform admin is made as an operator makes one.
 */
const { values } = parseArgs({
  options: {
    'base-url': { type: 'string', default: defaultUrl },
    /** Times faster than people work. */
    pace: { type: 'string', default: '1' },
    /** Remembers the workspace of this demo. */
    state: { type: 'string' },
    /** Only the workspace, without the crew. */
    still: { type: 'boolean', default: false },
  },
})
const base_url = values['base-url'].replace(/\/$/, '')
const stateFile = values.state ?? stateFileFor(base_url)
const say = (line: string) => console.log(`${new Date().toLocaleTimeString('en-GB')}  ${line}`)

await refuseProduction()
const { state, team } = await workspace()
console.log(`
  Dashboard  ${base_url}/dashboard/
  E-mail     ${state.email}
  Password   ${state.password}
`)
if (!values.still) {
  const pace = new Pace(Number(values.pace))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => pace.stop())
  say('The crew is at work. Stop it with Ctrl-C; the workspace stays.')
  const scene: Scene = { team, boards: state.boards, pace, say }
  const parts = [...agentNames.map((name) => workAs(name, scene)), keepOffice(scene)]
  const results = await Promise.allSettled(
    parts.map((part) =>
      part.catch((error: unknown) => {
        pace.stop()
        throw error
      }),
    ),
  )
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) leave(`The demo has stopped: ${failed.reason}`)
}
await revokeTokens(base_url, state.brand_id, team.people.tomas)

async function refuseProduction(): Promise<void> {
  const info = await apiAs(base_url, undefined)
    .system.getInfo()
    .catch(() => undefined)
  if (!info) leave(`No server at ${base_url}. Start one with \`npm run dev\`.`)
  if (info.body.environment === 'production')
    leave('This is a production server; the demo writes nothing there.')
}

async function workspace(): Promise<{ state: DemoState; team: Team }> {
  const known = readState(stateFile)
  if (known && known.base_url === base_url) {
    const found = await findWorkspace(known)
    if (found === 'foreign')
      leave(
        `Workspace ${known.brand_id} is not the one that this demo has made, so it writes nothing there.\nRemove ${stateFile} to begin with a new one.`,
      )
    if (found !== 'gone') return { state: known, team: found }
  }
  say('Making a workspace')
  const made = await foundWorkspace(base_url, say)
  writeState(stateFile, made.state)
  return made
}

function leave(message: string): never {
  console.error(message)
  process.exit(1)
}
