import { useState } from 'preact/hooks'
import type { CatalogDocument, CatalogField } from '../../catalog/catalog-document.ts'
import { Check, hasWords, SearchInput } from '../components/inputs.tsx'
import { Button } from '../components/buttons.tsx'
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
    catalog.fields.filter(
      (field) =>
        hasWords(`${field.name.replaceAll('_', ' ')} ${field.description}`, text) &&
        (!onlyAvailable || field.providers.length > 0),
    ),
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
      <div class="stack stack--2">
        <SearchInput
          label="Search fields"
          placeholder={`Search ${catalog.count} fields`}
          text={text}
          onText={setText}
        />
        <Check isSmall isChecked={onlyAvailable} onCheck={setOnlyAvailable}>
          has a source here
        </Check>
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
        <Button onClick={onClear}>Clear all</Button>
        <Button look="main" disabled={count === 0 || excess > 0} onClick={onConfirm}>
          Show these
        </Button>
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
          <Check isChecked={count === names.length} onCheck={(isOn) => setChecked(names, isOn)}>
            <b>All fields of this layer</b>
          </Check>
        </li>
        {fields.map(({ name, unit, description, providers }) => (
          <li key={name}>
            <Check title={description} isChecked={checkedFields.has(name)} onCheck={(isOn) => setChecked([name], isOn)}>
              <span>
                {fieldLabel(name, unit)}
                {providers.length === 0 && <span class="soft small"> (not available)</span>}
              </span>
            </Check>
          </li>
        ))}
      </ul>
    </details>
  )
}
