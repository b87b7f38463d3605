import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs'

// A program of somebody else that writes a file of ours as well, without any lock: it adds a numbered line to it again and
// again, as editors, agents and shell scripts do. Started with the path, the way and how often; prints what it saw.
const [, , path = '', way = '', times = '0'] = process.argv

type Way = (line: string) => void
const ways: Readonly<Record<string, Way>> = {
  /** Into the file as it is, as `echo >>` does. */
  append: (line) => appendFileSync(path, line),
  /** Held open for a moment between opening and writing. */
  'slow append': (line) => {
    const fd = openSync(path, 'a')
    pause(1)
    writeSync(fd, line)
    closeSync(fd)
  },
  /** All of it into a new file, which then takes its place, as editors do. */
  rename: (line) => {
    const next = readFileSync(path) + line
    writeFileSync(`${path}.edited`, next)
    renameSync(`${path}.edited`, path)
  },
}

const write = ways[way]
if (!write) throw new Error(`no such way: ${way}`)
let torn = 0
for (let n = 0; n < Number(times); n += 1) {
  write(`user line ${n}\n`)
  torn += isWhole() ? 0 : 1
  // Sometimes at once, sometimes when the other one is at something else.
  pause(Math.random() * 10)
}
console.log(JSON.stringify({ torn }))

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** Nobody may ever find half a file, or none. */
function isWhole(): boolean {
  if (!existsSync(path)) return false
  const text = readFileSync(path, 'utf8')
  const markers = text.match(/^<!-- crewhall:memory (?:begin|end) [0-9a-f]{16} -->$/gm) ?? []
  return (
    text.startsWith('# Notes\n') && text.endsWith('\n') && markers.length % 2 === 0 && markers.length <= 2
  )
}
