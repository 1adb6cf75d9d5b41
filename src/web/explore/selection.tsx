import { useState } from 'preact/hooks'
import { pluralize } from '../../model/pluralize.ts'
import { defaultPreset } from '../catalog-store.ts'
import { Icon } from '../components/icons.tsx'
import { UnitSwitch } from '../components/unit-switch.tsx'
import type { PageProps } from '../dashboard.ts'
import { humanizeName } from '../value-text.ts'
import { showFields, type ExploreQuery } from './explore-query.ts'
import { FieldPicker } from './field-picker.tsx'

/** Buttons to select a preset or individual fields. */
export function FieldSelection({ dashboard, exploreQuery }: PageProps & { exploreQuery: ExploreQuery }) {
  const [isPicking, setPicking] = useState(false)
  const catalog = dashboard.catalogStore.catalog.value
  const presets =
    catalog.status === 'loaded'
      ? Object.entries(catalog.value.presets).sort(
          ([a], [b]) => Number(b === defaultPreset) - Number(a === defaultPreset),
        )
      : []
  const ownCount = exploreQuery.fields.length
  return (
    <div class="selection no-print" role="group" aria-label="Fields to show">
      <div class="chips">
        {presets.map(([name, fields]) => (
          <button
            key={name}
            type="button"
            class="chip"
            aria-pressed={exploreQuery.preset === name}
            title={`${fields.length} fields`}
            onClick={() => showFields(dashboard.router, { preset: name, fields: [] })}
          >
            {humanizeName(name)}
          </button>
        ))}
        <button
          type="button"
          class="chip"
          aria-pressed={ownCount > 0}
          aria-haspopup="dialog"
          onClick={() => setPicking(true)}
        >
          <Icon name="layers" />
          {ownCount > 0 ? `${pluralize(ownCount, 'field')} selected` : 'Choose fields…'}
        </button>
        <UnitSwitch dashboard={dashboard} />
      </div>
      {isPicking && catalog.status === 'loaded' && (
        <FieldPicker
          catalog={catalog.value}
          selected={ownCount > 0 ? exploreQuery.fields : (catalog.value.presets[exploreQuery.preset ?? ''] ?? [])}
          onClose={() => setPicking(false)}
          onSelect={(fields) => {
            setPicking(false)
            showFields(dashboard.router, { preset: null, fields })
          }}
        />
      )}
    </div>
  )
}
