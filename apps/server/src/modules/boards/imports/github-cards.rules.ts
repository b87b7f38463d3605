import { cardOf, type Read } from './source-cards.rules.ts'

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const nested = (value: unknown, field: string): string | undefined =>
  isFields(value) ? textOf(value[field]) : undefined

/** An issue as the REST API of GitHub returns it. Its lists have pull requests, too, which are no work of their own. */
export function githubCardOf(row: number, issue: unknown): Read | 'pull request' {
  if (!isFields(issue)) return { problem: 'this is no issue' }
  if (isFields(issue.pull_request)) return 'pull request'
  const { number, title, body, state, state_reason, labels, assignees, assignee, html_url } = issue
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || typeof title !== 'string')
    return { problem: 'this is no issue: number or title is missing' }
  const [first] = Array.isArray(assignees) ? assignees : []
  const repository = /^https?:\/\/[^/]+\/([^/]+\/[^/]+)\/issues\//.exec(textOf(html_url) ?? '')?.[1] ?? ''
  return cardOf(row, {
    key: `github:${repository}#${number}`,
    title,
    text: textOf(body),
    origin: originOf(issue, `${repository}#${number}`),
    labels: Array.isArray(labels)
      ? labels.flatMap((label) => textOf(label) ?? nested(label, 'name') ?? [])
      : [],
    person: nested(first, 'login') ?? nested(assignee, 'login'),
    state: state === 'closed' && state_reason === 'not_planned' ? 'closed as not planned' : textOf(state),
    due: nested(issue.milestone, 'due_on'),
  })
}

function originOf({ html_url, created_at, user }: Fields, name: string): string {
  const created = textOf(created_at)
  const login = nested(user, 'login')
  return [
    `Imported from ${(textOf(html_url) ?? `GitHub ${name}`).slice(0, 500)}`,
    ...(created === undefined ? [] : [`created ${created.slice(0, 60)}`]),
    ...(login === undefined ? [] : [`by ${login.slice(0, 100)}`]),
  ].join(', ')
}
