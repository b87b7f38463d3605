import { fileURLToPath } from 'node:url'

/** The schema that this version brings, as files. */
export const migrationsFolder = fileURLToPath(new URL('../migrations', import.meta.url))
