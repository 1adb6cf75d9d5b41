import { UpstreamError } from '../model/error.ts'
import type { Point } from '../model/place.ts'
import type { Budget } from '../model/source.ts'
import { createSingleFlight } from '../async/single-flight.ts'
import type { HttpClient } from '../net/http-client.ts'
import { identifyCell, sampleYears } from './imageserver-cells.ts'
import { mosaicParametersOf, type EditionYear } from './imageserver-editions.ts'

/** Each question has its own time; this only ends what nobody would wait for. */
const flightMax_ms = 120_000

/**
 * Asks for the cell of a point in a year, as seldom as can be: the years of one moment at one point are one question. A year that its answer
 * leaves out is asked for alone, and all of them are when the service refuses to be asked for several.
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

/** The cells of one point. Whoever gives up leaves, and takes nothing from the others of the moment. */
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

/** A failure that passes is one of all the years. */
function ignoreRejection(error: unknown): () => undefined {
  if (error instanceof UpstreamError && !error.retryable) return noCell
  throw error
}

function noCell(): undefined {
  return undefined
}
