import type { AnyRoute } from '@crewhall/contracts/route.ts'
import { argumentsOf, keyArgument } from '@crewhall/contracts/tools/arguments.ts'
import type { Tool, ToolAction } from '@crewhall/contracts/tools/tool.ts'
import { namedBy } from './route-tools.ts'

export interface CallOfTool {
  readonly tool: Tool
  readonly action: ToolAction
  readonly args: Readonly<Record<string, unknown>>
}

/** The call of a tool that stands for a request over HTTP, if there is one. */
export type Translator = (path: string, init: RequestInit) => CallOfTool | undefined

export function createTranslator(tools: readonly Tool[]): Translator {
  // A path with a word in a place goes before one that takes anything there.
  const known = tools
    .flatMap((tool) => tool.actions.map((action) => ({ tool, action, form: formOf(action.route) })))
    .sort((a, b) => parametersIn(a.action.route) - parametersIn(b.action.route))
  return (path, { method = 'GET', body, headers }) => {
    const { pathname, searchParams } = new URL(path, 'http://localhost')
    for (const { tool, action, form } of known) {
      const groups = action.route.method === method ? form.exec(pathname)?.groups : undefined
      if (!groups) continue
      const ids = Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)])
      const sent = typeof body === 'string' ? (JSON.parse(body) as Record<string, unknown>) : {}
      const isWhole = argumentsOf(action).some(({ place }) => place === 'whole_body')
      const fields = {
        ...(isWhole ? { body: sent } : sent),
        ...Object.fromEntries(searchParams),
        ...Object.fromEntries(ids),
        [keyArgument]: (headers as Record<string, string> | undefined)?.['idempotency-key'],
      }
      return { tool, action, args: namedBy(action, fields) }
    }
    return undefined
  }
}

const parametersIn = ({ path }: AnyRoute): number => path.split('{').length

/** A named group for each parameter, and an empty one, so that a match always has some. */
const formOf = ({ path }: AnyRoute): RegExp =>
  new RegExp(`^(?<_>)${path.replace(/[.*+?^$()[\]\\|]/g, '\\$&').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)
