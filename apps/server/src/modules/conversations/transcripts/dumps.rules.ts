import type { Filter } from './noise.rules.ts'

/** A command or a line of configuration is worth keeping; a listing is not. */
const longest_fence_lines = 8
const longest_fence_letters = 800
/** So many lines of machine output in a row are a dump; fewer are a quotation. */
const shortest_run = 4
const longest_line = 2_000

const machineLine = [
  // Stack traces of several languages.
  /^\s*at .{1,300}[:(]\S{0,300}:\d+/,
  /^\s*File ".{1,300}", line \d+/,
  /^\s*(?:Traceback \(most recent|goroutine \d+|Caused by: |\.\.\. \d+ more|[\w.$]{1,200}(?:Exception|Error)(?::|$)|panic: |thread '.{1,100}' panicked)/,
  /^\s*\d{1,4}: +(?:0x[0-9a-f]{6,}|[\w:<>]{1,200}::)/,
  // Differences, and logs of version control.
  /^(?:diff --git |index [0-9a-f]{7,}|@@ |\+\+\+ |--- [ab]\/|[+-](?:\s{2,}|\t|[{}()[\]<;/]|[+-]|\w{1,40}[({=:.]))/,
  /^(?:commit [0-9a-f]{40}|Author: |Date: {3})/,
  // Logs: a time, a level, a line number.
  /^\s*\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d/,
  /^\s*\[?\d\d:\d\d:\d\d[\].,\s]/,
  /^\s*(?:\[?(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|NOTICE)\b\]?[\s:|])/,
  /^\s*(?:npm |yarn |pnpm )(?:warn|err|error|info|notice)\b/i,
  /^\s{0,8}\d{1,6}[→|:]\s?/,
  // JSON, braces, tables of tests and files.
  /^\s*[{}[\]()],?;?\s*$/,
  /^\s*"[^"]{1,200}"\s?:\s.{0,500}$/,
  /^\s*(?:"[^"]{0,300}"|-?\d+(?:\.\d+)?|true|false|null),?\s*$/,
  /^\s*(?:[✓✔✗✘×√]|PASS\b|FAIL\b|ok \d+|not ok \d+)/,
  /^[-dlbcps](?:[r-][w-][xsStT-]){3}[.+@]?\s/,
  /^\s*[0-9a-f]{4,16}[: ]\s?(?:[0-9a-f]{2,4} ){4,}/i,
  /^\s*(?:0x[0-9a-f]{4,}\b|[├└│]──|[├└│─┌┐┘┤┬┴┼═║]{2,})/i,
]

/** Whole lines that no person writes: packed data, encoded files, JSON without line breaks. */
const blob =
  /^\s*[[{].{300,}[\]}],?;?\s*$|\S{200,}|(?:[0-9A-Za-z+/_-]{60,}={0,2}\s?){3,}|data:[\w/+.-]{3,60};base64,/

const fenceMark = /^\s{0,3}(`{3,10}|~{3,10})/

const diffStart = /^(?:diff --git |@@ |--- [ab]\/)/
const diffLine = /^[-+ \\]/

/** Long code and machine output are dropped; a short quotation of either stays. */
export const withoutDumps: Filter = (text, drop) => {
  const lines = text.split('\n')
  const out: string[] = []
  let run: string[] = []
  let isDiff = false
  const endRun = (): void => {
    if (run.length >= shortest_run) {
      drop('dump')
      out.push('')
    } else {
      out.push(...run)
    }
    run = []
    isDiff = false
  }
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    const mark = fenceMark.exec(line)?.[1]
    if (mark !== undefined) {
      endRun()
      const end = endOfFence(lines, at, mark)
      const block = lines.slice(at, end + 1)
      if (isLong(block)) {
        drop('dump')
        out.push('')
      } else {
        out.push(...block)
      }
      at = end
    } else if (isBlob(line)) {
      endRun()
      drop('dump')
      out.push('')
    } else if (isMachineLine(line) || (isDiff && diffLine.test(line))) {
      isDiff ||= diffStart.test(line)
      run.push(line)
    } else {
      endRun()
      out.push(line)
    }
  }
  endRun()
  return out.join('\n')
}

/** The line that ends it; a fence that nothing ends goes as far as the text. */
function endOfFence(lines: readonly string[], first: number, mark: string): number {
  for (let at = first + 1; at < lines.length; at += 1) {
    if (
      lines[at]?.trim().startsWith(mark) === true &&
      lines[at]?.trim().replaceAll(mark[0] ?? '`', '') === ''
    )
      return at
  }
  return lines.length - 1
}

const isLong = (block: readonly string[]): boolean =>
  block.length - 2 > longest_fence_lines ||
  block.reduce((sum, line) => sum + line.length, 0) > longest_fence_letters ||
  block.some(isBlob)

const isBlob = (line: string): boolean => line.length > longest_line * 10 || blob.test(line)

/** Bounded, so that a hostile line costs no more than a page of text. */
const isMachineLine = (line: string): boolean => {
  const start = line.slice(0, longest_line)
  return machineLine.some((pattern) => pattern.test(start))
}
