/** Reads the string of the member `answer` out of a JSON object while it is still being written; gives what is new. */
export function openAnswerText(): (json: string) => string {
  let text = ''
  let begin = -1
  let given = 0
  return (piece) => {
    text += piece
    if (begin < 0) begin = /^\s*\{\s*"answer"\s*:\s*"/.exec(text)?.[0].length ?? -1
    if (begin < 0) return ''
    const whole = unescaped(text.slice(begin, endOf(text, begin)))
    const fresh = whole.slice(given)
    given = whole.length
    return fresh
  }
}

/** Where the string ends, or where it can be cut: not inside an escape. */
function endOf(text: string, begin: number): number {
  let at = begin
  while (at < text.length && text[at] !== '"') {
    const size = text[at] === '\\' ? (text[at + 1] === 'u' ? 6 : 2) : 1
    if (at + size > text.length) break
    at += size
  }
  return at
}

function unescaped(inside: string): string {
  try {
    return JSON.parse(`"${inside}"`) as string
  } catch {
    // No JSON: the whole is judged when it has come.
    return ''
  }
}
