/** A Markdown table. Characters that would end a cell or begin a tag are replaced. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, header.map(() => '---'), ...rows.map((cells) => cells.map(escapeCell))]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '/').replaceAll('<', '&lt;')
}
