import { ensureUnpacked } from '@crewhall/services/unpacked-package.ts'

/** The version that the compose file names: the machine's own Debian has a much older one. */
export const ensureCaddy = (): Promise<string> =>
  ensureUnpacked({ name: 'caddy', release: 'trixie-backports', programs: ['usr/bin/caddy'] })
