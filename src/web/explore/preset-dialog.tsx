import { useState } from 'preact/hooks'
import type { CatalogDocument } from '../../catalog/catalog-document.ts'
import { humanizeName } from '../../catalog/field-title.ts'
import { hasWords, SearchInput } from '../components/inputs.tsx'
import { Button } from '../components/buttons.tsx'
import { Dialog } from '../components/dialogs.tsx'
import { presetsByAnswer, type PresetAnswers } from './preset-answers.ts'

type Props = { catalog: CatalogDocument; onSelect: (preset: string) => void; onClose: () => void }

/** A dialog with all presets, grouped by how many of their fields this server answers, with a search. */
export function PresetDialog({ catalog, onSelect, onClose }: Props) {
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

/** How many members of a preset this server answers, such as 3/28. */
export function PresetCount({ answered, fields }: Pick<PresetAnswers, 'answered' | 'fields'>) {
  return (
    <span class="preset-count">
      <span aria-hidden="true">
        {answered}/{fields}
      </span>
      <span class="unseen">
        {answered} of {fields} fields answer here
      </span>
    </span>
  )
}

const groupTitles: Record<PresetAnswers['group'], string> = {
  complete: 'Complete here',
  partial: 'Partly answered here',
  none: 'Not answered here yet',
}
