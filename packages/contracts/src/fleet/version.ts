/** As `1.2.3`, with whatever follows a dash or a plus. */
const form = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:-([0-9A-Za-z.-]{1,64}))?(?:\+[0-9A-Za-z.-]{1,64})?$/

/** Whether the first is older. Numbers are compared as numbers: 0.2.9 is older than 0.2.10. */
export function isOlder(one: string, other: string): boolean {
  const [a, b] = [form.exec(one), form.exec(other)]
  // What is no version tells nothing about its age, and is taken for old.
  if (!a || !b) return !a && Boolean(b)
  for (const at of [1, 2, 3]) {
    const difference = Number(a[at]) - Number(b[at])
    if (difference !== 0) return difference < 0
  }
  return a[4] !== undefined && (b[4] === undefined || isOlderPreview(a[4], b[4]))
}

/** Of two previews of one version, as semver orders them: part by part, numbers before words. */
function isOlderPreview(one: string, other: string): boolean {
  const [a, b] = [one.split('.'), other.split('.')]
  for (let at = 0; at < Math.min(a.length, b.length); at += 1) {
    const [left = '', right = ''] = [a[at], b[at]]
    if (left === right) continue
    const [isNumber, isOtherNumber] = [/^\d+$/.test(left), /^\d+$/.test(right)]
    if (isNumber && isOtherNumber) return Number(left) < Number(right)
    return isNumber !== isOtherNumber ? isNumber : left < right
  }
  return a.length < b.length
}
