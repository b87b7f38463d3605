import { readdirSync, writeFileSync } from 'node:fs'

/** `npm run db:new -- fleet_desks` creates the next migration file. */
const folder = 'apps/server/migrations'
const name = process.argv[2] ?? ''
if (!/^[a-z][a-z0-9_]*$/.test(name)) {
  console.error('usage: npm run db:new -- <module>_<what>')
  process.exit(1)
}
const next = readdirSync(folder).filter((file) => file.endsWith('.sql')).length + 1
const path = `${folder}/${String(next).padStart(4, '0')}_${name}.sql`
writeFileSync(path, '', { flag: 'wx' })
console.log(path)
