import { join } from 'node:path'

/** A fenced block of the README: its language, the heading that it stands under, the line that it begins at. */
export type Block = { language: string; heading: string; line: number; text: string }

export const readme = await Bun.file(join(import.meta.dir, '..', '..', 'README.md')).text()

/** Every fenced block, in its order. */
export const blocks: Block[] = blocksOf(readme)

function blocksOf(text: string): Block[] {
  const found: Block[] = []
  let heading = ''
  let open: Block | null = null
  for (const [i, line] of text.split('\n').entries()) {
    if (line.startsWith('```')) {
      if (open) found.push(open)
      open = open ? null : { language: line.slice(3).trim(), heading, line: i + 2, text: '' }
    } else if (open) open.text += `${line}\n`
    else if (/^#+ /.test(line)) heading = line.replace(/^#+ /, '')
  }
  if (open) throw new Error(`A block of the README is not closed: it begins at line ${open.line}.`)
  return found
}

/** The rows of the table under a heading: their cells. */
export function tableUnder(heading: string): string[][] {
  const [, below = ''] = readme.split(`\n## ${heading}\n`)
  const rows = below
    .split(/\n## /)[0]!
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  if (rows.length < 3) throw new Error(`There is no table under "${heading}" in the README.`)
  return rows.slice(2)
}
