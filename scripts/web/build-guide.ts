import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { guidePageNames, type GuideBlock, type GuideHeading, type GuidePage } from '../../src/web/guide/pages.ts'

const guideFolder = join(import.meta.dir, '../../src/web/guide')
const zstdLevel = 19
/** The marks around generated tables. */
const mark = /^<!-- \/?[\w-]+ -->\n/gm
const heading = /<h([1-6]) id="([^"]*)">(.*?)<\/h\1>/g
const block = /<h[1-6] id="([^"]*)">|<(p|li|tr|pre)\b[^>]*>(.*?)<\/\2>/gs
const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' }

/** Writes the guide into the folder of the built dashboard: one compressed file that the server reads at start. */
export function buildGuide(folder: string): void {
  const pages = guidePageNames.map((name) =>
    renderGuidePage(name, readFileSync(join(guideFolder, `${name}.md`), 'utf8')),
  )
  writeFileSync(join(folder, 'guide.zst'), Bun.zstdCompressSync(JSON.stringify(pages), { level: zstdLevel }))
}

/** @throws when the page does not begin with exactly one `#` heading. */
export function renderGuidePage(name: string, markdown: string): GuidePage {
  const content = Bun.markdown.html(markdown.replace(mark, ''), {
    headings: { ids: true },
    noHtmlBlocks: true,
    noHtmlSpans: true,
  })
  const html = linkHeadings(name === 'errors' ? anchorErrorCodes(content) : content)
    .replaceAll(/href="([\w-]+)\.md(#[^"]*)?"/g, 'href="/guide/$1$2"')
    // Wide content scrolls in its own box; tabindex makes it reachable from the keyboard.
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<pre>', '<pre tabindex="0">')
  const headings = headingsOf(html)
  const [title, ...others] = headings.filter(({ level }) => level === 1)
  if (!title || others.length > 0) throw new Error(`${name}.md needs exactly one heading of level 1.`)
  return { name, title: title.text, markdown, html, headings, blocks: blocksOf(html, headings) }
}

function linkHeadings(html: string): string {
  return html.replaceAll(heading, (whole, level: string, id: string, content: string) =>
    level === '1'
      ? whole
      : `<h${level} id="${id}">${content} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h${level}>`,
  )
}

/**
 * Gives the table row of each error code an id. Of two rows of one code, the later one, a request error, has the id.
 */
function anchorErrorCodes(html: string): string {
  return html.replaceAll(/<tr>\s*<td><code>(\w+)<\/code><\/td>/g, (row, code: string, at: number) =>
    html.includes(`<td><code>${code}</code></td>`, at + row.length) ? row : row.replace('<tr>', `<tr id="${code}">`),
  )
}

function headingsOf(html: string): GuideHeading[] {
  return [...html.matchAll(heading)].map(([, level, id, content]) => ({
    id: id!,
    level: Number(level),
    text: textOf(content!.replace(/ <a class="anchor".*<\/a>$/, '')),
  }))
}

function blocksOf(html: string, headings: GuideHeading[]): GuideBlock[] {
  const blocks: GuideBlock[] = []
  let current = 0
  for (const [, id, , content] of html.matchAll(block)) {
    if (id !== undefined) current = headings.findIndex((it) => it.id === id)
    else blocks.push({ heading: current, text: textOf(content!) })
  }
  return blocks
}

/** The text of HTML that Bun.markdown wrote; cells of a table are separated. */
function textOf(html: string): string {
  return html
    .replaceAll(/<\/t[dh]>/g, ' · ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(?:lt|gt|quot|amp|#39);/g, (entity) => entities[entity]!)
    .replaceAll(/\s+/g, ' ')
    .replace(/ · $/, '')
    .trim()
}
