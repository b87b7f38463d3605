import type { DemoCard } from './demo-cards.ts'

export const driverCards: readonly DemoCard[] = [
  {
    title: 'Keep the map while the phone has no network',
    column: 'In progress',
    priority: 'high',
    labels: ['offline'],
    assignee: 'juno',
    done_when: ['Tiles of the route are kept', 'The age of the map is shown', 'Freed after a week'],
    checked: 1,
    branch: 'feat/kept-tiles',
    opening: 'juno',
  },
  {
    title: 'Scan a parcel with the torch on',
    column: 'Review',
    priority: 'medium',
    assignee: 'priya',
    pr: [231, 'open'],
  },
  { title: 'Say the next stop aloud', column: 'To do', priority: 'medium', done_when: ['Off by default'] },
  { title: 'Measure battery over a whole shift', column: 'To do', task_type: 'test', priority: 'low' },
  {
    title: 'Undo a delivery within ten seconds',
    column: 'Done',
    priority: 'high',
    assignee: 'juno',
    pr: [228, 'merged'],
    runs: [
      {
        by: 'juno',
        status: 'succeeded',
        cents: 118,
        summary: 'The confirmation is sent after ten seconds, or when the app closes.',
      },
    ],
  },
]

export const consoleCards: readonly DemoCard[] = [
  {
    title: 'Filter depots by carrier',
    column: 'In progress',
    priority: 'medium',
    assignee: 'otis',
    branch: 'feat/depot-filter',
    done_when: ['In the address', 'Keeps the scroll place'],
    opening: 'otis',
  },
  { title: 'Print a route on one page', column: 'To do', priority: 'low' },
  {
    title: 'Show the cost of a re-plan before it is made',
    column: 'To do',
    priority: 'medium',
    labels: ['billing'],
    assignee: 'anna',
  },
  {
    title: 'Sort stops by drag',
    column: 'Done',
    priority: 'medium',
    assignee: 'anna',
    pr: [77, 'merged'],
  },
]

export const platformCards: readonly DemoCard[] = [
  {
    title: 'Give the dispatcher a vault role',
    column: 'Review',
    priority: 'high',
    assignee: 'tomas',
    pr: [88, 'open'],
  },
  {
    title: 'Restore a backup into an empty cluster',
    column: 'To do',
    task_type: 'test',
    priority: 'high',
    done_when: ['Within 30 minutes', 'Counts of rows agree', 'Written down'],
  },
  { title: 'Alert when a queue is older than 5 minutes', column: 'Done', priority: 'high', assignee: 'ines' },
]

/** Written one by one while the demo runs, so that there is always something to do. */
export const laterCards: readonly (DemoCard & { readonly board: string })[] = [
  {
    board: 'DSP',
    title: 'Log the plan version with each charge',
    column: 'To do',
    priority: 'medium',
    done_when: ['One line a charge', 'No customer data'],
  },
  {
    board: 'DRV',
    title: 'Show how old the route on the phone is',
    column: 'To do',
    priority: 'medium',
    done_when: ['After ten minutes', 'In words'],
  },
  {
    board: 'DSP',
    title: 'Return the blocking stop with a rejected plan',
    column: 'To do',
    priority: 'high',
    done_when: ['Its id and its name', 'Documented'],
  },
  { board: 'WEB', title: 'Copy a depot with its opening hours', column: 'To do', priority: 'low' },
  {
    board: 'DSP',
    title: 'Describe what a re-plan costs',
    column: 'To do',
    task_type: 'docs',
    priority: 'low',
    done_when: ['With two examples'],
  },
  {
    board: 'DSP',
    title: 'Test re-plans across midnight',
    column: 'To do',
    task_type: 'test',
    priority: 'medium',
    done_when: ['Two depots', 'Two time zones'],
  },
  { board: 'DRV', title: 'Vibrate when a plan changes', column: 'To do', priority: 'low' },
  {
    board: 'WEB',
    title: 'Keep the filters when a depot is opened',
    column: 'To do',
    priority: 'medium',
    done_when: ['Back returns to them'],
  },
]
