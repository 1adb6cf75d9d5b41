import { useState } from 'preact/hooks'
import type { RunKind } from '../../runs/run-summary.ts'
import type { PageProps } from '../dashboard.ts'
import { FieldPicker } from '../explore/field-picker.tsx'
import { firstPreset } from '../explore/wanted.ts'
import { Icon } from '../parts/icons.tsx'
import { titleOf } from '../parts/value.ts'
import { firstSelected } from './first-selected.ts'
import type { Selected } from './selected.ts'

const kinds: [RunKind, string, string][] = [
  ['fetch_batch', 'Fields', 'Named fields of each place, a preset or your own choice.'],
  ['geocode_batch', 'Coordinates', 'Where each address is, and how sure that is.'],
  ['lookup_batch', 'Lookups', 'The jurisdictions, hazards and market of each place.'],
]

/** What is to be found out: fields, coordinates, or a lookup. */
export function SelectFields({
  dashboard,
  selected,
  onSelect,
}: PageProps & { selected: Selected; onSelect: (selected: Selected) => void }) {
  const [isPicking, setPicking] = useState(false)
  const catalog = dashboard.library.catalog.value
  const presets =
    catalog.state === 'here'
      ? Object.entries(catalog.value.presets).sort(([a], [b]) => Number(b === firstPreset) - Number(a === firstPreset))
      : []
  const { kind, preset, fields } = selected
  return (
    <div class="stack">
      <div class="chips" role="group" aria-label="Kind of run">
        {kinds.map(([name, words, about]) => (
          <button
            key={name}
            type="button"
            class="chip"
            title={about}
            aria-pressed={kind === name}
            onClick={() => onSelect(name === 'fetch_batch' ? firstSelected : { kind: name, preset: null, fields: [] })}
          >
            {words}
          </button>
        ))}
      </div>
      <p class="soft small">{kinds.find(([name]) => name === kind)![2]}</p>
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
              {titleOf(name)}
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
      {isPicking && catalog.state === 'here' && (
        <FieldPicker
          catalog={catalog.value}
          chosen={fields}
          onClose={() => setPicking(false)}
          onChoose={(chosen) => {
            setPicking(false)
            onSelect({ kind, preset: null, fields: chosen })
          }}
        />
      )}
    </div>
  )
}
