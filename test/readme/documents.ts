import { basename, join } from 'node:path'
import { guidePageNames } from '../../src/web/guide/pages.ts'

const root = join(import.meta.dir, '..', '..')

/** README.md or a page of the guide. `name` is `README` or the name of the page. */
export type GuideDocument = { name: string; path: string; text: string }

/** A fenced block: its language, the heading above it, and its first line number. */
export type Block = { document: string; language: string; heading: string; line: number; text: string }

/** README.md and the pages of the guide, in reading order. */
export const guideDocuments: GuideDocument[] = await Promise.all(
  ['README.md', ...guidePageNames.map((name) => `src/web/guide/${name}.md`)].map(async (path) => ({
    name: basename(path, '.md'),
    path,
    text: await Bun.file(join(root, path)).text(),
  })),
)

export const blocks: Block[] = guideDocuments.flatMap(blocksOf)

/** The code spans of all documents. */
export const codeSpans: string[] = guideDocuments.flatMap(({ text }) =>
  [...text.replaceAll(/^```[^]*?^```$/gm, '').matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map(([, code]) => code!),
)

export function documentNamed(name: string): GuideDocument {
  return guideDocuments.find((document) => document.name === name)!
}

/** The rows of the table under a heading of level 2: their cells. */
export function tableUnder(name: string, heading: string): string[][] {
  const [, below = ''] = documentNamed(name).text.split(`\n## ${heading}\n`)
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
  if (rows.length < 3) throw new Error(`There is no table under "${heading}" in ${name}.`)
  return rows.slice(2)
}

function blocksOf({ name, path, text }: GuideDocument): Block[] {
  const found: Block[] = []
  let heading = ''
  let open: Block | null = null
  for (const [i, line] of text.split('\n').entries()) {
    if (line.startsWith('```')) {
      if (open) found.push(open)
      open = open ? null : { document: name, language: line.slice(3).trim(), heading, line: i + 2, text: '' }
    } else if (open) open.text += `${line}\n`
    else if (/^#+ /.test(line)) heading = line.replace(/^#+ /, '')
  }
  if (open) throw new Error(`The block at ${path}:${open.line} is not closed.`)
  return found
}
