import { mappedParts, type ColumnMapping } from '../../../packs/import/table/upload-columns.ts'
import { Select } from '../../components/inputs.tsx'
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
  const emptyText = (part: keyof ColumnMapping) =>
    recognized[part] >= 0 && mapping[part] === undefined ? `${header[recognized[part]]} (recognized)` : 'none'
  return (
    <fieldset class="row runs-mapping">
      <legend class="small">Location columns</legend>
      {mappedParts.map((part) => (
        <Select
          key={part}
          label={labels[part]}
          options={[['', emptyText(part)], ...header.map((name) => [name, name] as const)]}
          selected={mapping[part] ?? ''}
          onSelect={(name) => select(part, name)}
        />
      ))}
    </fieldset>
  )
}
