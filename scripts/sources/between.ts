/** Puts a text between two marks of a document, such as `<!-- sources -->` and `<!-- /sources -->`; what was there goes. */
export function between(document: string, mark: string, text: string): string {
  const [open, close] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`]
  const [from, to] = [document.indexOf(open), document.indexOf(close)]
  if (from < 0 || to < from) throw new Error(`The document has lost its marks ${open} and ${close}.`)
  return `${document.slice(0, from)}${open}\n${text}\n${document.slice(to)}`
}
