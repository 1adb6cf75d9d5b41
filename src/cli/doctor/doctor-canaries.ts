import { noDeadline } from '../../async/deadline.ts'
import type { App } from '../../app.ts'
import type { Canary, CanaryExpectation, Field, ReadSpec } from '../../catalog/records.ts'
import type { FieldResult } from '../../fetch/fetch-answer.ts'
import { fetchFields } from '../../fetch/fetch.ts'
import type { DatasetHandle } from '../../fetch/sources/source-registry.ts'
import type { UpstreamCode } from '../../model/error.ts'
import { compilePattern } from '../../model/pattern.ts'

/** What the answer of a canary shows. `changed`: the publisher changed a name, the codes, the unit or the host. */
export type CanaryStatus = 'right' | 'slow' | 'wrong' | 'changed' | 'failed'

/** The answer of one canary. `found` is the value, and `remark` explains any other status than `right`. */
export type CanaryCheck = {
  field: string
  place: string
  status: CanaryStatus
  change: 'name' | 'code' | 'unit' | 'host' | null
  expected: CanaryExpectation | null
  found: FieldResult['value']
  latency_ms: number
  remark: string
}

/** Asks the canaries of a dataset, one after the other. */
export async function askCanaries(handle: DatasetHandle, app: App): Promise<CanaryCheck[]> {
  const checks: CanaryCheck[] = []
  for (const canary of app.catalog.canaries.get(handle.id) ?? []) checks.push(await askCanary(canary, handle, app))
  return checks
}

/** Asks one canary of a dataset. */
export async function askCanary(
  canary: Canary,
  { id, dataset, options }: DatasetHandle,
  app: App,
): Promise<CanaryCheck> {
  const field = fieldReading(app.catalog.fields.get(canary.field)!, id)
  const started_ms = performance.now()
  const place = await app.locate({ lat: canary.lat, lng: canary.lng }, noDeadline)
  const { fields } = await fetchFields([field], place, noDeadline, app)
  const latency_ms = Math.round(performance.now() - started_ms)
  const isSlow = options.some(({ remote }) => remote) && latency_ms > dataset.budget_ms * slowShare
  return checkCanary(canary, fields[canary.field]!, { latency_ms, isSlow })
}

/** An answer of a service is slow when it takes more than this share of the time limit of its dataset. */
const slowShare = 0.5

/** The field as it is read from this dataset alone: without fallbacks, or by the fallback that reads the dataset. */
function fieldReading(field: Field, id: string): Field {
  const find = (read: ReadSpec): ReadSpec | undefined =>
    read.dataset === id ? read : read.fallback?.map(find).find((it) => it !== undefined)
  const found = find(field.read)
  if (!found) return field
  const { fallback: _fallback, skip_when: _skip, skip_reason: _reason, ...read } = found
  return { ...field, read }
}

/** Compares the answer of a canary with its expectation. */
export function checkCanary(
  { field, place, fact }: Canary,
  result: FieldResult,
  { latency_ms, isSlow }: { latency_ms: number; isSlow: boolean },
): CanaryCheck {
  const expected = fact?.expected ?? null
  const check = { field, place, change: null, expected, found: result.value, latency_ms, remark: '' }
  if (result.status === 'failed') {
    const change = changesByCode[result.error.slice(0, result.error.indexOf(':')) as UpstreamCode] ?? null
    return { ...check, status: change === null ? 'failed' : 'changed', change, remark: result.error }
  }
  const isRight = fact ? result.status === 'ok' && meets(result.value, fact.expected) : true
  if (isRight)
    return isSlow
      ? { ...check, status: 'slow', remark: `The answer took ${latency_ms} ms.` }
      : { ...check, status: 'right' }
  const remark = `Expected ${expectationText(fact!.expected)} (${fact!.source}), found ${JSON.stringify(result.value)}.`
  const conversion = conversionOf(result.value, fact!.expected)
  return conversion === null
    ? { ...check, status: 'wrong', remark }
    : { ...check, status: 'changed', change: 'unit', remark: `${remark} It is right in ${conversion}.` }
}

/** The errors that show a change of the publisher. */
const changesByCode: Partial<Record<UpstreamCode, CanaryCheck['change']>> = {
  schema_changed: 'name',
  bad_value: 'code',
  bad_redirect: 'host',
}

function meets(value: FieldResult['value'], expected: CanaryExpectation): boolean {
  if ('value' in expected) return value === expected.value
  if ('pattern' in expected) return typeof value === 'string' && compilePattern(expected.pattern)(value)
  return typeof value === 'number' && value >= expected.range[0] && value <= expected.range[1]
}

/** Values of other units, as multiples of the value in the unit of the field. */
const otherUnits: [unit: string, factor: number][] = [
  ['feet instead of meters', 1 / 0.3048],
  ['meters instead of feet', 0.3048],
  ['inches instead of millimeters', 1 / 25.4],
  ['millimeters instead of inches', 25.4],
  ['hundredths of the unit', 100],
  ['thousandths of the unit', 1000],
  ['hundreds of the unit', 0.01],
  ['thousands of the unit', 0.001],
]

/** The unit in which a number outside its range is right, if there is one. */
function conversionOf(value: FieldResult['value'], expected: CanaryExpectation): string | null {
  if (typeof value !== 'number' || !('range' in expected)) return null
  return otherUnits.find(([, factor]) => meets(value / factor, expected))?.[0] ?? null
}

function expectationText(expected: CanaryExpectation): string {
  if ('value' in expected) return JSON.stringify(expected.value)
  return 'pattern' in expected
    ? `a text of the form ${expected.pattern}`
    : `a number from ${expected.range.join(' to ')}`
}
