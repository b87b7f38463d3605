import type { DeskState } from '@crewhall/contracts/fleet/desk.ts'
import type { HealthEvent } from '@crewhall/contracts/fleet/health.ts'
import { environmentStatusOf } from '../desks/desk-status.rules.ts'
import type { HealthEventRow } from './timeline.store.ts'

const presentEvent = (row: HealthEventRow): HealthEvent => ({
  at: row.created_at,
  kind: row.kind,
  from_status: environmentStatusOf(row.from_state),
  status: environmentStatusOf(row.state),
  cause: row.cause,
  misses: row.misses,
  latency_ms: row.latency_ms,
})

export const presentHealth = (
  { state, is_flapping }: { readonly state: DeskState; readonly is_flapping: boolean },
  events: readonly HealthEventRow[],
) => ({ status: environmentStatusOf(state), flapping: is_flapping, events: events.map(presentEvent) })
