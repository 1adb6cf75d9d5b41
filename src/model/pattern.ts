/** The longest text that can match, in characters. */
const textMax = 10_000

/**
 * Compiles a regular expression of the catalog to a predicate that takes linear time. Text over 10,000 characters never
 * matches.
 * @throws {Error} for a pattern with more than one unbounded repeat (`*`, `+`, `{n,}`), an unbounded repeat that is not
 * anchored by `^`, a repeat of a group, a look-around or a back reference.
 */
export function compilePattern(source: string): (text: string) => boolean {
  const plain = source.replace(/\\[^1-9k]/g, '_').replace(/\[[^\]]*\]?/g, '_')
  const repeats = plain.match(/[*+]|\{\d+,\}/g) ?? []
  if (repeats.length > (isAnchored(plain) ? 1 : 0) || /\)([*+]|\{)/.test(plain) || /\(\?[^:]|\\/.test(plain)) {
    throw new Error(
      `Unsupported pattern ${source}. Use at most one unbounded repeat, anchored by ^; no repeated group, look-around or back reference.`,
    )
  }
  const pattern = new RegExp(source)
  return (text) => text.length <= textMax && pattern.test(text)
}

/** Whether every branch begins with `^`. The engine tries any other branch at every character of the text. */
function isAnchored(plain: string): boolean {
  return plain
    .replace(/\([^()]*\)/g, '_')
    .split('|')
    .every((branch) => branch.startsWith('^'))
}
