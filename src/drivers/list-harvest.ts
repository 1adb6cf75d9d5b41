import { quartersOf, type QueryBox } from '../geo/boxes.ts'
import { UpstreamError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { mapInPairs, type FeatureHarvester, type HarvestJournal, type HarvestedLayer } from './harvest.ts'
import type { GeoFeature } from './nearest-features.ts'

/** The records that a service returns for a box; `isTruncated`: it may have more. */
type ListPage = { features: GeoFeature[]; isTruncated: boolean }

/** Requests the records of a box; all records for a list that is always complete. */
type RequestList = (box: QueryBox, budget: Budget) => Promise<ListPage>

/**
 * Creates the harvester of a list of records. `isWhole`: one request returns the whole list. Otherwise each box is
 * requested, divided into quarters where the list is truncated.
 */
export function createListHarvester(host: string, requestList: RequestList, isWhole: boolean): FeatureHarvester {
  return {
    shape: 'features',
    host,
    estimate: (boxes) =>
      Promise.resolve({ requests: isWhole ? 1 : boxes.length, features: 0, bytes: expectedList_bytes * boxes.length }),
    async copy(boxes, journal, budget) {
      const pages = await mapInPairs(isWhole ? boxes.slice(0, 1) : boxes, (box, i) =>
        copyBox({ box, name: `list-${i}`, depth: 0 }, requestList, journal, budget),
      )
      return [layerOf(pages.flat())]
    },
  }
}

type CopiedList = { page: string; features: number; columns: string[] }

const maxSubdivisions = 10
/** For the estimate only: most lists are smaller. */
const expectedList_bytes = 1_000_000

async function copyBox(
  { box, name, depth }: { box: QueryBox; name: string; depth: number },
  requestList: RequestList,
  journal: HarvestJournal,
  budget: Budget,
): Promise<CopiedList[]> {
  if (depth > maxSubdivisions)
    throw new UpstreamError(
      'too_large',
      'The service truncates the list of every box, however small. No pack was built.',
    )
  const { isTruncated, ...copied } = await journal.page(name, async () => {
    const list = await requestList(box, budget)
    const features = list.isTruncated ? [] : list.features
    const columns = [...new Set(features.flatMap(({ properties }) => Object.keys(properties)))]
    return { features, result: { isTruncated: list.isTruncated, features: features.length, columns } }
  })
  if (!isTruncated) return [{ page: name, ...copied }]
  const quarters = await mapInPairs(quartersOf(box), (quarter, i) =>
    copyBox({ box: quarter, name: `${name}${i}`, depth: depth + 1 }, requestList, journal, budget),
  )
  return quarters.flat()
}

/** Lists state no count of their own, and records on the edge of two boxes are in both lists. */
function layerOf(pages: readonly CopiedList[]): HarvestedLayer {
  return {
    level: null,
    position: 0,
    packLayer: null,
    pages: pages.map(({ page }) => page),
    columns: [...new Set(pages.flatMap(({ columns }) => columns))],
    key: null,
    features: pages.reduce((sum, { features }) => sum + features, 0),
    service_count: null,
    hasRepeats: pages.length > 1,
    edited: null,
  }
}
