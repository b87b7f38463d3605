import { asAdmin } from './databases.ts'

const settings = ['fsync', 'full_page_writes']

/**
 * Tests kill processes and never the machine, and what the kernel has taken survives a killed process: during a run
 * of tests the shared PostgreSQL does not wait for the disk. Private services of fault tests keep the real settings.
 */
export async function relaxDurability(): Promise<void> {
  for (const setting of settings) await asAdmin(`alter system set ${setting} = off`)
  await asAdmin('select pg_reload_conf()')
}

/** As an operator runs it. Benches call this first, because a run of tests that was killed restores nothing. */
export async function restoreDurability(): Promise<void> {
  for (const setting of settings) await asAdmin(`alter system reset ${setting}`)
  await asAdmin('select pg_reload_conf()')
}
