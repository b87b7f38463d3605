import { readFileSync } from 'node:fs'

/** The installer without its values, a file of its own so that it can be read and checked as what it is. */
export const readTemplate = (): string => readFileSync(new URL('installer.sh', import.meta.url), 'utf8')
