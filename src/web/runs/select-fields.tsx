import { useState } from 'preact/hooks'
import type { RunKind } from '../../runs/run-summary.ts'
import type { PageProps } from '../dashboard.ts'
import { FieldPicker } from '../explore/field-picker.tsx'
import { defaultPreset } from '../explore/explore-query.ts'
import { Icon } from '../components/icons.tsx'
import { humanizeName } from '../value-text.ts'
import { defaultSelection } from './first-selected.ts'
import type { RunSelection } from './selected.ts'

const runKinds: [RunKind, string, string][] = [
  ['fetch_batch', 'Fields', 'Named fields of each place, a preset or your own choice.'],
  ['geocode_batch', 'Coordinates', 'Where each address is, and how sure that is.'],
  ['lookup_batch', 'Lookups', 'The jurisdictions, hazards and market of each place.'],
]

/** What is to be found out: fields, coordinates, or a lookup. */
export function RunFieldSelection({
  dashboard,
  selection,
  onSelect,
}: PageProps & { selection: RunSelection; onSelect: (selection: RunSelection) => void }) {
  const [isPicking, setPicking] = useState(false)
  const catalog = dashboard.catalogStore.catalog.value
  const presets =
    catalog.status === 'loaded'
      ? Object.entries(catalog.value.presets).sort(
          ([a], [b]) => Number(b === defaultPreset) - Number(a === defaultPreset),
        )
      : []
  const { kind, preset, fields } = selection
  return (
    <div class="stack">
      <div class="chips" role="group" aria-label="Kind of run">
        {runKinds.map(([name, words, about]) => (
          <button
            key={name}
            type="button"
            class="chip"
            title={about}
            aria-pressed={kind === name}
            onClick={() =>
              onSelect(name === 'fetch_batch' ? defaultSelection : { kind: name, preset: null, fields: [] })
            }
          >
            {words}
          </button>
        ))}
      </div>
      <p class="soft small">{runKinds.find(([name]) => name === kind)![2]}</p>
      {kind === 'fetch_batch' && (
        <div class="chips" role="group" aria-label="Fields">
          {presets.map(([name, members]) => (
            <button
              key={name}
              type="button"
              class="chip"
              aria-pressed={preset === name}
              onClick={() => onSelect({ kind, preset: name, fields: [] })}
            >
              {humanizeName(name)}
              <span class="soft">{members.length}</span>
            </button>
          ))}
          <button
            type="button"
            class="chip"
            aria-pressed={fields.length > 0}
            aria-haspopup="dialog"
            onClick={() => setPicking(true)}
          >
            <Icon name="layers" />
            {fields.length > 0 ? `${fields.length} of my choice` : 'Choose fields …'}
          </button>
        </div>
      )}
      {isPicking && catalog.status === 'loaded' && (
        <FieldPicker
          catalog={catalog.value}
          selected={fields}
          onClose={() => setPicking(false)}
          onSelect={(fields) => {
            setPicking(false)
            onSelect({ kind, preset: null, fields: fields })
          }}
        />
      )}
    </div>
  )
}
