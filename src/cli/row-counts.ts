import { pluralize } from '../model/text.ts'

/** Summarizes the rows of a backup: `1 account, 2 runs, 20 results`. */
export function describeRowCounts({
  accounts = 0,
  runs = 0,
  run_results: results = 0,
}: Record<string, number>): string {
  return [pluralize(accounts, 'account'), pluralize(runs, 'run'), pluralize(results, 'result')].join(', ')
}
