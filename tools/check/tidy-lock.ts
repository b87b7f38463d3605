import { readFileSync, writeFileSync } from 'node:fs'
import { type OptionalLock, tidyLock } from './dangling-lock.ts'

/** Run after every `npm install` that changes the lock, so that `npm ci` accepts it. */
const path = 'package-lock.json'
const lock = JSON.parse(readFileSync(path, 'utf8')) as OptionalLock
const removed = tidyLock(lock)
if (removed > 0) writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`)
console.log(`${removed} entries without a package removed from ${path}`)
