import { readFileSync } from 'node:fs'

/** Preloaded into a process that knows nothing of virtual clocks: its machine has the time of one. */
const file = process.env.TEST_CLOCK_FILE
if (file === undefined) throw new Error('TEST_CLOCK_FILE names no clock')
const realNow = Date.now
Date.now = () => realNow() + Number(readFileSync(file, 'utf8'))
