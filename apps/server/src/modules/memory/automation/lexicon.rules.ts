// Words that may differ between two texts that say the same. Whatever is not listed here counts: a list that lacks a word
// costs a missed likeness, and one that has a word too many would merge what is different.

const listed = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter(Boolean))

/** Carry no meaning of their own. `was`, `will`, `must`, `only`, `all` and words of direction are missing on purpose. */
export const emptyWords = listed(`
  a an the is are am be been being do does have has that this these those it its of in on at for with as and
  we our ours us i my mine which who whose there here so then please just simply basically really actually currently now
  also too both such`)

/** Before a form that ends in -ed, these make a passive of the present: "is cached" says what "caches" says. */
export const passiveWords = listed('is are be been being get gets')

/** The first of each line stands for all of it. */
const same = `
  use utilise utilize
  run execute
  start begin commence
  stop halt
  remove delete erase
  fix repair
  fast quick quickly
  large big
  repository repo
  database db
  environment env
  production prod
  configuration config
  documentation docs doc
  application app
  maximum max
  information info
  kubernetes k8s
  postgres postgresql
  javascript js
  typescript ts
  folder directory
  every each
  need require
  allow permit
  must shall
  color colour
  behavior behaviour
  license licence
  okay ok
  monday mon
  tuesday tue tues
  wednesday wed
  thursday thu thurs
  friday fri
  ms millisecond msec
  s second sec
  minute min
  hour hr h
  day d
  kb kilobyte
  mb megabyte
  gb gigabyte
  tb terabyte
  % percent pct
  not no`

export const sameWords: readonly (readonly string[])[] = same
  .trim()
  .split('\n')
  .map((line) => line.trim().split(' '))

/** Read before words are. */
export const phrases: readonly (readonly [RegExp, string])[] = [
  [/\b(?:please )?(?:note|remember|keep in mind|be aware) that\b/g, ' '],
  [/\bit (?:is|was) (?:decided|agreed|noted|found) that\b/g, ' '],
  [/\b(?:we|the team) (?:have |has )?(?:decided|agreed) (?:that|to)\b/g, ' '],
  [/\b(?:its|their|our) own\b/g, ' '],
  [/\b(?:has|have|needs?|is required|are required) to\b/g, ' must '],
  [/\bin order to\b/g, ' to '],
  [/\bprior to\b/g, ' before '],
  [/\brather than\b/g, ' instead of '],
  [/\b(?:due to|because of|owing to)\b/g, ' because '],
  [/\bevery day\b/g, ' daily '],
  [/\bevery week\b/g, ' weekly '],
  [/\bevery month\b/g, ' monthly '],
  [/\b(log|sign)[ -](in|out)\b/g, ' $1$2 '],
  [/\bset[ -]up\b/g, ' setup '],
  [/\bback[ -]up\b/g, ' backup '],
  [/\bshut[ -]down\b/g, ' shutdown '],
  [/\be-mail/g, ' email'],
  [/\bcan(?:'t|not)\b/g, ' can not '],
  [/\bwon't\b/g, ' will not '],
  [/n't\b/g, ' not '],
  [/'(?:re|ve|ll|d|s|m)\b/g, ' '],
]

const small = `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
  seventeen eighteen nineteen twenty`
const tens = 'thirty forty fifty sixty seventy eighty ninety'
export const numberWords: ReadonlyMap<string, string> = new Map([
  ...small.split(/\s+/).map((word, n): [string, string] => [word, String(n)]),
  ...tens.split(' ').map((word, n): [string, string] => [word, String(30 + 10 * n)]),
])

export const months =
  `january february march april may june july august september october november december`.split(' ')
