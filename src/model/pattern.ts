/** The longest text that can match, in characters. */
const textMax = 10_000
/**
 * The number of ways in which a pattern can match. Each `?`, each alternative and each count of a repeat is a choice.
 */
const choicesMax = 256

/**
 * Compiles a regular expression of the catalog to a predicate that takes linear time. Text over 10,000 characters never
 * matches.
 * @throws {Error} for a pattern with more than one unbounded repeat (`*`, `+`, `{n,}`), an unbounded repeat that is not
 * anchored by `^`, more than 256 choices, a repeat of a group, a look-around or a back reference.
 */
export function compilePattern(source: string, flags: '' | 'i' = ''): (text: string) => boolean {
  const plain = source.replace(/\\[^1-9k]/g, '_').replace(/\[[^\]]*\]?/g, '_')
  const repeats = plain.match(/[*+]|\{\d+,\}/g) ?? []
  if (
    repeats.length > (isAnchored(plain) ? 1 : 0) ||
    choicesIn(plain) > choicesMax ||
    /\)([*+]|\{)/.test(plain) ||
    /\(\?[^:]|\\/.test(plain)
  ) {
    throw new Error(
      `Unsupported pattern ${source}. A pattern can have one unbounded repeat, and only if every alternative starts with ^. Its ?, | and {n,m} can produce at most ${choicesMax} combinations. Repeated groups, look-around and back references are not allowed.`,
    )
  }
  const pattern = new RegExp(source, flags)
  return (text) => text.length <= textMax && pattern.test(text)
}

/** Whether every branch begins with `^`. The engine tries any other branch at every character of the text. */
function isAnchored(plain: string): boolean {
  return plain
    .replace(/\([^()]*\)/g, '_')
    .split('|')
    .every((branch) => branch.startsWith('^'))
}

/** An upper bound of the number of paths that the engine can try: `a?a?a?` has 8. */
function choicesIn(plain: string): number {
  let choices = 1
  for (const [choice, from, to] of plain.matchAll(/\{(\d+),(\d+)\}|\||(?<![*+?}(])\?/g))
    choices *= choice.startsWith('{') ? Math.max(1, Number(to) - Number(from) + 1) : 2
  return choices
}
