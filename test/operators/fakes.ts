import { UpstreamError } from '../../src/model/error.ts'
import type { Budget, Feature, Grid, Properties } from '../../src/model/source.ts'
import type { FieldQuery } from '../../src/operators/operator.ts'

/** The arguments of an operator. */
export type Args<Op extends { run: (args: never, ...rest: never[]) => unknown }> = Parameters<Op['run']>[0]

export const fakePoint = { lat: 39.74, lng: -104.99 }
export const fieldQuery: FieldQuery = { at: fakePoint, key: null, inputs: {}, now: new Date('2026-06-01T00:00:00Z') }
export const fakeBudget: Budget = { signal: new AbortController().signal }

/** A source that responds with a function and records its queries. */
export function recordingSource<Query, Data>(answer: (query: Query) => Data) {
  const queries: Query[] = []
  const source = async (query: Query) => {
    queries.push(query)
    return answer(query)
  }
  return Object.assign(source, { queries })
}

/** A source that fails with `timeout`. */
export async function failingSource(): Promise<never> {
  throw new UpstreamError('timeout', 'No answer.')
}

/** The message of a rejection, prefixed with the code of an UpstreamError. */
export function rejectionMessage(result: unknown): Promise<string> {
  return Promise.resolve(result).then(
    (value) => `no rejection, but ${JSON.stringify(value)}`,
    (error: Error) => (error instanceof UpstreamError ? `${error.code}: ${error.message}` : error.message),
  )
}

export function testFeature(properties: Properties, distance_m = 0): Feature {
  return { properties, distance_m }
}

/** A grid of rows with 10 m cells and the point at its center. */
export function gridOf(rows: (number | null)[][], more: Partial<Grid> = {}): Grid {
  const [height, width] = [rows.length, rows[0]!.length]
  return { width, height, at_x: width / 2, at_y: height / 2, cells: rows.flat(), cell_x_m: 10, cell_y_m: 10, ...more }
}
