import { z } from 'zod'
import { url, whole } from './setting-forms.ts'

/** Settings of the code index, a part of those in config.ts. */
export const codeIndexSettings = {
  CODE_INDEX_DATABASE_URL: url('postgres', 'postgresql')
    .optional()
    .describe(
      'The same database by another way for the graph of code: same role and name, another host or port. Falls back to DATABASE_URL',
    ),
  CODE_INDEX_DATABASE_POOL_SIZE: whole(5, 1).describe(
    'Connection pool size per process for the graph of code',
  ),
  CODE_INDEX_DEADLINE_MS: whole(2000, 100).describe(
    'How long a walk over the graph of code may take; past it lessons are returned without those near by, and the graph is 504',
  ),
  CODE_INDEX_FILE_ROOT: z
    .string()
    .regex(/^\//, 'must be an absolute path')
    .optional()
    .describe(
      'Directory of repositories that every workspace may attach with a `file:` address; without it there are no such addresses',
    ),
}
