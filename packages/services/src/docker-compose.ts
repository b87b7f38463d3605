import { ensureUnpacked } from './unpacked-package.ts'

/** Debian 13 packages Compose v2, whose `config` needs no Docker daemon. */
export const ensureCompose = (): Promise<string> =>
  ensureUnpacked({
    name: 'docker-compose',
    release: 'trixie',
    programs: ['usr/bin/docker-compose', 'usr/libexec/docker/cli-plugins/docker-compose'],
  })
