/** Returns a shell word, quoted if necessary. */
export function toShellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quoteForShell(text)
}

/** Returns a text in single quotes for a shell. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
