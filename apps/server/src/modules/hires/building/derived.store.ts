import { derivedTable } from '#platform/db/derived.ts'

const open = `(select count(*)::int from hires.build_steps s
   where s.brand_id = t.brand_id and s.hire_id = t.id and s.status not in ('done', 'skipped'))`
const record = `(select m.agent_id from hires.management_records m
   where m.brand_id = t.brand_id and m.hire_id = t.id)`

/** What `npm run verify-data` looks at: a hire that is built has everything, one that is not has no record. */
export const derivedOfBuilds = [
  derivedTable({
    table: 'hires.hires',
    rows: 500,
    truths: {},
    faults: {
      steps: `case when t.status <> 'provisioning' then nullif(${open}, 0) end`,
      record: `case when t.status = 'active' and ${record} is distinct from t.agent_id then coalesce(${record}, '')
         when t.status = 'provisioning' then ${record} end`,
    },
  }),
]
