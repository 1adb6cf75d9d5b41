import type { Fact } from './fact.ts'
import { subjectOf } from './subject.ts'

const namedMax = 15

/** Returns one sentence for each reason why fields failed. */
export function gapLinesOf(facts: Fact[]): string[] {
  const failed = facts
    .flatMap(({ field, result }) => (result.status === 'failed' ? [{ field, code: result.error.split(':')[0]! }] : []))
    .slice(0, namedMax)
  return [...Map.groupBy(failed, ({ code }) => code)].map(
    ([code, gaps]) =>
      `Not available: ${gaps.map(({ field }) => `${field.type === 'boolean' ? 'whether ' : ''}${subjectOf(field)} (${field.name})`).join(', ')}. ${reasons[code] ?? 'The source failed'} (${code}).`,
  )
}

const reasons: Record<string, string> = {
  offline_no_data: 'This server has no local data for it and does not use the network',
  no_local_data: 'This server has no local data for it, and no service answers it',
  key_missing: 'The source needs a key that this server does not have',
  timeout: 'The source did not answer in time',
  rate_limited: 'The source limits how often it can be called',
  upstream_5xx: 'The source had an internal error',
  connection_failed: 'The source could not be reached',
  bad_response: 'The source returned an invalid response',
}
