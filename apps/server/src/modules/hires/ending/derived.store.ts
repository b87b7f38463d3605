import { derivedTable } from '#platform/db/derived.ts'

const references = 'hires.count_references(t.brand_id, t.id)'

/** What `npm run verify-data` compares with the truth. */
export const derivedOfHires = [
  derivedTable({
    table: 'hires.hires',
    rows: 1000,
    truths: { current_period_end: 'hires.period_end(t.created_at, t.periods)' },
    faults: {
      // Tools come and go with the hire: one that has ended refers to none, one that runs to all that it was built with.
      references: `case
        when t.ended_at is not null then nullif(${references}, 0)
        when t.status <> 'provisioning' then (select nullif(cardinality(m.packages) - ${references}, 0)
          from hires.management_records m where m.brand_id = t.brand_id and m.hire_id = t.id)
      end`,
    },
  }),
]
