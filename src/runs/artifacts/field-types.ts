import type { Catalog } from '../../catalog/catalog.ts'
import type { Field } from '../../catalog/records.ts'
import { contextFields, marketFields } from '../../lookup/place-context.ts'
import type { StoredRun } from '../../store/runs/runs.ts'
import type { FieldTypes } from './row-file.ts'

/** The types of result columns that are no fields and no text. */
const memberTypes: FieldTypes = {
  accuracy: 'float',
  cached: 'boolean',
  confidence: 'float',
  'parcel.area_m2': 'float',
  'parcel.year_built': 'integer',
  'parcel.assessed_value_usd': 'float',
  'parcel.last_sale_price_usd': 'float',
  'parcel.match_distance_m': 'float',
  'parcel.match_radius_m': 'float',
  'parcel.interior_point_lat': 'float',
  'parcel.interior_point_lng': 'float',
}

/** Returns the types of the columns that a run has for its fields or, for other kinds than `fetch_batch`, members. */
export function fieldTypesOf(
  { kind, fields }: Pick<StoredRun, 'kind' | 'fields'>,
  { fields: all }: Catalog,
): FieldTypes {
  const names = JSON.parse(fields) as string[]
  // The cells of areas are numbers or text.
  if (kind === 'area_batch') return Object.fromEntries(names.map((name) => [name, 'string']))
  const fieldOf = (name: string) => all.get(kind === 'fetch_batch' ? name : (fieldNames[name] ?? ''))
  return Object.fromEntries(
    names.flatMap((name): [string, Field['type']][] => {
      const type = fieldOf(name)?.type ?? (kind === 'fetch_batch' ? undefined : memberTypes[name])
      return type ? [[name, type]] : []
    }),
  )
}

/** The catalog field of each member of a lookup. */
const fieldNames: Readonly<Record<string, string>> = {
  ...contextFields,
  ...Object.fromEntries(Object.entries(marketFields).map(([member, field]) => [`county_market.${member}`, field])),
}
