import { useState } from 'preact/hooks'
import type { PageProps } from '../dashboard.ts'
import { Icon } from '../parts/icons.tsx'
import { titleOf } from '../parts/value.ts'
import { FieldPicker } from './field-picker.tsx'
import { choose, firstPreset, type Wanted } from './wanted.ts'

/** What is asked: a preset with one click, or fields of one's own choice. */
export function Selection({ dashboard, wanted }: PageProps & { wanted: Wanted }) {
  const [isPicking, setPicking] = useState(false)
  const catalog = dashboard.library.catalog.value
  const presets =
    catalog.state === 'here'
      ? Object.entries(catalog.value.presets).sort(([a], [b]) => Number(b === firstPreset) - Number(a === firstPreset))
      : []
  const own = wanted.fields.length
  return (
    <div class="selection no-print" role="group" aria-label="What to show">
      <div class="chips">
        {presets.map(([name, fields]) => (
          <button
            key={name}
            type="button"
            class="chip"
            aria-pressed={wanted.preset === name}
            title={`${fields.length} fields`}
            onClick={() => choose(dashboard.address, { preset: name, fields: [] })}
          >
            {titleOf(name)}
          </button>
        ))}
        <button
          type="button"
          class="chip"
          aria-pressed={own > 0}
          aria-haspopup="dialog"
          onClick={() => setPicking(true)}
        >
          <Icon name="layers" />
          {own > 0 ? `${own} of my choice` : 'Choose fields …'}
        </button>
      </div>
      {isPicking && catalog.state === 'here' && (
        <FieldPicker
          catalog={catalog.value}
          chosen={own > 0 ? wanted.fields : (catalog.value.presets[wanted.preset ?? ''] ?? [])}
          onClose={() => setPicking(false)}
          onChoose={(fields) => {
            setPicking(false)
            choose(dashboard.address, { preset: null, fields })
          }}
        />
      )}
    </div>
  )
}
