import text from '../../../catalog/CHANGELOG.md' with { type: 'text' }
import type { PageProps } from '../dashboard.ts'

/** Shows the changes between catalog versions. */
export function ChangeLog({ dashboard: { catalogStore } }: PageProps) {
  const catalog = catalogStore.catalog.value
  const version = catalog.status === 'loaded' ? catalog.value.version : ''
  return (
    <div class="stack catalog-changes">
      {version.includes('+local.') && (
        <p class="notice">
          This server has additional layers; its catalog version is {version}. The changes below are those of the
          built-in catalog.
        </p>
      )}
      {catalogVersions().map(({ name, blocks }) => (
        <section key={name} class="card stack stack--3">
          <h2>{name}</h2>
          {blocks.map((block, i) =>
            block.kind === 'text' ? (
              <p key={i}>
                <InlineCode text={block.words} />
              </p>
            ) : (
              <ul key={i}>
                {block.items.map((item) => (
                  <li key={item}>
                    <InlineCode text={item} />
                  </li>
                ))}
              </ul>
            ),
          )}
        </section>
      ))}
    </div>
  )
}

/** Shows text with `code` in backticks. */
function InlineCode({ text }: { text: string }) {
  return <>{text.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</>
}

/** One version of the catalog: its name and its release notes as blocks. */
type CatalogVersion = {
  name: string
  blocks: ({ kind: 'text'; words: string } | { kind: 'list'; items: string[] })[]
}

/** Returns the versions of the built-in catalog, newest first, as of the build of this page. */
function catalogVersions(): CatalogVersion[] {
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
