import { repositoryRoot } from './facts.ts'
import { partNames } from './part.ts'
import { verbs } from './verbs.ts'

const usage = `Use: npm run services -- <verb> [part…]
  up, down, reset      start, stop, or stop and delete the data and start again
  status               one line per part; exit code 1 when one does not run
  env [--json]         the settings that point at the parts
  signal <part> KILL|STOP|CONT
Parts: ${partNames.join(' ')}; none named means all`

// Daemons with users of their own read files that we write.
process.umask(0o022)

const [word = '', ...words] = process.argv.slice(2)
const verb = verbs[word]
try {
  if (!verb) throw new Error(usage)
  process.exitCode = await verb(repositoryRoot, words)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
