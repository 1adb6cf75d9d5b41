import type { PageProps } from '../dashboard.ts'
import { catalogVersions } from './catalog-versions.ts'

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
        <section key={name} class="card">
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
