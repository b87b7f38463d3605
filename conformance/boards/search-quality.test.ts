import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace } from './board-workspace.ts'

const server = useSharedServer('product')
let workspace: BoardWorkspace
let board: Board

/** Titles, and what else stands on some of the cards. */
const cards: readonly (readonly [title: string, description?: string | undefined, comment?: string])[] = [
  ['Rotate signing keys every quarter', 'The old key stays valid for a week.'],
  ['Webhook retries stop after ten attempts', 'Backoff doubles up to one day.'],
  ['Export invoices as CSV', 'Accounting wants one line per position.'],
  ['Dark theme for the dashboard'],
  ['Calendar view shows the wrong week in Sydney', 'Timezone offset is applied twice.'],
  ['Upload of pictures fails above 20 MB', undefined, 'It is the proxy buffer, not our limit.'],
  ['Speed up search on large boards'],
  ['Keyboard shortcuts for moving cards'],
  ['Deploy staging from every merge'],
  ['Rate limiter counts health checks', 'Probes of the balancer are counted as well.'],
  ['Onboarding tour skips the second step'],
  ['Import issues from GitHub', 'Labels and milestones become labels.'],
  ['Audit trail misses token deletion'],
  ['Mail queue grows during outages', undefined, 'The greylisting of one provider blocks all others.'],
  ['Password reset link expires too soon'],
  ['Billing report counts archived seats'],
  ['Backup check reads the wrong bucket'],
  ['Two factor sign-in with passkeys'],
  ['Memory leak in the websocket gateway', 'Listeners are never removed.'],
  ['Flaky test in payment reconciliation'],
  ['Migrate sessions to Redis cluster'],
  ['Accessibility of the date picker', 'Screen readers announce nothing.'],
  ['Localize the settings page in Portuguese'],
  ['Sidebar collapses on narrow screens'],
  ['Drag and drop loses the focus'],
  ['Compress attachments before upload'],
  ['Notification digest every morning'],
  ['Archive boards nobody has touched'],
  ['Autocomplete for mentions', undefined, 'Guests must not see names of members.'],
  ['Duplicate detection when cards are created'],
  ['Offline mode for the mobile app'],
  ['Permission matrix in the documentation'],
  ['Terraform module for the database'],
  ['Kubernetes readiness probe is too strict'],
  ['Cache headers of static assets'],
  ['GraphQL endpoint returns stale data'],
  ['Undo for deleted comments'],
  ['Sentry reports without source maps'],
  ['Currency rounding in quotes', 'Half cents are rounded down in 0.5 % of the cases.'],
  ['Split auth/login.ts into smaller files'],
]

type Kind = 'words' | 'prefix' | 'typing error' | 'ref'
const queries: readonly (readonly [kind: Kind, q: string, title: string])[] = [
  ['words', 'signing keys', 'Rotate signing keys every quarter'],
  ['words', 'retry webhooks', 'Webhook retries stop after ten attempts'],
  ['words', 'timezone sydney', 'Calendar view shows the wrong week in Sydney'],
  ['words', 'greylisting provider', 'Mail queue grows during outages'],
  ['words', 'screen readers', 'Accessibility of the date picker'],
  ['words', 'proxy buffer', 'Upload of pictures fails above 20 MB'],
  ['words', 'listeners removed', 'Memory leak in the websocket gateway'],
  ['words', 'login.ts', 'Split auth/login.ts into smaller files'],
  ['words', 'archived seats in billing', 'Billing report counts archived seats'],
  ['words', 'github milestones', 'Import issues from GitHub'],
  ['prefix', 'invoi', 'Export invoices as CSV'],
  ['prefix', 'keyboard sho', 'Keyboard shortcuts for moving cards'],
  ['prefix', 'kuber', 'Kubernetes readiness probe is too strict'],
  ['prefix', 'terraf', 'Terraform module for the database'],
  ['prefix', 'permission mat', 'Permission matrix in the documentation'],
  ['prefix', 'graphq', 'GraphQL endpoint returns stale data'],
  ['prefix', 'dark th', 'Dark theme for the dashboard'],
  ['prefix', 'autocompl', 'Autocomplete for mentions'],
  ['prefix', 'reconcil', 'Flaky test in payment reconciliation'],
  ['prefix', 'bala', 'Rate limiter counts health checks'],
  ['typing error', 'webook retries', 'Webhook retries stop after ten attempts'],
  ['typing error', 'depoly staging', 'Deploy staging from every merge'],
  ['typing error', 'onbaording tour', 'Onboarding tour skips the second step'],
  ['typing error', 'calender view', 'Calendar view shows the wrong week in Sydney'],
  ['typing error', 'accessability', 'Accessibility of the date picker'],
  ['typing error', 'expert invoices', 'Export invoices as CSV'],
  ['typing error', 'pasword reset', 'Password reset link expires too soon'],
  ['typing error', 'serach large', 'Speed up search on large boards'],
  ['typing error', 'portugese', 'Localize the settings page in Portuguese'],
  ['typing error', 'kubernets', 'Kubernetes readiness probe is too strict'],
  ['typing error', 'notifcation digest', 'Notification digest every morning'],
  ['typing error', 'duplciate detection', 'Duplicate detection when cards are created'],
  ['typing error', 'wbsocket gateway', 'Memory leak in the websocket gateway'],
  ['typing error', 'currancy rounding', 'Currency rounding in quotes'],
  ['typing error', 'teraform', 'Terraform module for the database'],
  ['ref', 'SEEK-9', 'Deploy staging from every merge'],
  ['ref', 'seek-17', 'Backup check reads the wrong bucket'],
  ['ref', 'Seek-31', 'Offline mode for the mobile app'],
  ['ref', ' SEEK-2 ', 'Webhook retries stop after ten attempts'],
  ['ref', 'see SEEK-40', 'Split auth/login.ts into smaller files'],
]

beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  board = await workspace.board({ key: 'SEEK' })
  for (const [title, description = '', comment] of cards) {
    const card = await workspace.card(board, { title, description })
    if (comment) await workspace.call('POST', `/tasks/${card.id}/comments`, { body: comment })
  }
})

test(`${queries.length} labelled queries find their card among the first five, at least 95 of 100`, async () => {
  const places: number[] = []
  for (const [, q, title] of queries) {
    const path = `/tasks:search?per_page=5&q=${encodeURIComponent(q)}`
    const { body } = await workspace.call<{ items: { title: string }[] }>('GET', path)
    places.push(body.items.findIndex((each) => each.title === title) + 1)
  }
  console.log(
    queries
      .map(([kind, q], at) => `${kind.padEnd(13)} ${q.padEnd(28)} ${places[at] || 'not found'}`)
      .join('\n'),
  )
  const isRef = queries.map(([kind]) => kind === 'ref')
  expect(places.filter((_, at) => isRef[at])).toEqual(isRef.filter(Boolean).map(() => 1))
  const hits = places.filter((place) => place > 0).length / queries.length
  console.log(`hit@5: ${hits.toFixed(3)}`)
  expect(hits).toBeGreaterThanOrEqual(0.95)
})
