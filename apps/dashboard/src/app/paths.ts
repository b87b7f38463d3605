/** Every address of the dashboard, below `/dashboard`. Links are made here and nowhere else. */
export const paths = {
  home: '/',
  signIn: '/sign-in',
  signUp: '/sign-up',
  reset: '/reset',
  invite: '/invite',
  confirm: '/confirm',
  device: '/device',
  start: '/start',
  now: '/now',
  more: '/more',
  inbox: '/inbox',
  myWork: '/my-work',
  all: '/all',
  ready: '/ready',
  search: '/search',
  activity: '/activity',
  machine: '/machines/$id',
  boards: '/boards',
  board: '/boards/$key',
  card: '/cards/$ref',
  profiles: '/profiles',
  profile: '/profiles/$key',
  docs: '/docs',
  docsSpace: '/docs/$space',
  docsNew: '/docs/$space/new',
  docsPage: '/docs/$space/$page',
  docsEdit: '/docs/$space/$page/edit',
  shared: '/shared',
  sharedBoard: '/shared/boards/$board',
  sharedDocs: '/shared/docs',
  sharedSpace: '/shared/docs/$space',
  sharedNewPage: '/shared/docs/$space/new',
  sharedPage: '/shared/docs/$space/$page',
  sharedEditPage: '/shared/docs/$space/$page/edit',
  settings: '/settings',
  features: '/settings/features',
  plan: '/settings/plan',
  members: '/settings/members',
  guests: '/settings/guests',
  invitations: '/settings/invitations',
  workspace: '/settings/workspace',
  ownProfile: '/settings/profile',
  mail: '/settings/mail',
  appearance: '/settings/appearance',
  notifications: '/settings/notifications',
  tokens: '/settings/tokens',
  webhooks: '/settings/webhooks',
  webhook: '/settings/webhooks/$id',
  audit: '/settings/audit',
  usage: '/settings/usage',
  platformBrands: '/settings/platform/workspaces',
  platformPlans: '/settings/platform/plans',
  platformCatalog: '/settings/platform/catalog',
  platformStaff: '/settings/platform/admins',
  platformAudit: '/settings/platform/audit',
} as const

interface BoardPlace {
  /** The reference of the open card. */
  readonly card?: string
  readonly view?: 'table'
}

export const toBoard = (key: string, place: BoardPlace = {}) =>
  ({ to: paths.board, params: { key }, search: place }) as const

/** A card beside its board; the key of the board is in its reference. */
export const toCard = (ref: string) => toBoard(ref.split('-', 1)[0] ?? '', { card: ref })

/** A card as a page of its own. */
export const toCardPage = (ref: string) => ({ to: paths.card, params: { ref } }) as const
export const cardHref = (ref: string): string => `/cards/${encodeURIComponent(ref)}`
export const boardHref = (ref: string): string => `/boards/${encodeURIComponent(ref.split('-', 1)[0] ?? '')}`

export const toMachine = (id: string) => ({ to: paths.machine, params: { id } }) as const
export const toProfile = (key: string) => ({ to: paths.profile, params: { key }, search: {} }) as const

export const toWebhook = (id: string) => ({ to: paths.webhook, params: { id } }) as const

/** Addresses of documents: of the workspace, or of those that others share. */
export const docsHrefs = (base: string) => {
  const space = (space_id: string) => `${base}/${encodeURIComponent(space_id)}`
  const page = (space_id: string, page_id: string) => `${space(space_id)}/${encodeURIComponent(page_id)}`
  return {
    spaces: base,
    space,
    page,
    add: (space_id: string) => `${space(space_id)}/new`,
    edit: (space_id: string, page_id: string) => `${page(space_id, page_id)}/edit`,
  }
}

/** What is shared with a guest. Letters to guests lead there. */
export const sharedBoardHref = (board_id: string): string => `/shared/boards/${encodeURIComponent(board_id)}`
export const sharedSpaceHref = (space_id: string): string => docsHrefs(paths.sharedDocs).space(space_id)

export const toSignIn = (next?: string) => ({ to: paths.signIn, search: next ? { next } : {} }) as const

/** Where to go after signing in: a place in the dashboard, whatever the address says. */
export function safeNext(next: unknown): string {
  const isOurs = typeof next === 'string' && /^\/(?![/\\])/.test(next) && !next.startsWith(paths.signIn)
  return isOurs ? next : paths.home
}
