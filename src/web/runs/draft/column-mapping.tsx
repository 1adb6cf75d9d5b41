import { mappedParts, type ColumnMapping } from '../../../packs/import/table/upload-columns.ts'
import type { Draft } from './draft.ts'

const labels = { lat: 'Latitude', lng: 'Longitude', location: 'Coordinate', address: 'Address' } as const

type Props = { draft: Draft; mapping: ColumnMapping; onMapping: (mapping: ColumnMapping) => void }

/** Selects which columns of the file hold the location. What is not selected is recognized by its name. */
export function ColumnMappingFields({ draft: { header, columns }, mapping, onMapping }: Props) {
  const { lat = -1, lng = -1, location = -1, address = [] } = columns ?? {}
  const recognized = { lat, lng, location, address: address[0] ?? -1 }
  const select = (part: keyof ColumnMapping, name: string) => {
    const { [part]: _, ...others } = mapping
    onMapping(name === '' ? others : { ...others, [part]: name })
  }
  return (
    <fieldset class="row runs-mapping">
      <legend class="small">Location columns</legend>
      {mappedParts.map((part) => (
        <label key={part} class="field">
          <span>{labels[part]}</span>
          <select
            class="select"
            value={mapping[part] ?? ''}
            onChange={(event) => select(part, event.currentTarget.value)}
          >
            <option value="">
              {recognized[part] >= 0 && mapping[part] === undefined
                ? `${header[recognized[part]]} (recognized)`
                : 'none'}
            </option>
            {header.map((name, i) => (
              <option key={i} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      ))}
    </fieldset>
  )
}
