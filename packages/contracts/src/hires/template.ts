import { z } from 'zod'
import { text, words } from '../wire.ts'

export const maxFiles = 32
export const maxFileBytes = 64 * 1024
/** Of all files of a template together. */
export const maxFilesBytes = 256 * 1024

export const bytesOf = (content: string): number => new TextEncoder().encode(content).length

/** The file that says who the employee is; all others are what it works by. */
export const personaFile = 'PERSONA.md'

export const TemplateFile = z
  .object({
    name: z
      .string()
      .meta({ examples: [personaFile] })
      .max(255),
    content: z.string().max(maxFileBytes),
  })
  .meta({ id: 'EmployeeFile' })

const TemplateSource = z
  .object({
    source_type: z
      .string()
      .max(50)
      .meta({ examples: ['claude_code'] }),
    /** Below the directory of the agent; null for a source that reads none. */
    directory: z.string().max(500).nullable(),
  })
  .meta({ id: 'EmployeeMemorySource' })

const named = {
  /** Key of a coder profile. */
  coder_profile: z
    .string()
    .max(100)
    .meta({ examples: ['claude.hard'] }),
  /** Of its tokens, within what the workspace allows. */
  scopes: z.array(z.string().max(50)).max(20),
  /** Keys of packages of the marketplace. */
  packages: z.array(z.string().max(50)).max(50),
  memory_sources: z.array(TemplateSource).max(10),
}

/** What a hire is built from. Lengths alone are limited here: the rest is validated when it is published. */
export const EmployeeTemplate = z
  .object({
    ...named,
    files: z
      .array(TemplateFile)
      .max(maxFiles)
      .refine(
        (files) => files.reduce((sum, { content }) => sum + bytesOf(content), 0) <= maxFilesBytes,
        `must have at most ${maxFilesBytes} bytes together`,
      ),
  })
  .meta({ id: 'EmployeeTemplate' })
export type EmployeeTemplate = z.infer<typeof EmployeeTemplate>

/** The same without the texts of its files. */
export const TemplateSummary = z
  .object({ ...named, files: z.array(z.object({ name: z.string(), bytes: z.int() })).max(maxFiles) })
  .meta({ id: 'EmployeeTemplateSummary' })
export type TemplateSummary = z.infer<typeof TemplateSummary>

/** In characters, but for the number of items. */
export const longest = {
  name: 100,
  title: 100,
  summary: 300,
  description: 5000,
  good_at: 50,
  good_at_items: 30,
}

export const EmployeeContent = z
  .object({
    name: words(longest.name),
    title: words(longest.title),
    summary: text(1, longest.summary),
    description: text(1, longest.description),
    /** Kinds of work, in a few words each. */
    good_at: z.array(words(longest.good_at)).max(longest.good_at_items),
    /** Works on a desk of its own. */
    is_builder: z.boolean(),
    /** Null for an employee that cannot be hired yet. */
    template: EmployeeTemplate.nullable(),
  })
  .meta({ id: 'EmployeeContent' })
export type EmployeeContent = z.infer<typeof EmployeeContent>

export const EmployeeKey = z
  .string()
  .regex(/^[a-z][a-z0-9-]{1,49}$/, 'must be 2 to 50 lower-case letters, digits or -')
  .meta({ examples: ['reviewer'] })
