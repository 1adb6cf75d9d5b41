import type { UpstreamCode } from '../../src/model/error.ts'
import type { FaultKind } from '../upstreams/faults.ts'

/** The expected result of a field: `ok`, `absent` or an error code. */
export type ExpectedResult = UpstreamCode | 'ok' | 'absent'
/** A fault of a source, and the result that it has. `budget_ms`: the time limit of each dataset. */
type FaultRow = { fault: FaultKind; expected: ExpectedResult; budget_ms?: number }

/** On a busy machine, the time of a field can end before its response is too large. Neither is a value or an absence. */
export function asTooLarge(result: string, expected: string): string {
  return expected === 'too_large' && result === 'timeout' ? expected : result
}

const faultRows: FaultRow[] = [
  { fault: 'hang', expected: 'timeout', budget_ms: 1000 },
  { fault: 'drip', expected: 'timeout', budget_ms: 1000 },
  { fault: 'reset', expected: 'connection_failed' },
  { fault: 'close_early', expected: 'connection_failed' },
  { fault: 'truncated', expected: 'connection_failed' },
  { fault: 'html_200', expected: 'bad_response' },
  { fault: 'empty_200', expected: 'bad_response' },
  { fault: 'bad_json', expected: 'bad_response' },
  { fault: 'wrong_type', expected: 'bad_response' },
  { fault: 'arcgis_400', expected: 'upstream_rejected' },
  { fault: 'arcgis_498', expected: 'upstream_rejected' },
  { fault: 'arcgis_499', expected: 'upstream_rejected' },
  { fault: 'arcgis_no_code', expected: 'upstream_rejected' },
  { fault: 'arcgis_500', expected: 'upstream_5xx' },
  { fault: { status: 400 }, expected: 'upstream_rejected' },
  { fault: { status: 401 }, expected: 'upstream_rejected' },
  { fault: { status: 403 }, expected: 'upstream_rejected' },
  { fault: { status: 404 }, expected: 'upstream_rejected' },
  { fault: { status: 429, retry_after: 0 }, expected: 'rate_limited' },
  { fault: { status: 500 }, expected: 'upstream_5xx' },
  { fault: { status: 502 }, expected: 'upstream_5xx' },
  { fault: { status: 503 }, expected: 'upstream_5xx' },
  { fault: { status: 504 }, expected: 'upstream_5xx' },
  { fault: 'redirect_same', expected: 'ok' },
  { fault: 'redirect_other', expected: 'bad_redirect' },
  { fault: 'redirect_private', expected: 'bad_redirect' },
  { fault: 'redirect_loop', expected: 'bad_redirect' },
  { fault: 'bomb', expected: 'too_large' },
  { fault: { bomb: 'zstd' }, expected: 'bad_response' },
  { fault: { encoding: 'gzip' }, expected: 'ok' },
  { fault: { encoding: 'gzip, gzip' }, expected: 'bad_response' },
  { fault: 'endless', expected: 'too_large' },
  { fault: { slow_ms: 200 }, expected: 'ok' },
]

/** Every fault of the stand-in with a name, for the tests of points and of areas. */
export const namedFaultRows = faultRows.map((row): [name: string, row: FaultRow] => [
  typeof row.fault === 'string' ? row.fault : Object.entries(row.fault).flat().join(' '),
  row,
])
