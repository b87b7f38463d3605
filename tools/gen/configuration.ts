import { configSchema } from '@crewhall/server/config.ts'
import { z } from 'zod'

interface Setting {
  readonly name: string
  readonly description: string
  readonly fallback: string | undefined
  readonly required: boolean
  readonly values: string
}

interface SettingSchema {
  readonly description?: string
  readonly default?: string
  readonly enum?: readonly string[]
}

function settings(): Setting[] {
  const { properties = {}, required = [] } = z.toJSONSchema(configSchema, {
    io: 'input',
    unrepresentable: 'any',
  })
  return Object.entries(properties).map(([name, schema]) => {
    const { description = '', default: fallback, enum: values } = schema as SettingSchema
    return {
      name,
      description,
      fallback,
      required: required.includes(name),
      values: values?.join(', ') ?? '',
    }
  })
}

/** Every setting, commented out at its default; those that have none must be filled in. */
export function envExample(): string {
  const blocks = settings().map(({ name, description, fallback, required }) =>
    required ? `# ${description}\n${name}=` : `# ${description}\n#${name}=${fallback ?? ''}`,
  )
  return `# Generated from apps/server/src/config.ts by npm run gen\n\n${blocks.join('\n\n')}\n`
}

export function configDocs(): string {
  const rows = settings().map(({ name, description, fallback, required, values }) => {
    const standard = required ? '**required**' : fallback ? `\`${fallback}\`` : 'not set'
    return `| \`${name}\` | ${standard} | ${description}${values ? ` (${values})` : ''} |`
  })
  return [
    '# Configuration',
    '',
    'Generated from `apps/server/src/config.ts` by `npm run gen`. All settings are environment variables,',
    'read once at start-up; a wrong one stops the process with a message that names it.',
    '',
    '| Setting | Default | What it does |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
