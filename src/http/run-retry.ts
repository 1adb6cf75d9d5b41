import type { App } from '../app.ts'
import { ValidationError } from '../model/error.ts'
import { runKinds } from '../runs/run-kind.ts'
import type { StoredRun } from '../store/runs.ts'
import { accountOf, requireScope, withLocationQuota } from './guard.ts'
import { literalViolations } from './paging.ts'

/**
 * Starts a retry of a run and returns the new run. With `include=missing`, it repeats everything that is missing in the
 * merged result and may be answered now, or returns the retry that is already in progress.
 */
export async function retryRun(request: Request, run_id: string, { runs }: App): Promise<StoredRun> {
  const query = new URL(request.url).searchParams
  const violations = literalViolations(query, 'include', ['missing'])
  if (violations.length > 0) throw new ValidationError(violations)
  const account = accountOf(request)
  const { kind, retryable_locations } = await runs.find(account, run_id)
  requireScope(request, runKinds[kind as keyof typeof runKinds].scope)
  const startRetry = async (locations: number, submit: () => Promise<{ run_id: string }>) =>
    runs.find(account, (await withLocationQuota(request, locations, submit)).run_id)
  if (query.get('include') === null) return startRetry(retryable_locations, () => runs.retry(account, run_id))
  const missing = await runs.findMissing(account, run_id)
  if ('inProgress' in missing) return missing.inProgress
  const { original, indexes } = missing
  return startRetry(indexes.length, () => runs.retryLocations(account, original, indexes))
}
