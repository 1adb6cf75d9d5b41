import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { PinDocument } from '../../auth/account-document.ts'
import { pluralize } from '../../model/text.ts'
import { Button, UnitSwitch } from '../components/buttons.tsx'
import type { PageProps } from '../dashboard.ts'
import { humanizeName, isFullPreset } from '../../catalog/field-title.ts'
import { showFields, type ExploreQuery } from './explore-query.ts'
import { FieldPicker } from './field-picker.tsx'
import { PinButton, type Pins } from './pins.tsx'
import { presetsByAnswer, type PresetAnswers } from './preset-answers.ts'
import { hasWords, SearchInput } from '../components/inputs.tsx'
import { Dialog } from '../components/dialogs.tsx'

type Props = PageProps & { exploreQuery: ExploreQuery; pins: Pins }

/** Two rows of buttons: the presets, and what changes the shown fields. Each row scrolls sideways. */
export function FieldSelection({ dashboard, exploreQuery, pins }: Props) {
  const [isPicking, setPicking] = useState(false)
  const catalog = dashboard.catalogStore.catalog.value
  const pinned = pins.items.filter(({ place }) => place === null)
  const { preset, fields } = exploreQuery
  const ownCount = fields.length
  const isPinnable = (preset === null) !== (ownCount === 0)
  const show = (selection: { preset: string | null; fields: string[] }) => {
    setPicking(false)
    showFields(dashboard.router, selection)
  }
  return (
    <div class="selection no-print" role="group" aria-label="Fields to show">
      {catalog.status === 'loaded' && (
        <PresetRow
          presets={presetsByAnswer(catalog.value).filter(({ name }) => !isFullPreset(name))}
          pinned={pinned.flatMap((pin) => pin.preset ?? [])}
          selected={preset}
          onSelect={(name) => show({ preset: name, fields: [] })}
        >
          <PinnedSelections dashboard={dashboard} exploreQuery={exploreQuery} pinned={pinned} />
        </PresetRow>
      )}
      <div class="chips chips--row">
        <Button
          look="chip"
          icon="layers"
          aria-pressed={ownCount > 0}
          aria-haspopup="dialog"
          onClick={() => setPicking(true)}
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
      {isPicking && catalog.status === 'loaded' && (
        <FieldPicker
          catalog={catalog.value}
          selected={ownCount > 0 ? fields : (catalog.value.presets[preset ?? ''] ?? [])}
          onClose={() => setPicking(false)}
          onSelect={(chosen) => show({ preset: null, fields: chosen })}
        />
      )}
    </div>
  )
}

type PresetRowProps = {
  presets: PresetAnswers[]
  /** The presets that the children show. */
  pinned?: string[]
  selected: string | null
  onSelect: (preset: string) => void
  children?: ComponentChildren
}

/** A row of presets, the selected one first, so that it is visible, and a button for the list of all. */
export function PresetRow({ presets, pinned = [], selected, onSelect, children }: PresetRowProps) {
  const [isOpen, setOpen] = useState(false)
  const choose = (name: string) => {
    setOpen(false)
    onSelect(name)
  }
  const shown = presets.toSorted((a, b) => Number(b.name === selected) - Number(a.name === selected))
  return (
    <div class="chips chips--row">
      <Button look="chip" icon="search" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        All presets…
      </Button>
      {children}
      {shown
        .filter(({ name }) => !pinned.includes(name))
        .map((preset) => (
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
      {isOpen && <PresetDialog all={presets} onClose={() => setOpen(false)} onSelect={choose} />}
    </div>
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

type PresetDialogProps = { all: PresetAnswers[]; onSelect: (preset: string) => void; onClose: () => void }

/** A dialog with all presets, grouped by how many of their fields this server answers, with a search. */
function PresetDialog({ all, onSelect, onClose }: PresetDialogProps) {
  const [text, setText] = useState('')
  const groups = Map.groupBy(
    all.filter(({ name, reason }) => hasWords(`${humanizeName(name)} ${reason}`, text)),
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
