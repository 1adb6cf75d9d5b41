import type { Fact } from './fact.ts'
import { subjectOf } from './subject.ts'

const namedMax = 15

/** What could not be had, for each reason in a sentence of its own. */
export function gapLinesOf(facts: Fact[]): string[] {
  const failed = facts
    .flatMap(({ field, result }) => (result.status === 'failed' ? [{ field, code: result.error.split(':')[0]! }] : []))
    .slice(0, namedMax)
  return [...Map.groupBy(failed, ({ code }) => code)].map(
    ([code, gaps]) =>
      `Could not be had: ${gaps.map(({ field }) => `${field.type === 'boolean' ? 'whether ' : ''}${subjectOf(field)} (${field.name})`).join(', ')}. ${reasons[code] ?? 'The source failed'} (${code}).`,
  )
}

const reasons: Record<string, string> = {
  offline_no_data: 'This server has no data of it and asks no network',
  key_missing: 'The source wants a key that this server does not have',
  timeout: 'The source did not answer in time',
  rate_limited: 'The source was asked too often',
  upstream_5xx: 'The source had a fault',
  connection_failed: 'The source could not be reached',
  bad_response: 'The source gave an answer that makes no sense',
}
