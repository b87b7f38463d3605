import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { WorldServer } from '@crewhall/testkit/world/workspace.ts'
import { type Memory, MemoryWorkspace } from './memory-world.ts'

export interface Merged extends Memory {
  readonly merged_into: string | null
  readonly evidence: readonly string[]
}
export interface Stats {
  readonly total_active: number
  readonly total_archived: number
  readonly total_merged: number
  readonly by_kind: Readonly<Record<string, number>>
}
export interface Change {
  readonly version: number
  readonly action: string
  readonly reason: string | null
  readonly actor: { readonly kind: string; readonly id: string }
  readonly created_at: string
}

/** A workspace whose learnings a worker consolidates. */
export class LearningWorkspace extends MemoryWorkspace {
  static override async open(server: WorldServer, agent = 'build-bot'): Promise<LearningWorkspace> {
    return new LearningWorkspace(server, await MemoryWorkspace.open(server, agent))
  }

  /** The same workspace with an agent of its own. */
  async withAgent(agent: string): Promise<LearningWorkspace> {
    await this.newAgent(agent)
    return this.as(agent)
  }

  as(agent: string): LearningWorkspace {
    return new LearningWorkspace(this.server, { ...this, agent })
  }

  learn(title: string, tags: readonly string[], more: object = {}): Promise<Memory> {
    return this.add({ kind: 'learning', title, body: `What we know about ${title}.`, tags, ...more })
  }

  /** One after the other, so that their order is known. */
  async learnAll(titles: readonly string[], tags: readonly string[], more: object = {}): Promise<Memory[]> {
    const learned: Memory[] = []
    for (const title of titles) learned.push(await this.learn(title, tags, more))
    return learned
  }

  async get(id: string): Promise<Merged> {
    return (await this.call<Merged>('GET', `/memories/${id}`)).body
  }

  async list(query: Readonly<Record<string, string>>): Promise<readonly Merged[]> {
    const asked = new URLSearchParams({ agent_id: this.agent, limit: '100', ...query })
    return (await this.call<{ memories: Merged[] }>('GET', `/memories?${asked}`)).body.memories
  }

  /** Active ones, the newest first. */
  patterns(): Promise<readonly Merged[]> {
    return this.list({ kinds: 'pattern', status: 'active' })
  }

  async stats(): Promise<Stats> {
    return (await this.call<Stats>('GET', `/memories/stats?agent_id=${this.agent}`)).body
  }

  async changes(id: string): Promise<readonly Change[]> {
    return (await this.call<{ changes: Change[] }>('GET', `/memories/${id}/history`)).body.changes
  }

  unmerge(id: string, body: object = {}) {
    return this.call<{ pattern_id: string; memory_ids: string[] }>('POST', `/memories/${id}/unmerge`, body)
  }

  /** Nothing that was written before is still to be looked at. */
  async looked(): Promise<void> {
    await waitFor(async () => {
      const due = await this.world.sql(
        `select 1 from memory.tag_uses where brand_id = $1 and is_due
         union all select 1 from memory.merges where brand_id = $1 and is_stale limit 1`,
        [this.brand_id],
      )
      return due.length === 0
    }, 60_000)
  }

  /** The only pattern of the agent, once there is one. */
  async pattern(): Promise<Merged> {
    await this.looked()
    const patterns = await this.patterns()
    if (patterns.length !== 1 || !patterns[0]) throw new Error(`there are ${patterns.length} patterns`)
    return this.get(patterns[0].id)
  }
}
