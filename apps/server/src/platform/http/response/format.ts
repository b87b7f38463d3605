import { mediaTypes } from '@crewhall/contracts/openapi.ts'
import type { AnyRoute, Format, MarkdownForm } from '@crewhall/contracts/route.ts'
import { stringify } from 'yaml'
import { invalid } from '#platform/http/request/validate.ts'
import { checklist, markdown } from '#platform/http/response/markdown.ts'

/** The format a request asks for, among those its contract accepts; the default when it asks for none. */
export function formatOf(spec: AnyRoute, query: unknown): Format {
  if (!spec.formats) return 'json'
  const asked = (query as Record<string, unknown>).format
  if (asked === undefined) return spec.formats.default
  const found = spec.formats.accepts.find((format) => format === asked)
  if (!found) throw invalid(spec, `format: must be one of ${spec.formats.accepts.join(', ')}`)
  return found
}

export interface Rendered {
  readonly content_type: string
  readonly text: string
}

/** How a contract can have Markdown present its response. */
const presenters: Readonly<Record<MarkdownForm, (body: unknown) => string>> = { checklist }

export function render(format: Exclude<Format, 'json'>, body: unknown, form?: MarkdownForm): Rendered {
  const present = form === undefined ? markdown : presenters[form]
  const text = format === 'yaml' ? stringify(body, yamlOptions) : present(body)
  return { content_type: `${mediaTypes[format]}; charset=utf-8`, text }
}

/**
 * YAML 1.1 readers take `no`, `1e3` and dates for something else than text, and 1.2 readers `0o17`; what
 * either of them could misread is quoted.
 */
const yamlOptions = { version: '1.1', compat: 'core', lineWidth: 0, aliasDuplicateObjects: false } as const
