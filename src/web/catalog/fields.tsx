import { useRef } from 'preact/hooks'
import type { CatalogDocument, CatalogField } from '../../catalog/catalog-document.ts'
import { useAsked, type Asked } from '../asked.ts'
import type { PageProps } from '../dashboard.ts'
import { Empty } from '../parts/empty.tsx'
import { Fault } from '../parts/fault.tsx'
import { Icon } from '../parts/icons.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { titleOf } from '../parts/value.ts'
import { FieldLine } from './field-line.tsx'

type Props = PageProps & { catalog: CatalogDocument }

const wordsMax_characters = 300

/** The fields by layer; those that answer to some words, best first. What is looked for stands in the address. */
export function Fields({ dashboard, catalog }: Props) {
  const { address, api } = dashboard
  const { query } = address.at.value
  const words = (query.get('q') ?? '').slice(0, wordsMax_characters)
  const layer = query.get('layer') ?? ''
  const isHereOnly = query.get('here') === '1'
  const isWanted = (field: CatalogField) =>
    (layer === '' || field.layer === layer) && (!isHereOnly || field.providers.length > 0)
  const [found, again] = useAsked(
    (signal) =>
      words.trim() === ''
        ? Promise.resolve(null)
        : api.get<CatalogDocument>(`/v1/meta/fields?q=${encodeURIComponent(words)}`, signal),
    [words],
  )
  // While the next is looked for, the last stays: typing would make the page flicker.
  const last = useRef(found)
  if (found.state !== 'waiting') last.current = found
  const wanted = catalog.fields.filter(isWanted)
  return (
    <section class="stack" aria-label="Fields">
      <div class="catalog-tools">
        <div class="catalog-search">
          <Icon name="search" />
          <input
            class="input"
            type="search"
            aria-label="Search the fields"
            placeholder="Flood, slope, distance to a river …"
            maxLength={wordsMax_characters}
            value={words}
            onInput={(event) => address.note({ q: event.currentTarget.value || null })}
          />
        </div>
        <select
          class="select"
          aria-label="Layer"
          value={layer}
          onChange={(event) => address.note({ layer: event.currentTarget.value || null })}
        >
          <option value="">All layers</option>
          {[...new Set(catalog.fields.map((field) => field.layer))].map((it) => (
            <option key={it} value={it}>
              {titleOf(it)}
            </option>
          ))}
        </select>
        <label class="check small">
          <input
            type="checkbox"
            checked={isHereOnly}
            onChange={(event) => address.note({ here: event.currentTarget.checked ? '1' : null })}
          />
          answered here now
        </label>
      </div>
      {words.trim() === '' ? (
        <ByLayer dashboard={dashboard} fields={wanted} isOpen={layer !== ''} />
      ) : (
        <Found dashboard={dashboard} found={last.current} isWanted={isWanted} again={again} words={words} />
      )}
    </section>
  )
}

function ByLayer({ dashboard, fields, isOpen }: PageProps & { fields: CatalogField[]; isOpen: boolean }) {
  if (fields.length === 0)
    return (
      <Empty title="No field is left">
        <p>None of this layer can be answered here now. Untick the box to see them, and what each would need.</p>
      </Empty>
    )
  return (
    <div class="catalog-layers">
      {[...Map.groupBy(fields, ({ layer }) => layer)].map(([layer, members]) => (
        <details key={layer} class="catalog-layer" open={isOpen}>
          <summary>
            <h2>{titleOf(layer)}</h2>
            <span class="soft small">{countOf(members)}</span>
            <Icon name="chevron" />
          </summary>
          <ul>
            {members.map((field) => (
              <FieldLine key={field.name} dashboard={dashboard} field={field} />
            ))}
          </ul>
        </details>
      ))}
    </div>
  )
}

function countOf(fields: CatalogField[]): string {
  const here = fields.filter(({ providers }) => providers.length > 0).length
  return here === fields.length ? `${fields.length}, all here` : `${fields.length}, ${here === 0 ? 'none' : here} here`
}

type FoundProps = PageProps & {
  found: Asked<CatalogDocument | null>
  isWanted: (field: CatalogField) => boolean
  again: () => void
  words: string
}

function Found({ dashboard, found, isWanted, again, words }: FoundProps) {
  if (found.state === 'failed') return <Fault fault={found.fault} again={again} />
  if (found.state === 'waiting' || found.value === null) return <Skeleton lines={8} />
  const fields = found.value.fields.filter(isWanted)
  return (
    <>
      <p class="soft small" role="status">
        {fields.length === 1 ? '1 field' : `${fields.length} fields`}, best first
      </p>
      {fields.length === 0 ? (
        <Empty title="Nothing answers to these words">
          <p>{words}: try one word of it, such as flood, soil or school, or another layer.</p>
        </Empty>
      ) : (
        <ul class="catalog-found">
          {fields.map((field) => (
            <FieldLine key={field.name} dashboard={dashboard} field={field} isLayerShown />
          ))}
        </ul>
      )}
    </>
  )
}
