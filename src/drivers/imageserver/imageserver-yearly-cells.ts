import { UpstreamError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import type { Budget } from '../../model/source.ts'
import { createSingleFlight } from '../../async/single-flight.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { identifyCell, sampleYears } from './imageserver-cells.ts'
import { mosaicParametersOf, type EditionYear } from './imageserver-editions.ts'

/** Each query has its own deadline. This limit only ends requests that nobody waits for. */
const flightMax_ms = 120_000

/**
 * Reads the cell of a point in a year. Queries for one point in the same event loop turn become one request. Years that
 * the response lacks, or all years if the service rejects several at once, are requested one by one.
 */
export function createYearlyCellReader(
  net: HttpClient,
): (query: YearlyCellQuery, budget: Budget) => Promise<number | null> {
  const pending: PendingQuery[] = []
  return (query, budget) =>
    new Promise((resolve, reject) => {
      pending.push({ ...query, budget, resolve, reject })
      if (pending.length === 1) setImmediate(sendPending)
    })

  function sendPending(): void {
    for (const group of Map.groupBy(
      pending.splice(0),
      ({ service, at }) => `${service} ${at.lat} ${at.lng}`,
    ).values()) {
      const cellOf = createCellReader(net, group[0]!, [...new Map(group.map(({ year }) => [year.year, year])).values()])
      for (const { year, budget, resolve, reject } of group) cellOf(year, budget).then(resolve, reject)
    }
  }
}

type YearlyCellQuery = { service: string; at: Point; year: EditionYear }
type PendingQuery = YearlyCellQuery & {
  budget: Budget
  resolve: (cell: number | null) => void
  reject: (error: unknown) => void
}

/** Reads the cells of one point. An aborted caller does not affect the others. */
function createCellReader(
  net: HttpClient,
  { service, at, year: { attribute } }: YearlyCellQuery,
  years: EditionYear[],
): (year: EditionYear, budget: Budget) => Promise<number | null> {
  const yearsFlights = createSingleFlight<Awaited<ReturnType<typeof sampleYears>>>()
  const cellFlights = createSingleFlight<number | null>()
  return async (year, budget) => {
    const cellByYear =
      years.length === 1
        ? noCell
        : await yearsFlights.join('', flightMax_ms, budget, (flightBudget) =>
            sampleYears(net, service, { at, attribute, years }, flightBudget).catch(ignoreRejection),
          )
    const cell = cellByYear(year.year)
    return cell === undefined
      ? cellFlights.join(String(year.year), flightMax_ms, budget, (flightBudget) =>
          identifyCell(net, service, { at, mosaic: mosaicParametersOf([year]) }, flightBudget),
        )
      : cell
  }
}

/**
 * Turns a permanent rejection into "no cell", so that years are requested one by one. Retryable errors apply to all
 * years.
 */
function ignoreRejection(error: unknown): () => undefined {
  if (error instanceof UpstreamError && !error.retryable) return noCell
  throw error
}

function noCell(): undefined {
  return undefined
}
