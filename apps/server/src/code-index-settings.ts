import { z } from 'zod'
import { secret } from './secret-files.ts'
import { url, whole } from './setting-forms.ts'

/** Settings of the code index, a part of those in config.ts. */
export const codeIndexSettings = {
  CODE_INDEX_DATABASE_URL: url('postgres', 'postgresql')
    .optional()
    .meta(
      secret(
        'The same database by another way for the graph of code: same role and name, another host or port. Falls back to DATABASE_DIRECT_URL, then to DATABASE_URL',
      ),
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
  CODE_INDEX_DIR: z
    .string()
    .regex(/^(?:\/[\w.-]+)+$/, 'must be an absolute path of letters, digits, dots and dashes')
    .default('/var/tmp/crewhall-code-index')
    .describe(
      'Directory for copies of repositories on the machine of a worker; nothing else may lie in it. What is missing is fetched again',
    ),
  CODE_INDEX_CA_FILE: z
    .string()
    .optional()
    .describe(
      'File with the certificates that git trusts, for hosts of repositories with an authority of their own',
    ),
  CODE_INDEX_REPOSITORY_MB: whole(2000, 1).describe('Largest copy of a repository, in MiB'),
  CODE_INDEX_WORKSPACE_MB: whole(8000, 1).describe('The same for all repositories of a workspace together'),
  CODE_INDEX_MAX_OBJECTS: whole(10_000_000, 1).describe('Most objects of a repository'),
  CODE_INDEX_FETCH_SECONDS: whole(600, 1).describe('Longest time to fetch a repository'),
  CODE_INDEX_MEMORY_MB: whole(1024, 256).describe(
    'Memory of the process that indexes; above it, the run fails',
  ),
  CODE_INDEX_CHECK_MINUTES: whole(15).describe(
    'How often a remote is asked whether there is something new, in minutes; 0 is never',
  ),
}
