import { useState } from 'preact/hooks'
import type { PinDocument } from '../../auth/account-document.ts'
import { pluralize } from '../../model/text.ts'
import { Button, UnitSwitch } from '../components/buttons.tsx'
import type { PageProps } from '../dashboard.ts'
import { humanizeName } from '../../catalog/field-title.ts'
import { showFields, type ExploreQuery } from './explore-query.ts'
import { FieldPicker } from './field-picker.tsx'
import { PinButton, type Pins } from './pins.tsx'
import { presetsByAnswer, type PresetAnswers } from './preset-answers.ts'
import type { CatalogDocument } from '../../catalog/catalog-document.ts'
import { hasWords, SearchInput } from '../components/inputs.tsx'
import { Dialog } from '../components/dialogs.tsx'

type Props = PageProps & { exploreQuery: ExploreQuery; pins: Pins }

/** Two rows of buttons: the presets, and what changes the shown fields. Each row scrolls sideways. */
export function FieldSelection({ dashboard, exploreQuery, pins }: Props) {
  const [dialog, setDialog] = useState<'fields' | 'presets' | null>(null)
  const catalog = dashboard.catalogStore.catalog.value
  const pinned = pins.items.filter(({ place }) => place === null)
  const { preset, fields } = exploreQuery
  const ownCount = fields.length
  const isPinnable = (preset === null) !== (ownCount === 0)
  const show = (selection: { preset: string | null; fields: string[] }) => {
    setDialog(null)
    showFields(dashboard.router, selection)
  }
  return (
    <div class="selection no-print" role="group" aria-label="Fields to show">
      <div class="chips chips--row">
        <Button look="chip" icon="search" aria-haspopup="dialog" onClick={() => setDialog('presets')}>
          All presets…
        </Button>
        <PinnedSelections dashboard={dashboard} exploreQuery={exploreQuery} pinned={pinned} />
        {catalog.status === 'loaded' && (
          <PresetButtons
            presets={presetsByAnswer(catalog.value).filter(({ name }) => !pinned.some((pin) => pin.preset === name))}
            selected={preset}
            onSelect={(name) => show({ preset: name, fields: [] })}
          />
        )}
      </div>
      <div class="chips chips--row">
        <Button
          look="chip"
          icon="layers"
          aria-pressed={ownCount > 0}
          aria-haspopup="dialog"
          onClick={() => setDialog('fields')}
        >
          {ownCount > 0 ? `${pluralize(ownCount, 'field')} selected` : 'Choose fields…'}
        </Button>
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
      {dialog === 'presets' && catalog.status === 'loaded' && (
        <PresetDialog
          catalog={catalog.value}
          onClose={() => setDialog(null)}
          onSelect={(name) => show({ preset: name, fields: [] })}
        />
      )}
      {dialog === 'fields' && catalog.status === 'loaded' && (
        <FieldPicker
          catalog={catalog.value}
          selected={ownCount > 0 ? fields : (catalog.value.presets[preset ?? ''] ?? [])}
          onClose={() => setDialog(null)}
          onSelect={(chosen) => show({ preset: null, fields: chosen })}
        />
      )}
    </div>
  )
}

type PresetButtonsProps = { presets: PresetAnswers[]; selected: string | null; onSelect: (preset: string) => void }

/** The presets, the selected one first, so that it is visible. */
function PresetButtons({ presets, selected, onSelect }: PresetButtonsProps) {
  const shown = presets.toSorted((a, b) => Number(b.name === selected) - Number(a.name === selected))
  return (
    <>
      {shown.map((preset) => (
        <Button
          key={preset.name}
          look="chip"
          aria-pressed={preset.name === selected}
          title={preset.reason}
          onClick={() => onSelect(preset.name)}
        >
          {humanizeName(preset.name)} <PresetCount {...preset} />
        </Button>
      ))}
    </>
  )
}

type PinnedProps = PageProps & { exploreQuery: ExploreQuery; pinned: PinDocument[] }

function PinnedSelections({ dashboard, exploreQuery, pinned }: PinnedProps) {
  const shown = exploreQuery.fields.toSorted().join()
  return (
    <>
      {pinned.map(({ id, name, preset, fields }) => (
        <Button
          key={id}
          look="chip"
          icon="pin"
          aria-pressed={preset === exploreQuery.preset && (fields ?? []).toSorted().join() === shown}
          onClick={() => showFields(dashboard.router, { preset, fields: fields ?? [] })}
        >
          {name}
        </Button>
      ))}
    </>
  )
}

type PresetDialogProps = { catalog: CatalogDocument; onSelect: (preset: string) => void; onClose: () => void }

/** A dialog with all presets, grouped by how many of their fields this server answers, with a search. */
function PresetDialog({ catalog, onSelect, onClose }: PresetDialogProps) {
  const [text, setText] = useState('')
  const groups = Map.groupBy(
    presetsByAnswer(catalog).filter(({ name, reason }) => hasWords(`${humanizeName(name)} ${reason}`, text)),
    ({ group }) => group,
  )
  return (
    <Dialog title="Presets" onClose={onClose}>
      <SearchInput label="Search presets" text={text} onText={setText} />
      {groups.size === 0 && <p class="soft">No presets match.</p>}
      <div class="preset-list stack stack--3">
        {[...groups].map(([group, presets]) => (
          <section key={group} aria-label={groupTitles[group]}>
            <h3>{groupTitles[group]}</h3>
            <ul>
              {presets.map(({ name, answered, fields, reason }) => (
                <li key={name}>
                  <Button look="plain" onClick={() => onSelect(name)}>
                    {humanizeName(name)} <PresetCount answered={answered} fields={fields} />
                  </Button>
                  <span class="soft small">{reason}</span>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Dialog>
  )
}

/** How many members of a preset this server has a source for, such as 3/28. */
function PresetCount({ answered, fields }: Pick<PresetAnswers, 'answered' | 'fields'>) {
  return (
    <span class="preset-count">
      <span aria-hidden="true">
        {answered}/{fields}
      </span>
      <span class="unseen">
        {answered} of {fields} fields have a source here
      </span>
    </span>
  )
}

const groupTitles: Record<PresetAnswers['group'], string> = {
  complete: 'With a source here for every field',
  partial: 'With a source here for some fields',
  none: 'Without a source here',
}
