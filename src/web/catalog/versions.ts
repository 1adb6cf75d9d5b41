import text from '../../../catalog/CHANGELOG.md' with { type: 'text' }

/** One version of the catalog: its name, and what it says, block by block. */
export type Version = { name: string; blocks: ({ kind: 'text'; words: string } | { kind: 'list'; items: string[] })[] }

/** The changes of the catalog, the newest first: as they were when this page was built, with the catalog that is built in. */
export function changesOfCatalog(): Version[] {
  return text.split(/^## /m).slice(1).map(versionOf)
}

function versionOf(section: string): Version {
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
        ? { kind: 'list', items: block.split(/^- /m).slice(1).map(unwrapped) }
        : { kind: 'text', words: unwrapped(block) },
    ),
  }
}

function unwrapped(words: string): string {
  return words.trim().replaceAll(/\s*\n\s*/g, ' ')
}
