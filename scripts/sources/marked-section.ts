/**
 * Replaces the text between two marks of a document, such as `<!-- sources -->` and `<!-- /sources -->`.
 *
 * @throws when the document does not have both marks.
 */
export function between(document: string, mark: string, text: string): string {
  const [open, close] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`]
  const [from, to] = [document.indexOf(open), document.indexOf(close)]
  if (from < 0 || to < from) throw new Error(`The document needs the marks ${open} and ${close}.`)
  return `${document.slice(0, from)}${open}\n${text}\n${document.slice(to)}`
}
