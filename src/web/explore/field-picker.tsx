import { useState } from 'preact/hooks'
import type { CatalogDocument, CatalogField } from '../../catalog/catalog-document.ts'
import { Dialog } from '../components/dialogs.tsx'
import { humanizeName } from '../../catalog/field-title.ts'
import { fieldLabel } from '../value-text.ts'
import { maxFields } from './explore-query.ts'

type Props = {
  catalog: CatalogDocument
  selected: readonly string[]
  onSelect: (fields: string[]) => void
  onClose: () => void
}

/** A dialog with checkboxes for all fields by layer, and one for each whole layer. */
export function FieldPicker({ catalog, selected, onSelect, onClose }: Props) {
  const [checkedFields, setCheckedFields] = useState<ReadonlySet<string>>(new Set(selected))
  const [text, setText] = useState('')
  const [onlyAvailable, setOnlyAvailable] = useState(false)
  const layers = Map.groupBy(
    catalog.fields.filter((field) => matchesSearch(field, text) && (!onlyAvailable || field.providers.length > 0)),
    (field) => field.layer,
  )
  const setChecked = (names: readonly string[], isChecked: boolean) => {
    const next = new Set(checkedFields)
    for (const name of names) {
      if (isChecked) next.add(name)
      else next.delete(name)
    }
    setCheckedFields(next)
  }
  return (
    <Dialog title="Choose fields" onClose={onClose}>
      <div class="picker__head">
        <input
          class="input"
          type="search"
          aria-label="Search fields"
          placeholder={`Search ${catalog.count} fields`}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <label class="check small">
          <input
            type="checkbox"
            checked={onlyAvailable}
            onChange={(event) => setOnlyAvailable(event.currentTarget.checked)}
          />
          can be answered here
        </label>
      </div>
      {layers.size === 0 && <p class="soft">No fields match.</p>}
      <div class="picker__layers">
        {[...layers].map(([layer, fields]) => (
          <PickerLayer
            key={layer}
            layer={layer}
            fields={fields}
            checkedFields={checkedFields}
            setChecked={setChecked}
            isOpen={text !== ''}
          />
        ))}
      </div>
      <PickerFooter
        count={checkedFields.size}
        onClear={() => setCheckedFields(new Set())}
        onConfirm={() => onSelect(catalog.fields.map(({ name }) => name).filter((name) => checkedFields.has(name)))}
      />
    </Dialog>
  )
}

type FooterProps = { count: number; onClear: () => void; onConfirm: () => void }

function PickerFooter({ count, onClear, onConfirm }: FooterProps) {
  const excess = count - maxFields
  return (
    <div class="picker__foot">
      <span class={excess > 0 ? 'picker__over' : 'soft'} role="status">
        {count} of at most {maxFields}
        {excess > 0 ? `: clear ${excess} to continue` : ''}
      </span>
      <span class="row">
        <button type="button" class="button" onClick={onClear}>
          Clear all
        </button>
        <button type="button" class="button button--main" disabled={count === 0 || excess > 0} onClick={onConfirm}>
          Show these
        </button>
      </span>
    </div>
  )
}

type LayerProps = {
  layer: string
  fields: CatalogField[]
  checkedFields: ReadonlySet<string>
  setChecked: (names: readonly string[], isOn: boolean) => void
  isOpen: boolean
}

function PickerLayer({ layer, fields, checkedFields, setChecked, isOpen }: LayerProps) {
  const names = fields.map(({ name }) => name)
  const count = names.filter((name) => checkedFields.has(name)).length
  return (
    <details class="picker__layer" open={isOpen || (count > 0 && count < 20)}>
      <summary>
        <span>{humanizeName(layer)}</span>
        <span class="soft small">
          {count > 0 ? `${count} of ` : ''}
          {names.length}
        </span>
      </summary>
      <ul>
        <li>
          <label class="check">
            <input
              type="checkbox"
              checked={count === names.length}
              onChange={(event) => setChecked(names, event.currentTarget.checked)}
            />
            <b>All fields of this layer</b>
          </label>
        </li>
        {fields.map(({ name, unit, description, providers }) => (
          <li key={name}>
            <label class="check" title={description}>
              <input
                type="checkbox"
                checked={checkedFields.has(name)}
                onChange={(event) => setChecked([name], event.currentTarget.checked)}
              />
              <span>
                {fieldLabel(name, unit)}
                {providers.length === 0 && <span class="soft small"> (not available)</span>}
              </span>
            </label>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** Whether every word of the search occurs in the name or the description of a field. */
function matchesSearch({ name, description }: CatalogField, text: string): boolean {
  const searchable = `${name.replaceAll('_', ' ')} ${description}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/[\s_]+/)
    .every((word) => searchable.includes(word))
}
