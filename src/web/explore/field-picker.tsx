import { useState } from 'preact/hooks'
import type { CatalogDocument, CatalogField } from '../../catalog/catalog-document.ts'
import { Dialog } from '../parts/dialog.tsx'
import { titleOf, wordsOf } from '../parts/value.ts'
import { fieldsMax } from './wanted.ts'

type Props = {
  catalog: CatalogDocument
  chosen: readonly string[]
  onChoose: (fields: string[]) => void
  onClose: () => void
}

/** Every field, by layer, to tick; a whole layer with one tick. */
export function FieldPicker({ catalog, chosen, onChoose, onClose }: Props) {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set(chosen))
  const [text, setText] = useState('')
  const [isHereOnly, setHereOnly] = useState(false)
  const layers = Map.groupBy(
    catalog.fields.filter((field) => isMeant(field, text) && (!isHereOnly || field.providers.length > 0)),
    (field) => field.layer,
  )
  const tick = (names: readonly string[], isOn: boolean) => {
    const next = new Set(ticked)
    for (const name of names) {
      if (isOn) next.add(name)
      else next.delete(name)
    }
    setTicked(next)
  }
  const over = ticked.size - fieldsMax
  return (
    <Dialog title="Choose fields" onClose={onClose}>
      <div class="picker__head">
        <input
          class="input"
          type="search"
          aria-label="Search the fields"
          placeholder={`Search ${catalog.count} fields`}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <label class="check small">
          <input type="checkbox" checked={isHereOnly} onChange={(event) => setHereOnly(event.currentTarget.checked)} />
          only what this server can answer now
        </label>
      </div>
      {layers.size === 0 && <p class="soft">No field is called or described like this.</p>}
      <div class="picker__layers">
        {[...layers].map(([layer, fields]) => (
          <LayerOf key={layer} layer={layer} fields={fields} ticked={ticked} tick={tick} isOpen={text !== ''} />
        ))}
      </div>
      <div class="picker__foot">
        <span class={over > 0 ? 'picker__over' : 'soft'} role="status">
          {ticked.size} of at most {fieldsMax}
          {over > 0 ? `: take ${over} away` : ''}
        </span>
        <span class="row">
          <button type="button" class="button" onClick={() => setTicked(new Set())}>
            None
          </button>
          <button
            type="button"
            class="button button--main"
            disabled={ticked.size === 0 || over > 0}
            onClick={() => onChoose(catalog.fields.map(({ name }) => name).filter((name) => ticked.has(name)))}
          >
            Show these
          </button>
        </span>
      </div>
    </Dialog>
  )
}

type LayerProps = {
  layer: string
  fields: CatalogField[]
  ticked: ReadonlySet<string>
  tick: (names: readonly string[], isOn: boolean) => void
  isOpen: boolean
}

function LayerOf({ layer, fields, ticked, tick, isOpen }: LayerProps) {
  const names = fields.map(({ name }) => name)
  const count = names.filter((name) => ticked.has(name)).length
  return (
    <details class="picker__layer" open={isOpen || (count > 0 && count < 20)}>
      <summary>
        <span>{titleOf(layer)}</span>
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
              onChange={(event) => tick(names, event.currentTarget.checked)}
            />
            <b>The whole layer</b>
          </label>
        </li>
        {fields.map(({ name, unit, description, providers }) => (
          <li key={name}>
            <label class="check" title={description}>
              <input
                type="checkbox"
                checked={ticked.has(name)}
                onChange={(event) => tick([name], event.currentTarget.checked)}
              />
              <span>
                {wordsOf(name, unit)}
                {providers.length === 0 && <span class="soft small"> (not on this server)</span>}
              </span>
            </label>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** Whether every word stands somewhere in what the field is called and what it is. */
function isMeant({ name, description }: CatalogField, text: string): boolean {
  const where = `${name.replaceAll('_', ' ')} ${description}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/[\s_]+/)
    .every((word) => where.includes(word))
}
