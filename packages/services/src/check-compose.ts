import { join } from 'node:path'
import { attempt } from './commands.ts'
import { ensureCompose } from './docker-compose.ts'
import { repositoryRoot } from './facts.ts'

/** What `deploy/production/install` would have written. */
const answers = {
  PUBLIC_URL: 'https://crewhall.example.com',
  MAIL_DOMAIN: 'crewhall.example.com',
  MAIL_FROM: 'Crewhall <no-reply@crewhall.example.com>',
}

const compose = await ensureCompose()
for (const name of ['deploy/compose.yaml', 'deploy/production/compose.yaml']) {
  const file = join(repositoryRoot, name)
  const args = ['-f', file, '--profile', '*', 'config', '-q']
  const { code, output } = await attempt(compose, args, { env: answers })
  console.log(code === 0 ? `${name} is valid` : output.trimEnd())
  if (code !== 0) process.exitCode = code
}
