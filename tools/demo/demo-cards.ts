import type { NewCard } from '@crewhall/contracts/boards/cards.ts'
import type { AgentName, PersonName } from './demo-people.ts'

type Anybody = PersonName | AgentName

export interface DemoRun {
  readonly by: AgentName
  readonly status: 'succeeded' | 'failed' | 'canceled'
  readonly cents: number
  readonly summary: string
  readonly reason?: string
}

export interface DemoCard
  extends Pick<NewCard, 'title' | 'description' | 'task_type' | 'priority' | 'labels' | 'estimate'> {
  readonly column: string
  /** How many of `done_when` are checked. */
  readonly checked?: number
  readonly done_when?: readonly string[]
  readonly assignee?: Anybody
  readonly delegate?: AgentName
  readonly profile?: string
  readonly blocked_reason?: string
  readonly pr?: readonly [number, 'draft' | 'open' | 'merged']
  readonly branch?: string
  readonly comments?: readonly (readonly [Anybody, string])[]
  readonly runs?: readonly DemoRun[]
  /** Titles begin with this: the card waits for that one. */
  readonly after?: string
  /** Who goes on with it as soon as the crew starts. */
  readonly opening?: AgentName
  readonly due_in_days?: number
  /** Somebody has begun and is gone: the lease runs out. */
  readonly abandoned_by?: AgentName
}

const hour = (cents: number, by: AgentName, summary: string): DemoRun => ({
  by,
  status: 'succeeded',
  cents,
  summary,
})

export const dispatchCards: readonly DemoCard[] = [
  {
    title: 'Price tolls from the plan, not the trace',
    column: 'Done',
    priority: 'high',
    labels: ['billing'],
    assignee: 'marlow',
    pr: [804, 'merged'],
    branch: 'fix/toll-source',
    runs: [hour(192, 'marlow', 'Tolls come from the plan. 41 invoices of July recalculated, 0 differ.')],
  },
  {
    title: 'Add idempotency keys to `POST /plans`',
    column: 'Done',
    priority: 'high',
    labels: ['api'],
    assignee: 'tomas',
    pr: [799, 'merged'],
    branch: 'feat/plan-keys',
  },
  {
    title: 'Write the carrier onboarding guide',
    column: 'Done',
    task_type: 'docs',
    priority: 'low',
    assignee: 'juno',
    pr: [801, 'merged'],
    runs: [hour(34, 'juno', 'Six steps, each tried on a new account.')],
  },
  {
    title: 'Find why depot 14 plans twice at midnight',
    column: 'Done',
    task_type: 'research',
    priority: 'high',
    labels: ['planning'],
    assignee: 'marlow',
    runs: [
      {
        by: 'marlow',
        status: 'failed',
        cents: 140,
        summary: 'Could not repeat it.',
        reason: 'No trace of that night',
      },
      hour(320, 'marlow', 'The depot clock is 38 s ahead, so the day begins twice.'),
    ],
    comments: [
      ['priya', 'Is it only depot 14?'],
      ['marlow', 'Depots 14 and 22. Both keep their own clock.'],
      ['tomas', 'Then compare versions, not times. Thanks.'],
    ],
  },
  {
    title: 'Drop the legacy zone cache',
    column: 'Done',
    priority: 'low',
    assignee: 'wren',
    pr: [795, 'merged'],
    runs: [hour(58, 'wren', 'Nothing read it since September.')],
  },
  {
    title: 'Draw the plan states for the handbook',
    column: 'Done',
    task_type: 'design',
    priority: 'low',
    assignee: 'anna',
    comments: [['ines', 'The arrow from "offered" to "expired" was missing. It is in now.']],
  },
  {
    title: 'Round ETAs down, never up',
    column: 'Done',
    priority: 'medium',
    assignee: 'marlow',
    pr: [790, 'merged'],
    runs: [hour(44, 'marlow', 'ETAs round down to the minute; 12 tests changed.')],
  },
  {
    title: 'Stop double-charging when a re-plan races a delivery',
    column: 'In progress',
    priority: 'urgent',
    labels: ['billing', 'race'],
    estimate: 5,
    description:
      'A re-plan that starts while the driver confirms the stop makes a second charge. 41 customers in October. Refunds were manual.',
    done_when: [
      'A delivery that lands during a re-plan is charged once',
      'The charge carries the plan version it was made for',
      'A second charge for the same version returns the first one',
      'The race test runs 200 times without a second charge',
      'Refunds of old charges still find their charge',
    ],
    checked: 3,
    assignee: 'ines',
    delegate: 'marlow',
    profile: 'claude.hard',
    branch: 'fix/replan-charge',
    due_in_days: 2,
    opening: 'marlow',
    runs: [
      {
        by: 'marlow',
        status: 'failed',
        cents: 44,
        summary: 'The race needs two workers, and the test starts one.',
        reason: 'The race did not show',
      },
      {
        by: 'marlow',
        status: 'canceled',
        cents: 82,
        summary: 'Charges carry the plan version. The test with two workers is written.',
        reason: 'Stopped for a new base branch',
      },
    ],
    comments: [
      ['priya', 'Support has the list of the 41 customers.'],
      ['tomas', 'Keep the old charge id: refunds point at it.'],
      ['marlow', 'Understood. The id stays; the plan version is a second column.'],
      ['ines', 'Good. Run the race test 200 times before you ask for review.'],
    ],
  },
  {
    title: 'Move ETA smoothing out of the request path',
    column: 'In progress',
    priority: 'high',
    labels: ['planning'],
    done_when: [
      'Requests read the last smoothed value',
      'A job smooths every 10 s',
      'p99 of GET /eta below 40 ms',
      'Old values are marked',
    ],
    checked: 1,
    assignee: 'wren',
    profile: 'claude.coding',
    branch: 'feat/eta-job',
    opening: 'wren',
  },
  {
    title: 'Split depot permissions into read and dispatch',
    column: 'In progress',
    priority: 'medium',
    assignee: 'ines',
    pr: [815, 'draft'],
    branch: 'feat/depot-roles',
    comments: [
      ['ines', '@tomas can dispatch imply read? Otherwise half of the pages are empty.'],
      ['tomas', 'Yes, it does.'],
    ],
  },
  {
    title: 'Honor the geocoder’s Retry-After on 429',
    column: 'In progress',
    priority: 'medium',
    assignee: 'otis',
    done_when: ['Waits as long as it is told', 'Gives up after 30 s', 'Metrics count both'],
    checked: 2,
    abandoned_by: 'otis',
  },
  {
    title: 'Rotate carrier API keys without downtime',
    column: 'Blocked',
    priority: 'high',
    assignee: 'priya',
    blocked_reason: 'Needs the vault role from PLT-1, in review.',
  },
  {
    title: 'Import Q3 surcharge tables',
    column: 'Blocked',
    priority: 'medium',
    labels: ['billing'],
    assignee: 'pike',
    blocked_reason: 'Pike asks: are weekend rates net or gross?',
    runs: [
      {
        by: 'pike',
        status: 'canceled',
        cents: 22,
        summary:
          'Read surcharges-q3.xlsx, 58 rows\nCompared with 212 invoices of July\n18 rows fit neither reading within 0.1%',
        reason: 'Waits for an answer',
      },
    ],
    comments: [
      [
        'pike',
        'Rows 2 to 40 match the invoices of July if they are net. Rows 41 to 58, the weekend ones, are 19% higher than net and 0.4% off gross. Which is it?',
      ],
    ],
  },
  {
    title: 'Delete depots with open invoices',
    column: 'Blocked',
    priority: 'low',
    assignee: 'anna',
    blocked_reason: 'Legal answers by Friday.',
    comments: [['anna', 'Asked again. They want to see the list of depots first.']],
  },
  {
    title: 'Return 409 when a stop is already delivered',
    column: 'Review',
    priority: 'high',
    labels: ['api'],
    assignee: 'pike',
    pr: [812, 'open'],
    branch: 'fix/delivered-409',
    done_when: ['409 with the time', 'Drivers see it', 'Nothing is written', 'Logged once'],
    checked: 4,
    runs: [hour(205, 'pike', '409 with the time of delivery. 4 new tests.')],
  },
  {
    title: 'Show a driver why a plan was rejected',
    column: 'Review',
    task_type: 'design',
    priority: 'medium',
    assignee: 'anna',
    pr: [806, 'open'],
    comments: [
      ['anna', 'Three sentences, one for each reason. Screens are in the pull request.'],
      ['priya', 'The second one is too long for the small phones.'],
    ],
  },
  {
    title: 'Cap plan history at 90 days per depot',
    column: 'Review',
    priority: 'low',
    assignee: 'wren',
    pr: [809, 'open'],
    done_when: ['Older plans are gone', 'Invoices keep theirs'],
    checked: 2,
    runs: [hour(71, 'wren', 'A nightly job; 1.2 M rows on staging in 40 s.')],
  },
  {
    title: 'Reject route plans older than the depot’s last sync',
    column: 'To do',
    priority: 'high',
    labels: ['planning'],
    done_when: ['409 names both versions', 'The driver app reloads', 'Counted', 'Documented'],
  },
  {
    title: 'Backfill `stop.sequence` for imported routes',
    column: 'To do',
    priority: 'medium',
    done_when: ['In batches', 'Resumes', 'Counts what is left'],
    comments: [
      ['tomas', 'About 3 million rows.'],
      ['wren', 'Then 1,000 rows a batch, about 50 minutes.'],
    ],
  },
  {
    title: 'Document the webhook retry schedule',
    column: 'To do',
    task_type: 'docs',
    priority: 'low',
    assignee: 'juno',
    comments: [['anna', 'Carriers ask for it every week.']],
  },
  {
    title: 'Compare H3 cells with geohash for zone pricing',
    column: 'To do',
    task_type: 'research',
    priority: 'medium',
    done_when: ['Cost per lookup', 'Error at borders', 'Size of the index', 'Migration', 'A proposal'],
  },
  {
    title: 'Load-test 2,000 concurrent re-plans on one depot',
    column: 'To do',
    task_type: 'test',
    priority: 'medium',
    after: 'Move ETA smoothing',
  },
  { title: 'Name the depot in every dispatch error', column: 'To do', priority: 'low' },
  {
    title: 'Test plan import with a truncated file',
    column: 'To do',
    task_type: 'test',
    priority: 'low',
    done_when: ['Nothing is written', 'The report says where it ends'],
  },
]
