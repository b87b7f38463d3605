import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import type { ReactNode } from 'react'
import { Home, Shell } from '../shell/shell.tsx'
import { State } from '../ui/states.tsx'
import { type CardFilters, filtersOf } from '../work/filters.ts'
import { latePage } from './late.tsx'
import { paths } from './paths.ts'

/** What the addresses of the dashboard may say; anything else in them is left out. */
interface Search extends CardFilters {
  readonly next?: string
  readonly token?: string
  /** What a program shows that waits to be let in. */
  readonly user_code?: string
  readonly card?: string
  readonly view?: 'table'
  /** The open entry of the inbox, and which of its entries are listed. */
  readonly entry?: string
  readonly state?: string
  readonly needs?: 'true'
  /** Of lists of what happened: where the page begins, the state, who did it and what; and the one that is open. */
  readonly cursor?: string
  readonly actor?: string
  readonly action?: string
  readonly delivery?: string
  /** Of lists over boards: keys of boards, a state, an order, and the view that was opened. */
  readonly board?: string
  readonly status?: string
  readonly sort?: string
  readonly saved?: string
}
const plain = [
  'next',
  'token',
  'user_code',
  'card',
  'entry',
  'cursor',
  'state',
  'actor',
  'action',
  'delivery',
  'board',
  'status',
  'sort',
  'saved',
] as const

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined

function searchOf(found: Record<string, unknown>): Search {
  const texts = plain.map((name) => [name, textOf(found[name])] as const)
  return {
    ...Object.fromEntries(texts.filter(([, value]) => value !== undefined)),
    ...(found.view === 'table' ? { view: 'table' } : {}),
    ...(String(found.needs) === 'true' ? { needs: 'true' } : {}),
    ...filtersOf(found),
  }
}

const root = createRootRoute({ validateSearch: searchOf, notFoundComponent: NotFound })
const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell })

/** A page whose script is read when somebody goes there. */
const page = <const Path extends string, Name extends string>(path: Path, read: Reader<Name>, name: Name) =>
  createRoute({ getParentRoute: () => shell, path, component: latePage(read, name) })
const outsidePage = <const Path extends string, Name extends string>(
  path: Path,
  read: Reader<Name>,
  name: Name,
) => createRoute({ getParentRoute: () => root, path, component: latePage(read, name) })
type Reader<Name extends string> = () => Promise<Record<Name, () => ReactNode>>

const outside = [
  outsidePage(paths.signIn, () => import('../pages/auth/sign-in.tsx'), 'SignIn'),
  outsidePage(paths.signUp, () => import('../pages/auth/sign-up.tsx'), 'SignUp'),
  outsidePage(paths.reset, () => import('../pages/auth/reset.tsx'), 'Reset'),
  outsidePage(paths.invite, () => import('../pages/auth/invite.tsx'), 'Invite'),
  outsidePage(paths.device, () => import('../pages/device/device-page.tsx'), 'DevicePage'),
  outsidePage(paths.confirm, () => import('../pages/auth/confirm.tsx'), 'Confirm'),
]

const inside = [
  createRoute({ getParentRoute: () => shell, path: paths.home, component: Home }),
  page(paths.start, () => import('../pages/start/start-page.tsx'), 'StartPage'),
  page(paths.now, () => import('../pages/now/now-page.tsx'), 'NowPage'),
  page(paths.more, () => import('../pages/more/more-page.tsx'), 'MorePage'),
  page(paths.inbox, () => import('../pages/inbox/inbox-page.tsx'), 'InboxPage'),
  page(paths.myWork, () => import('../pages/my-work/my-work-page.tsx'), 'MyWorkPage'),
  page(paths.all, () => import('../pages/all/all-page.tsx'), 'AllPage'),
  page(paths.ready, () => import('../pages/ready/ready-page.tsx'), 'ReadyPage'),
  page(paths.search, () => import('../pages/search/search-page.tsx'), 'SearchPage'),
  page(paths.activity, () => import('../pages/activity/activity-page.tsx'), 'ActivityPage'),
  page(paths.machine, () => import('../pages/machine/machine-page.tsx'), 'MachinePage'),
  page(paths.boards, () => import('../pages/boards/boards-page.tsx'), 'BoardsPage'),
  page(paths.board, () => import('../pages/board/board-page.tsx'), 'BoardPage'),
  page(paths.card, () => import('../pages/card/card-page.tsx'), 'CardPage'),
  page(paths.profiles, () => import('../pages/profiles/profiles-page.tsx'), 'ProfilesPage'),
  page(paths.profile, () => import('../pages/profiles/profiles-page.tsx'), 'ProfilesPage'),
  page(paths.settings, () => import('../pages/settings/settings-page.tsx'), 'SettingsPage'),
  page(paths.docs, () => import('../pages/docs/spaces-page.tsx'), 'SpacesPage'),
  page(paths.docsSpace, () => import('../pages/docs/own-docs.tsx'), 'OwnSpace'),
  page(paths.docsNew, () => import('../pages/docs/own-docs.tsx'), 'OwnEditPage'),
  page(paths.docsPage, () => import('../pages/docs/own-docs.tsx'), 'OwnPage'),
  page(paths.docsEdit, () => import('../pages/docs/own-docs.tsx'), 'OwnEditPage'),
  page(paths.shared, () => import('../pages/shared/shared-list.tsx'), 'SharedList'),
  page(paths.sharedBoard, () => import('../pages/shared/shared-board.tsx'), 'SharedBoardPage'),
  page(paths.sharedSpace, () => import('../pages/shared/shared-docs.tsx'), 'SharedSpace'),
  page(paths.sharedNewPage, () => import('../pages/shared/shared-docs.tsx'), 'SharedEditPage'),
  page(paths.sharedPage, () => import('../pages/shared/shared-docs.tsx'), 'SharedPage'),
  page(paths.sharedEditPage, () => import('../pages/shared/shared-docs.tsx'), 'SharedEditPage'),
  page(paths.features, () => import('../pages/settings/features-page.tsx'), 'FeaturesPage'),
  page(paths.plan, () => import('../pages/settings/plan-page.tsx'), 'PlanPage'),
  page(paths.members, () => import('../pages/settings/people/members-page.tsx'), 'MembersPage'),
  page(paths.guests, () => import('../pages/settings/people/guests-page.tsx'), 'GuestsPage'),
  page(paths.invitations, () => import('../pages/settings/people/invitations-page.tsx'), 'InvitationsPage'),
  page(paths.workspace, () => import('../pages/settings/own/workspace-page.tsx'), 'WorkspacePage'),
  page(paths.ownProfile, () => import('../pages/settings/own/profile-page.tsx'), 'ProfilePage'),
  page(paths.mail, () => import('../pages/settings/own/mail-page.tsx'), 'MailPage'),
  page(paths.notifications, () => import('../pages/settings/notifications-page.tsx'), 'NotificationsPage'),
  page(paths.appearance, () => import('../pages/settings/appearance-page.tsx'), 'AppearancePage'),
  page(paths.tokens, () => import('../pages/settings/tokens/tokens-page.tsx'), 'TokensPage'),
  page(paths.webhooks, () => import('../pages/settings/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
  page(paths.webhook, () => import('../pages/settings/webhooks/webhook-page.tsx'), 'WebhookPage'),
  page(paths.audit, () => import('../pages/settings/audit/audit-page.tsx'), 'AuditPage'),
  page(paths.usage, () => import('../pages/settings/usage/usage-page.tsx'), 'UsagePage'),
  page(paths.platformBrands, () => import('../pages/settings/platform/brands-page.tsx'), 'BrandsPage'),
  page(paths.platformPlans, () => import('../pages/settings/platform/plans-page.tsx'), 'PlansPage'),
  page(paths.platformCatalog, () => import('../pages/settings/platform/catalog-page.tsx'), 'CatalogPage'),
  page(paths.platformStaff, () => import('../pages/settings/platform/staff-page.tsx'), 'StaffPage'),
  page(
    paths.platformAudit,
    () => import('../pages/settings/platform/platform-audit-page.tsx'),
    'PlatformAuditPage',
  ),
]

function NotFound() {
  return (
    <main className="flex min-h-dvh">
      <State
        icon={Compass}
        title="There is no such page"
        action={
          <a href="/dashboard/" className="text-link hover:underline">
            Go to the start
          </a>
        }
      >
        The address may be mistyped, or the page has moved.
      </State>
    </main>
  )
}

export const router = createRouter({
  routeTree: root.addChildren([...outside, shell.addChildren(inside)]),
  basepath: '/dashboard',
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
