import { useState } from 'preact/hooks'
import type { PinDocument } from '../../auth/account-document.ts'
import { pluralize } from '../../model/text.ts'
import { defaultPreset } from '../catalog-store.ts'
import { Icon } from '../components/icons.tsx'
import { UnitSwitch } from '../components/unit-switch.tsx'
import type { PageProps } from '../dashboard.ts'
import { humanizeName, isFullPreset } from '../../catalog/field-title.ts'
import { showFields, type ExploreQuery } from './explore-query.ts'
import { FieldPicker } from './field-picker.tsx'
import { PinButton, type Pins } from './pins.tsx'

type Props = PageProps & { exploreQuery: ExploreQuery; pins: Pins }

/** Buttons to select pinned fields, a preset or individual fields, and to pin what is selected. */
export function FieldSelection({ dashboard, exploreQuery, pins }: Props) {
  const [isPicking, setPicking] = useState(false)
  const catalog = dashboard.catalogStore.catalog.value
  const presets =
    catalog.status === 'loaded'
      ? Object.entries(catalog.value.presets)
          .filter(([name]) => !isFullPreset(name))
          .sort(([a], [b]) => Number(b === defaultPreset) - Number(a === defaultPreset))
      : []
  const pinned = pins.items.filter(({ place }) => place === null)
  const { preset, fields } = exploreQuery
  const ownCount = fields.length
  const unpinned = presets.filter(([name]) => !pinned.some((pin) => pin.preset === name))
  const isPinnable = (preset === null) !== (ownCount === 0)
  return (
    <div class="selection no-print" role="group" aria-label="Fields to show">
      <div class="chips">
        <PinnedSelections dashboard={dashboard} exploreQuery={exploreQuery} pinned={pinned} />
        {unpinned.map(([name, members]) => (
          <button
            key={name}
            type="button"
            class="chip"
            aria-pressed={preset === name}
            title={`${members.length} fields`}
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
        {isPinnable && (
          <PinButton
            pins={pins}
            content={{ place: null, preset, fields: ownCount > 0 ? fields : null }}
            label="Pin fields"
            defaultName={preset === null ? '' : humanizeName(preset)}
            look="chip"
          />
        )}
        <UnitSwitch dashboard={dashboard} />
      </div>
      {isPicking && catalog.status === 'loaded' && (
        <FieldPicker
          catalog={catalog.value}
          selected={ownCount > 0 ? fields : (catalog.value.presets[preset ?? ''] ?? [])}
          onClose={() => setPicking(false)}
          onSelect={(chosen) => {
            setPicking(false)
            showFields(dashboard.router, { preset: null, fields: chosen })
          }}
        />
      )}
    </div>
  )
}

type PinnedProps = PageProps & { exploreQuery: ExploreQuery; pinned: PinDocument[] }

function PinnedSelections({ dashboard, exploreQuery, pinned }: PinnedProps) {
  const shown = exploreQuery.fields.toSorted().join()
  return (
    <>
      {pinned.map(({ id, name, preset, fields }) => (
        <button
          key={id}
          type="button"
          class="chip"
          aria-pressed={preset === exploreQuery.preset && (fields ?? []).toSorted().join() === shown}
          onClick={() => showFields(dashboard.router, { preset, fields: fields ?? [] })}
        >
          <Icon name="pin" />
          {name}
        </button>
      ))}
    </>
  )
}
