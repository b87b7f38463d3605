import type { CanceledAtPeriodEnd, CanceledNow } from '@crewhall/contracts/hires/cancel.ts'
import type { CanceledRow } from './ending.store.ts'

export const presentCanceledLater = (row: CanceledRow): CanceledAtPeriodEnd => ({
  hire_id: row.id,
  status: 'canceled',
  cancel_at_period_end: true,
  effective_at: row.effective_at,
  marketplace_disable_at: row.marketplace_disable_at,
})

export const presentCanceledNow = (row: CanceledRow, management_record_deleted: boolean): CanceledNow => ({
  hire_id: row.id,
  status: 'canceled',
  effective_at: row.effective_at,
  marketplace_disable_at: row.marketplace_disable_at,
  installs_disabled: row.installs_disabled ?? 0,
  installs_retained: row.installs_retained ?? 0,
  management_record_deleted,
  gateway_entry_removed: false,
  agent_torn_down: false,
})
