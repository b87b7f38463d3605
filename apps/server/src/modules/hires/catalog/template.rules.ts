import { sourceTypes } from '@crewhall/contracts/conversations/sources.ts'
import type { TemplateFault } from '@crewhall/contracts/hires/refusals.ts'
import {
  bytesOf,
  type EmployeeTemplate,
  maxFileBytes,
  maxFiles,
  maxFilesBytes,
  personaFile,
} from '@crewhall/contracts/hires/template.ts'
import { scopes } from '@crewhall/contracts/scopes.ts'

/** What other modules know of the names in a template. */
export interface KnownNames {
  readonly is_coder_profile: boolean
  readonly packages: ReadonlySet<string>
}

/** One part of a path: nothing hidden, nothing that leads up, nothing that a shell or another system reads otherwise. */
const plain = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/
const mostParts = 5
/** It is put behind that of the hire, and both together are the directory of a source. */
const longestDirectory = 400
/** Written by the export of memories, which would replace it. */
const reserved = new Set(['memory.md'])
const knownScopes: ReadonlySet<string> = new Set(scopes)
const knownTypes: ReadonlySet<string> = new Set(sourceTypes)
/** Reads boards instead of files. */
const readsNoDirectory = 'agentboard'

export const isPlainName = (name: string): boolean => plain.test(name)

/** Not every file system tells upper from lower case. */
const folded = (name: string): string => name.toLowerCase()

/** Every reason why nothing could be built from the template; empty when it can be published. */
export const faultsOfTemplate = (template: EmployeeTemplate, known: KnownNames): TemplateFault[] => [
  ...when(!known.is_coder_profile, 'coder_profile', 'is not a coder profile'),
  ...faultsOfList('scopes', template.scopes, (scope) => knownScopes.has(scope), 'is not a scope'),
  ...faultsOfList('packages', template.packages, (key) => known.packages.has(key), 'is not a package'),
  ...faultsOfSources(template),
  ...faultsOfFiles(template),
]

const when = (isFault: boolean, field: string, reason: string): TemplateFault[] =>
  isFault ? [{ field, reason }] : []

const isRepeated = <T>(list: readonly T[], at: number): boolean => list.indexOf(list[at] as T) < at

const faultsOfList = (
  field: string,
  list: readonly string[],
  isKnown: (each: string) => boolean,
  reason: string,
): TemplateFault[] =>
  list.flatMap((each, at) => [
    ...when(!isKnown(each), `${field}[${at}]`, reason),
    ...when(isRepeated(list, at), `${field}[${at}]`, 'is listed twice'),
  ])

function faultsOfSources({ memory_sources, files }: EmployeeTemplate): TemplateFault[] {
  const taken = new Set(files.map(({ name }) => folded(name)))
  const places = memory_sources.map(
    ({ source_type, directory }) => `${source_type} ${folded(directory ?? '')}`,
  )
  return memory_sources.flatMap(({ source_type, directory }, at) => {
    const field = `memory_sources[${at}]`
    return [
      ...when(!knownTypes.has(source_type), `${field}.source_type`, 'is not a type of source'),
      ...faultsOfDirectory(`${field}.directory`, source_type, directory),
      ...when(
        directory !== null && taken.has(folded(directory.split('/', 1)[0] ?? '')),
        `${field}.directory`,
        'is the name of a file of the template',
      ),
      ...when(isRepeated(places, at), field, 'is listed twice'),
    ]
  })
}

function faultsOfDirectory(field: string, type: string, directory: string | null): TemplateFault[] {
  if (type === readsNoDirectory) return when(directory !== null, field, 'must be null for this type')
  const parts = directory?.split('/') ?? []
  const isShort = parts.length <= mostParts && (directory?.length ?? 0) <= longestDirectory
  const isPath = parts.length > 0 && isShort && parts.every(isPlainName)
  return when(!isPath, field, 'must be a plain path below the directory of the agent')
}

function faultsOfFiles({ files }: EmployeeTemplate): TemplateFault[] {
  const names = files.map(({ name }) => folded(name))
  const sizes = files.map(({ content }) => bytesOf(content))
  const sum = sizes.reduce((all, each) => all + each, 0)
  return [
    ...when(files.length > maxFiles, 'files', `must be at most ${maxFiles}`),
    ...when(sum > maxFilesBytes, 'files', `must be at most ${maxFilesBytes} bytes together`),
    ...when(!files.some(({ name }) => name === personaFile), 'files', `must contain ${personaFile}`),
    ...files.flatMap(({ name, content }, at) => {
      const field = `files[${at}]`
      return [
        ...when(!isPlainName(name), `${field}.name`, 'must be a plain file name'),
        ...when(reserved.has(folded(name)), `${field}.name`, 'is written by the product'),
        ...when(isRepeated(names, at), `${field}.name`, 'is listed twice'),
        ...when((sizes[at] ?? 0) > maxFileBytes, `${field}.content`, `must be at most ${maxFileBytes} bytes`),
        ...when(content.trim() === '', `${field}.content`, 'must not be blank'),
        ...when(!isStorable(content), `${field}.content`, 'must be text without NUL'),
      ]
    }),
  ]
}

/** An unpaired surrogate has no form in UTF-8. */
const isStorable = (content: string): boolean => content.isWellFormed() && !content.includes('\0')
