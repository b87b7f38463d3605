import { homedir } from 'node:os'
import { join } from 'node:path'

/** What every checkout of one user shares: built root folders, downloaded packages, the list of ports in use. */
export const cacheDir = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'crewhall')
