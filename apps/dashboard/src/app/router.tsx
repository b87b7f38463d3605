import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
} from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { Home, Shell } from '../shell/shell.tsx'
import { State } from '../ui/states.tsx'
import { type CardFilters, filtersOf } from '../work/filters.ts'
import { paths } from './paths.ts'

/** What the addresses of the dashboard may say; anything else in them is left out. */
interface Search extends CardFilters {
  readonly next?: string
  readonly token?: string
  readonly card?: string
  readonly view?: 'table'
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined

function searchOf(found: Record<string, unknown>): Search {
  const [next, token, card] = [textOf(found.next), textOf(found.token), textOf(found.card)]
  return {
    ...(next === undefined ? {} : { next }),
    ...(token === undefined ? {} : { token }),
    ...(card === undefined ? {} : { card }),
    ...(found.view === 'table' ? { view: 'table' } : {}),
    ...filtersOf(found),
  }
}

const root = createRootRoute({ validateSearch: searchOf, notFoundComponent: NotFound })
const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell })

const auth = {
  signIn: () => import('../pages/auth/sign-in.tsx'),
  signUp: () => import('../pages/auth/sign-up.tsx'),
  reset: () => import('../pages/auth/reset.tsx'),
  invite: () => import('../pages/auth/invite.tsx'),
  confirm: () => import('../pages/auth/confirm.tsx'),
}

const outside = [
  createRoute({
    getParentRoute: () => root,
    path: paths.signIn,
    component: lazyRouteComponent(auth.signIn, 'SignIn'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: paths.signUp,
    component: lazyRouteComponent(auth.signUp, 'SignUp'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: paths.reset,
    component: lazyRouteComponent(auth.reset, 'Reset'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: paths.invite,
    component: lazyRouteComponent(auth.invite, 'Invite'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: paths.confirm,
    component: lazyRouteComponent(auth.confirm, 'Confirm'),
  }),
]

const inside = [
  createRoute({ getParentRoute: () => shell, path: paths.home, component: Home }),
  createRoute({
    getParentRoute: () => shell,
    path: paths.start,
    component: lazyRouteComponent(() => import('../pages/start/start-page.tsx'), 'StartPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: paths.now,
    component: lazyRouteComponent(() => import('../pages/now/now-page.tsx'), 'NowPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: paths.more,
    component: lazyRouteComponent(() => import('../pages/more/more-page.tsx'), 'MorePage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: paths.boards,
    component: lazyRouteComponent(() => import('../pages/boards/boards-page.tsx'), 'BoardsPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: paths.board,
    component: lazyRouteComponent(() => import('../pages/board/board-page.tsx'), 'BoardPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: paths.card,
    component: lazyRouteComponent(() => import('../pages/card/card-page.tsx'), 'CardPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: paths.settings,
    component: () => <Navigate to={paths.features} replace />,
  }),
  createRoute({
    getParentRoute: () => shell,
    path: paths.features,
    component: lazyRouteComponent(() => import('../pages/settings/features-page.tsx'), 'FeaturesPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: paths.appearance,
    component: lazyRouteComponent(() => import('../pages/settings/appearance-page.tsx'), 'AppearancePage'),
  }),
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
