import type { ActivityEntry } from '@crewhall/contracts/boards/activity.ts'
import type { ActivityRow } from './activity.store.ts'

/** An entry as the feed, streams and webhooks tell it. */
export function presentEntry(row: ActivityRow): ActivityEntry {
  const { id, action, created_at, card_id: task_id, actor, data } = row
  return { id, action, created_at, task_id, actor, data, ...named(row), ...row.told }
}

/** A new card has been telling its ref and title in `data`; they are not kept twice. */
const named = ({ action, data: { ref, title } }: ActivityRow) =>
  action === 'task.created' && typeof ref === 'string' && typeof title === 'string' ? { ref, title } : {}
