/** The longest text that a pattern is tried on. */
const textMax = 10_000

/**
 * A regular expression of the catalog as a predicate. Refused when its work could grow faster than the text does: more than one
 * `*`, `+` or `{n,}`, one that does not stand behind `^`, one on a group, a look-around, a back reference.
 * Longer text than 10,000 characters does not match.
 */
export function compilePattern(source: string): (text: string) => boolean {
  const plain = source.replace(/\\[^1-9k]/g, '_').replace(/\[[^\]]*\]?/g, '_')
  const repeats = plain.match(/[*+]|\{\d+,\}/g) ?? []
  if (repeats.length > (isAnchored(plain) ? 1 : 0) || /\)([*+]|\{)/.test(plain) || /\(\?[^:]|\\/.test(plain)) {
    throw new Error(
      `The pattern ${source} is not allowed: it may repeat once without a limit, behind a ^, and no group; it has no look-around and no back reference.`,
    )
  }
  const pattern = new RegExp(source)
  return (text) => text.length <= textMax && pattern.test(text)
}

/** Whether every branch begins with `^`: one that does not is tried from every character of the text. */
function isAnchored(plain: string): boolean {
  return plain
    .replace(/\([^()]*\)/g, '_')
    .split('|')
    .every((branch) => branch.startsWith('^'))
}
