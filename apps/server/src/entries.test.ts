import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const told = `import { registerHooks } from 'node:module'
registerHooks({ load(url, context, next) { process.stderr.write('loaded ' + url + '\\n'); return next(url, context) } })`

test.each(['api', 'worker', 'hub', 'migrate'])(
  'the %s tells that a secret cannot be read before it loads what it would run',
  (name) => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [
        '--import',
        `data:text/javascript,${encodeURIComponent(told)}`,
        fileURLToPath(new URL(`${name}.ts`, import.meta.url)),
      ],
      {
        // A folder: root could read any file.
        env: { DATABASE_URL_FILE: '/', REDIS_URL: 'redis://127.0.0.1:2' },
        encoding: 'utf8',
      },
    )
    expect(stderr).toContain('DATABASE_URL_FILE: must be the path of a file')
    expect(status).toBe(78)
    expect(stderr).toMatch(/loaded file:.*\/config\.ts/)
    expect(stderr).not.toMatch(/loaded file:.*\/(src\/modules\/|run-)/)
  },
)
