import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

export type Tree = Readonly<Record<string, string>>

// A git repository with these files, all of them added, gone when the test has finished.
export const plantRepo = (tree: Tree): string => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'planted-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  execFileSync('git', ['init', '-q'], { cwd: root })
  execFileSync('git', ['add', '-Af', '.'], { cwd: root })
  return root
}
