const shownColumnsMax = 30
const shownMax_characters = 40

/** The first names of a header, for an error. */
export function shownColumns(header: readonly string[]): string {
  return header.slice(0, shownColumnsMax).join(', ')
}

/** The names of columns, quoted and shortened, for an error. */
export function columnNames(columns: readonly number[], header: readonly string[]): string {
  return columns.map((i) => shownText(header[i] ?? '')).join(', ')
}

/** A text from a file, quoted and shortened, for an error. */
export function shownText(text: string): string {
  return JSON.stringify(text.slice(0, shownMax_characters))
}
