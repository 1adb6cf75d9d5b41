import type { Scope } from '../auth/scope.ts'
import { marketFields, contextFields } from '../lookup/place-context.ts'
import { Parcel } from '../fetch/parcel/parcel.ts'
import type { RunKind } from './report/run-summary.ts'

/** The kinds of runs: the scope that the token needs besides `runs`, and the result columns of kinds without fields. */
export const runKinds = {
  fetch_batch: { scope: 'fetch', columns: [] },
  area_batch: { scope: 'fetch', columns: [] },
  geocode_batch: {
    scope: 'geocode',
    columns: ['accuracy_type', 'accuracy', 'normalized_address', 'provider', 'cached', 'warnings'],
  },
  lookup_batch: {
    scope: 'lookup',
    columns: [
      'disposition',
      'resolved_address',
      'match_method',
      'confidence',
      'warnings',
      'reason',
      'hint',
      ...Object.keys(contextFields),
      ...['as_of', ...Object.keys(marketFields)].map((name) => `county_market.${name}`),
    ],
  },
} as const satisfies Record<RunKind, { scope: Scope; columns: readonly string[] }>

/** The further result columns of a lookup run with `include_parcel`. */
export const parcelColumns: readonly string[] = [
  'parcel_unavailable_reason',
  ...Object.keys(Parcel.properties).map((name) => `parcel.${name}`),
]

/** Whether the locations of a run with these columns get their parcel, which is billed. */
export function includesParcel(columns: readonly string[]): boolean {
  return columns.includes(parcelColumns[0]!)
}

/** Whether the rows of a run are answered with fields of the catalog. */
export function hasFields(kind: string): boolean {
  return kind === 'fetch_batch' || kind === 'area_batch'
}

/** Whether a text is a kind of run. */
export function isRunKind(name: string): name is RunKind {
  return Object.hasOwn(runKinds, name)
}
