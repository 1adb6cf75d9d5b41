/** Removes text in parentheses and the space before it. An unclosed parenthesis stays. */
export function withoutBrackets(text: string): string {
  const parts = text.split(')')
  const rest = parts.pop()!
  return parts.map(withoutOpenBracket).join('') + rest
}

/** Returns the text before the first opening parenthesis; without one, the text and its closing parenthesis. */
function withoutOpenBracket(part: string): string {
  const opens = part.indexOf('(')
  return opens < 0 ? `${part})` : part.slice(0, opens).trimEnd()
}
