import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const unit = resolve(import.meta.dirname, '../../../deploy/production/pgbackrest/crewhall-backup.service')

/** A command of the shipped unit of backups, as systemd gives it to a shell. */
export function commandOfUnit(name: 'ExecStart' | 'ExecStartPost' | 'ExecStopPost'): string {
  const line = new RegExp(`^${name}=-?(.*)$`, 'm').exec(readFileSync(unit, 'utf8'))?.[1]
  if (line === undefined) throw new Error(`the unit of backups has no ${name}`)
  return line.replaceAll('%%', '%')
}
