import text from '../../../catalog/CHANGELOG.md' with { type: 'text' }

/** One version of the catalog: its name and its release notes as blocks. */
export type CatalogVersion = {
  name: string
  blocks: ({ kind: 'text'; words: string } | { kind: 'list'; items: string[] })[]
}

/** Returns the versions of the built-in catalog, newest first, as of the build of this page. */
export function catalogVersions(): CatalogVersion[] {
  return text.split(/^## /m).slice(1).map(parseVersion)
}

function parseVersion(section: string): CatalogVersion {
  const [name = '', ...lines] = section.split('\n')
  const blocks = lines
    .join('\n')
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .filter((block) => block !== '')
  return {
    name,
    blocks: blocks.map((block) =>
      block.startsWith('- ')
        ? { kind: 'list', items: block.split(/^- /m).slice(1).map(unwrapLines) }
        : { kind: 'text', words: unwrapLines(block) },
    ),
  }
}

function unwrapLines(words: string): string {
  return words.trim().replaceAll(/\s*\n\s*/g, ' ')
}
