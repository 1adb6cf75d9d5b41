import type { Scope } from '../auth/accounts.ts'
import { marketFields, contextFields } from '../lookup/place-context.ts'
import type { RunKind } from './run-summary.ts'

/** What a run can be made of. `scope`: what its token needs beside `runs`; `columns`: of the artifacts, where no fields are named. */
export const runKinds = {
  fetch_batch: { scope: 'fetch', columns: [] },
  geocode_batch: {
    scope: 'geocode',
    columns: ['accuracy_type', 'accuracy_score', 'normalized_address', 'provider', 'cached', 'warnings'],
  },
  lookup_batch: {
    scope: 'lookup',
    columns: [
      'disposition',
      'resolved_address',
      'match_method',
      'confidence',
      'reason',
      'hint',
      ...Object.keys(contextFields),
      ...['as_of', ...Object.keys(marketFields)].map((name) => `county_market.${name}`),
    ],
  },
} as const satisfies Record<RunKind, { scope: Scope; columns: readonly string[] }>

export function isRunKind(name: string): name is RunKind {
  return Object.hasOwn(runKinds, name)
}
