import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { redisText } from '@crewhall/testkit/canary.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { type StandInToolServer, startToolServer } from '@crewhall/testkit/tool-server/tool-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll } from 'vitest'
import { adminEnv } from '../identity/admin-verbs.ts'
import { type Content, template } from './catalog-verbs.ts'
import { admin, type Employer, type Hire, hireVerbs } from './hire-verbs.ts'

export const stepNames = ['agent', 'directory', 'sources', 'tools', 'desk', 'first_card', 'record']

/** A server whose hires have directories and packages of a server that somebody else runs. */
export function useBuilds(more: Record<string, string> = {}, kind: 'product' | 'probe' = 'product') {
  const root = mkdtempSync(join(tmpdir(), 'crewhall-hires-'))
  const env = { ...adminEnv, CONVERSATIONS_ROOT: root, OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8', ...more }
  const server = useServer(kind, env)
  const verbs = hireVerbs(server)
  const { at } = verbs
  const servers: StandInToolServer[] = []
  let made = 0
  afterAll(async () => {
    await Promise.all(servers.map((each) => each.close()))
    rmSync(root, { recursive: true, force: true })
  })

  const texts = { title: 'T', description: 'D', publisher: 'P' }
  async function newPackage() {
    const tools = await startToolServer()
    servers.push(tools)
    made += 1
    const key = `of-hires-${made}`
    await at.made(admin, 'POST', '/api/v1/admin/packages', { key, ...texts })
    const publish = (version: string) =>
      at.made(admin, 'POST', `/api/v1/admin/packages/${key}/versions`, {
        version,
        url: tools.url,
        touches: ['All'],
        credential: 'none',
      })
    await publish('1.0.0')
    return {
      key,
      tools,
      publish,
      withdraw: (version: string) =>
        at.call(admin, 'POST', `/api/v1/admin/packages/${key}/versions/${version}/withdraw`),
    }
  }

  const read = async (employer: Employer, hire_id: string): Promise<Hire> =>
    (await verbs.readHire(employer, hire_id)).body
  /** Until the build is over: active, or failed in one of its steps. */
  const until = async (employer: Employer, hire_id: string, is: (hire: Hire) => boolean): Promise<Hire> => {
    let hire = await read(employer, hire_id)
    await waitFor(async () => {
      hire = await read(employer, hire_id)
      return is(hire)
    }, 60_000)
    return hire
  }

  return {
    ...verbs,
    root,
    server,
    env,
    newPackage,
    read,
    until,
    active: (employer: Employer, hire_id: string) =>
      until(employer, hire_id, ({ status }) => status === 'active'),
    /** An employee with everything that an employee can have, on a key of its own. */
    async newWholeEmployee(packages: readonly string[], change: Partial<Content> = {}) {
      const employee = await verbs.create(verbs.newKey(), {
        is_builder: true,
        template: {
          ...template,
          coder_profile: 'claude.hard',
          packages: ['boards', 'memory', ...packages],
          memory_sources: [
            { source_type: 'claude_code', directory: 'sessions/claude' },
            { source_type: 'agentboard', directory: null },
          ],
          files: [...template.files, { name: 'WORKING.md', content: 'By the book.\n' }],
        },
        ...change,
      })
      await verbs.publish(employee.profile_id)
      return employee
    },
    async hired(employer: Employer, profile_id: string): Promise<string> {
      const { status, body } = await verbs.hire(employer, profile_id)
      if (status !== 200) throw new Error(`the hire was answered ${status}: ${JSON.stringify(body)}`)
      return body.hire_id
    },
    eventsOf: async (hire_id: string) =>
      (
        await at.sql<{ type: string; step: string | null }>(
          `select type, data ->> 'step' as step from platform.workspace_events
           where subject_id = $1 order by created_at, id`,
          [hire_id],
        )
      ).map(({ type, step }) => (step === null ? type : `${type} ${step}`)),
    /** Paths of files and of folders without any, below the directory of the workspace. */
    filesOf: ({ brand_id }: Employer) => filesBelow(join(root, String(brand_id))),
    redis: () => redisText(`${server.database.name}:`),
    /** Everything in the workspace that hires bring along, in rows. */
    async rowsOf({ brand_id }: Employer) {
      const listed = async (text: string) =>
        (await at.sql<{ value: string }>(text, [brand_id])).map(({ value }) => value)
      return {
        agents: await listed(
          `select agent_id || ' ' || origin || ' ' || status as value from identity.agents
           where brand_id = $1 order by 1`,
        ),
        services: await listed(
          `select m.agent_id || ' ' || m.status as value from identity.memberships m
           join identity.people p on p.id = m.person_id and p.kind = 'service' where m.brand_id = $1 order by 1`,
        ),
        tokens: await listed(
          `select coalesce(agent_id, '') as value from identity.tokens where brand_id = $1 and agent_id is not null`,
        ),
        sources: await listed(
          `select agent_id || ' ' || source_type || ' ' || coalesce(reader, '-') as value from conversations.sources
           where brand_id = $1 and deleted_at is null order by source_type`,
        ),
        installs: await listed(
          `select package_key || ' ' || origin || ' ' || is_enabled as value from marketplace.installs
           where brand_id = $1 order by 1`,
        ),
        references: await listed(
          `select package_key || ' ' || agent_id || ' ' || hire_id as value from marketplace.install_refs
           where brand_id = $1 order by 1`,
        ),
        desks: await listed(
          `select id || ' ' || coalesce(hired_agent_id, '-') as value from fleet.desks
           where brand_id = $1 order by 1`,
        ),
        records: await listed(
          `select hire_id || ' ' || agent_id || ' ' || cardinality(source_ids) || ' ' || coalesce(directory, '-') as value
           from hires.management_records where brand_id = $1 order by 1`,
        ),
        hires: await listed(
          `select id || ' ' || status || ' ' || coalesce(agent_id, '-') as value from hires.hires
           where brand_id = $1 order by 1`,
        ),
        steps: await listed(
          `select step || ' ' || status || ' ' || attempts as value from hires.build_steps
           where brand_id = $1 order by hire_id, position`,
        ),
      }
    },
  }
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((each) => {
      const path = join(folder, each)
      return !statSync(path).isDirectory() || readdirSync(path).length === 0
    })
    .toSorted()
}
