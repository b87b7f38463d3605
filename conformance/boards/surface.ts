interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
}
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}
interface Operation {
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema: Schema
  }[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const json = 'application/json'

/**
 * What callers of some routes rely on, a line for each thing: `gives` what an answer holds, `takes` what may be
 * sent, `needs` what must be.
 */
export function surfaceOf(document: Document, under: string): string[] {
  const lines = new Set<string>()
  const shared = new Set<string>()

  /** Shared shapes are told once, under their own names. */
  const walk = (schema: Schema, at: string, told: (line: string) => void): void => {
    const name = schema.$ref?.split('/').at(-1)
    if (name !== undefined) {
      told(`${at} ${name}`)
      const isNew = !shared.has(name)
      shared.add(name)
      const shape = document.components.schemas[name]
      if (isNew && shape) walk(shape, name, (line) => lines.add(`SHAPE ${name} gives ${line}`))
      return
    }
    for (const each of schema.anyOf ?? []) walk(each, at, told)
    // As it is written, and each by itself: what may be null is written in two ways.
    if (schema.type !== undefined) told(`${at} ${schema.type}`)
    for (const type of [schema.type ?? []].flat()) told(`${at} ${type}`)
    if (schema.items) walk(schema.items, `${at}[]`, told)
    for (const [field, property] of Object.entries(schema.properties ?? {})) {
      if (schema.required?.includes(field)) told(`${at}.${field} always`)
      walk(property, `${at}.${field}`, told)
    }
  }

  const takes = (route: string, schema: Schema, at: string): void => {
    walk(schema, at, (line) => {
      const [place = '', what = ''] = line.split(' ')
      lines.add(what === 'always' ? `${route} needs ${place}` : `${route} takes ${place} ${what}`)
    })
    for (const value of schema.enum ?? []) lines.add(`${route} takes ${at}=${value}`)
  }

  for (const [path, methods] of Object.entries(document.paths)) {
    if (!path.startsWith(under)) continue
    for (const [method, operation] of Object.entries(methods)) {
      const route = `${method.toUpperCase()} ${path}`
      for (const { name, in: place, required, schema } of operation.parameters ?? []) {
        if (required) lines.add(`${route} needs ${place}.${name}`)
        takes(route, schema, `${place}.${name}`)
      }
      const body = operation.requestBody?.content?.[json]?.schema
      if (body) takes(route, body, 'body')
      for (const [status, { content }] of Object.entries(operation.responses)) {
        if (!status.startsWith('2')) continue
        lines.add(`${route} gives ${status}`)
        const answer = content?.[json]?.schema
        if (answer) walk(answer, status, (line) => lines.add(`${route} gives ${line}`))
      }
    }
  }
  return [...lines].sort()
}
