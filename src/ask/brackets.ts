/** A text without what stands in brackets, and without the space before them. A bracket that is not closed stays. */
export function withoutBrackets(text: string): string {
  const parts = text.split(')')
  const rest = parts.pop()!
  return parts.map(withoutOpenBracket).join('') + rest
}

/** What stands before a closing bracket, up to the first that opens; all of it and the bracket where none does. */
function withoutOpenBracket(part: string): string {
  const opens = part.indexOf('(')
  return opens < 0 ? `${part})` : part.slice(0, opens).trimEnd()
}
