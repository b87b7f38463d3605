import type { AnyRoute } from '@crewhall/contracts/route.ts'

interface Page {
  readonly page: number
  readonly per_page: number
  readonly total: number
}

/** Beyond this, four addresses would not fit into the headers that clients read. */
const longestAddress = 2000
const outsideAddresses = /[^!#-;=?-[\]_a-z~]/

/** RFC 8288: where the other pages of a list are, so that nobody has to build addresses. */
export function pageLinks(spec: AnyRoute, url: string, body: unknown): string | undefined {
  const next = (body as { next_cursor?: unknown } | null)?.next_cursor
  const isList = isPage(body)
  if (!isList && typeof next !== 'string') return undefined
  if (url.length > longestAddress || outsideAddresses.test(url)) return undefined
  if (isList) return linksOfPages(url, body)
  const name = cursorNameOf(spec)
  return name ? link(url, { [name]: String(next) }, 'next') : undefined
}

/** What the list calls the place to go on from. */
function cursorNameOf({ query }: AnyRoute): string | undefined {
  const shape = (query as { shape?: Record<string, unknown> } | undefined)?.shape ?? {}
  return ['cursor', 'since'].find((name) => name in shape)
}

const isPage = (body: unknown): body is Page => {
  const { page, per_page, total } = (body ?? {}) as Partial<Page>
  return Number.isInteger(page) && Number.isInteger(per_page) && Number.isInteger(total)
}

function linksOfPages(url: string, { page, per_page, total }: Page): string {
  const last = Math.max(1, Math.ceil(total / per_page))
  const to = (number: number, rel: string) =>
    link(url, { page: String(number), per_page: String(per_page) }, rel)
  return [
    to(1, 'first'),
    ...(page > 1 ? [to(Math.min(page - 1, last), 'prev')] : []),
    ...(page < last ? [to(page + 1, 'next')] : []),
    to(last, 'last'),
  ].join(', ')
}

/** Relative, because the service does not know under which name it was reached. */
function link(url: string, values: Readonly<Record<string, string>>, rel: string): string {
  const [path = '', query = ''] = url.split('?', 2)
  const asked = new URLSearchParams(query)
  for (const [name, value] of Object.entries(values)) asked.set(name, value)
  return `<${path}?${asked}>; rel="${rel}"`
}
