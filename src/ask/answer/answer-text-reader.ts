/** Reads the string member `answer` of a JSON object that arrives in pieces. Each call returns the new text. */
export function createAnswerTextReader(): (json: string) => string {
  let text = ''
  let start = -1
  let readLength = 0
  return (piece) => {
    text += piece
    if (start < 0) start = /^\s*\{\s*"answer"\s*:\s*"/.exec(text)?.[0].length ?? -1
    if (start < 0) return ''
    const decoded = unescapeJson(text.slice(start, stringEndOf(text, start)))
    const fresh = decoded.slice(readLength)
    readLength = decoded.length
    return fresh
  }
}

/** Returns where the string ends or can be cut, which is never inside an escape sequence. */
function stringEndOf(text: string, start: number): number {
  let position = start
  while (position < text.length && text[position] !== '"') {
    const size = text[position] === '\\' ? (text[position + 1] === 'u' ? 6 : 2) : 1
    if (position + size > text.length) break
    position += size
  }
  return position
}

function unescapeJson(inside: string): string {
  try {
    return JSON.parse(`"${inside}"`) as string
  } catch {
    // Invalid JSON is rejected once the whole message has arrived.
    return ''
  }
}
