import type { Runtime } from '@crewhall/contracts/fleet/desk.ts'

const runtimes: ReadonlyMap<string, Runtime> = new Map([
  ['claude', 'claude_code'],
  ['codex', 'codex'],
])

/** The runtime of a desk for a coder profile such as `claude.hard`. */
export const runtimeOf = (coder_profile: string): Runtime =>
  runtimes.get(coder_profile.split('.', 1)[0] ?? '') ?? 'custom'
