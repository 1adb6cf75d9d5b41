import { useState } from 'preact/hooks'
import { pluralize } from '../../../model/text.ts'
import type { RunKind } from '../../../runs/report/run-summary.ts'
import { Button, Choice } from '../../components/buttons.tsx'
import type { PageProps } from '../../dashboard.ts'
import { FieldPicker } from '../../explore/field-picker.tsx'
import { presetsByAnswer } from '../../explore/preset-answers.ts'
import { PresetRow } from '../../explore/selection.tsx'
import { type RunSelection, defaultSelection } from '../run-selection.ts'

const runKinds: [RunKind, string, string][] = [
  ['fetch_batch', 'Fields', 'The fields of a preset, or fields of your choice.'],
  ['geocode_batch', 'Coordinates', 'The coordinate of each address and its accuracy.'],
  ['lookup_batch', 'Lookups', 'Jurisdictions, hazards and market data of each location.'],
]

/** Selects what a run fetches: fields, coordinates or lookups. */
export function RunFieldSelection({
  dashboard,
  selection,
  onSelect,
}: PageProps & { selection: RunSelection; onSelect: (selection: RunSelection) => void }) {
  const [isPicking, setPicking] = useState(false)
  const catalog = dashboard.catalogStore.catalog.value
  const { kind, preset, fields } = selection
  return (
    <div class="stack">
      <KindSelection kind={kind} onSelect={onSelect} />
      {kind === 'fetch_batch' && (
        <div class="selection" role="group" aria-label="Fields">
          {catalog.status === 'loaded' && (
            <PresetRow
              presets={presetsByAnswer(catalog.value)}
              selected={preset}
              onSelect={(name) => onSelect({ kind, preset: name, fields: [] })}
            />
          )}
          <div class="chips">
            <Button
              look="chip"
              icon="layers"
              aria-pressed={fields.length > 0}
              aria-haspopup="dialog"
              onClick={() => setPicking(true)}
            >
              {fields.length > 0 ? `${pluralize(fields.length, 'field')} selected` : 'Choose fields…'}
            </Button>
          </div>
        </div>
      )}
      {isPicking && catalog.status === 'loaded' && (
        <FieldPicker
          catalog={catalog.value}
          selected={fields}
          onClose={() => setPicking(false)}
          onSelect={(fields) => {
            setPicking(false)
            onSelect({ kind, preset: null, fields })
          }}
        />
      )}
    </div>
  )
}

function KindSelection({ kind, onSelect }: { kind: RunKind; onSelect: (selection: RunSelection) => void }) {
  return (
    <>
      <Choice
        label="Kind of run"
        options={runKinds}
        selected={kind}
        onSelect={(name) =>
          onSelect(name === 'fetch_batch' ? defaultSelection : { kind: name, preset: null, fields: [] })
        }
      />
      <p class="soft small">{runKinds.find(([name]) => name === kind)![2]}</p>
    </>
  )
}
