import { readFileSync, statSync } from 'node:fs'
import type { z } from 'zod'

/** Marks a setting that may be given as a file: `NAME_FILE` in place of `NAME`. */
export const secret = (description: string) => ({ description, secret: true })

export const listSecretSettings = (schema: z.ZodObject): string[] =>
  Object.entries(schema.shape)
    .filter(([, setting]) => (setting as z.ZodType).meta()?.secret === true)
    .map(([name]) => name)

/** No secret of ours is longer, and a path that was mixed up must not fill the memory. */
const mostBytes = 65_536

export interface ReadSecrets {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly faults: readonly string[]
}

/**
 * Puts the content of files in the place of the settings that name them. Neither a content nor a path is ever part of a
 * fault: whoever mixes the two up has put the secret where the path belongs.
 */
export function readSecretFiles(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): ReadSecrets {
  const read: Record<string, string> = {}
  const faults: string[] = []
  for (const name of names) {
    const setting = `${name}_FILE`
    const path = env[setting]
    if (path === undefined) continue
    if (env[name] !== undefined) {
      faults.push(`${name}: is set, and ${setting} as well; unset one of them`)
      continue
    }
    const { text, fault } = readSecret(path)
    if (text === undefined) faults.push(`${setting}: ${fault}`)
    else read[name] = text
  }
  return { env: { ...env, ...read }, faults }
}

function readSecret(path: string): { text?: string; fault?: string } {
  try {
    const found = statSync(path)
    if (!found.isFile()) return { fault: 'must be the path of a file' }
    if (found.size > mostBytes) return { fault: `the file is larger than ${mostBytes} bytes` }
    // Editors and `echo` end a file with a line break that is no part of the secret.
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
    return text === '' ? { fault: 'the file is empty' } : { text }
  } catch (error) {
    return { fault: `the file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})` }
  }
}
