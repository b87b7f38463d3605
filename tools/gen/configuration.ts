import { configSchema } from '@crewhall/server/config.ts'
import { z } from 'zod'

interface Setting {
  readonly name: string
  readonly description: string
  readonly fallback: string | undefined
  readonly required: boolean
  readonly is_secret: boolean
  readonly values: string
}

interface SettingSchema {
  readonly description?: string
  readonly default?: string
  readonly enum?: readonly string[]
  readonly secret?: boolean
}

function settings(): Setting[] {
  const { properties = {}, required = [] } = z.toJSONSchema(configSchema, {
    io: 'input',
    unrepresentable: 'any',
  })
  return Object.entries(properties).map(([name, schema]) => {
    const {
      description = '',
      default: fallback,
      enum: values,
      secret: is_secret = false,
    } = schema as SettingSchema
    return {
      name,
      description,
      fallback,
      required: required.includes(name),
      is_secret,
      values: values?.join(', ') ?? '',
    }
  })
}

/** Every setting, commented out at its default; those that have none must be filled in. */
export function envExample(): string {
  const blocks = settings().map(({ name, description, fallback, required, is_secret }) => {
    const line = required ? `${name}=` : `#${name}=${fallback ?? ''}`
    return [`# ${description}`, line, ...(is_secret ? [`#${name}_FILE=`] : [])].join('\n')
  })
  const head = [
    '# Generated from apps/server/src/config.ts by npm run gen',
    '# NAME_FILE, where there is one, has the path of a file that holds the value, in place of NAME.',
  ]
  return `${head.join('\n')}\n\n${blocks.join('\n\n')}\n`
}

export function configDocs(): string {
  const rows = settings().map(({ name, description, fallback, required, is_secret, values }) => {
    const standard = required ? '**required**' : fallback ? `\`${fallback}\`` : 'not set'
    const file = is_secret ? `. Secret: or \`${name}_FILE\`` : ''
    return `| \`${name}\` | ${standard} | ${description}${values ? ` (${values})` : ''}${file} |`
  })
  return [
    '# Configuration',
    '',
    'Generated from `apps/server/src/config.ts` by `npm run gen`. All settings are environment variables,',
    'read once at start-up; a wrong one stops the process with a message that names it.',
    '',
    'A secret can be given as a file, so that it is in no listing of an environment: `NAME_FILE` has the path, as with',
    'Docker and Kubernetes secrets, and `NAME` is not set. One line break at the end of the file does not count. A file',
    'that is missing, empty or larger than 64 KiB stops the process; no message has the content or the path.',
    '',
    '| Setting | Default | What it does |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
