import { pluralize } from '../model/pluralize.ts'

/** What a backup holds, in words, by the rows of its tables. */
export function describeRowCounts({
  accounts = 0,
  runs = 0,
  run_results: results = 0,
}: Record<string, number>): string {
  return [pluralize(accounts, 'account'), pluralize(runs, 'run'), pluralize(results, 'result')].join(', ')
}
