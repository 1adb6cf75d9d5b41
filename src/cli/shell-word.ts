/** A word as a shell takes it: in quotes where it needs them. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : shellQuoted(text)
}

/** A text in quotes, for a shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll('\'', '\'\\\'\'')}'`
}
