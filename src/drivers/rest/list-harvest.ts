import { boxesTouch, boxesOfPolygons, quartersOf, type QueryBox } from '../../geo/boxes.ts'
import { UpstreamError } from '../../model/error.ts'
import { pluralize } from '../../model/text.ts'
import type { Budget } from '../../model/source.ts'
import { mapInPairs, type FeatureHarvester, type HarvestJournal, type HarvestedLayer } from '../harvest.ts'
import type { GeoFeature } from '../features/nearest-features.ts'

/**
 * The records that a service returns for a box. `isTruncated`: it may have more. `total`: the number of records in the
 * box that it states; null if it states none.
 */
export type RecordList = { features: GeoFeature[]; isTruncated: boolean; total: number | null }

/** Requests the records of a box; all records for a list that is always complete. */
type RequestList = (box: QueryBox, budget: Budget) => Promise<RecordList>

/**
 * `isWhole`: one request returns the whole list. Otherwise, each box is requested. If its list is truncated, the
 * quarters of the box are requested instead. `isClipped`: the service returns only records in the box.
 */
type ListOptions = { isWhole?: boolean; isClipped?: boolean }

/** Creates the harvester of a list of records. */
export function createListHarvester(
  host: string,
  requestList: RequestList,
  { isWhole = false, isClipped = false }: ListOptions = {},
): FeatureHarvester {
  return {
    shape: 'features',
    host,
    estimate: (boxes) => {
      const requests = isWhole ? 1 : boxes.length + 4 * Math.min(boxes.length, checkedListsMax)
      return Promise.resolve({ requests, features: 0, bytes: expectedList_bytes * boxes.length })
    },
    async copy(boxes, journal, budget) {
      const copy = new ListCopy({ host, isClipped, journal, budget }, requestList)
      const copied = isWhole ? boxes.slice(0, 1) : boxes
      const lists = await mapInPairs(copied, (box, i) => copy.copyBox({ box, page: `records-${i}`, depth: 0 }))
      if (!isWhole) await copy.checkLists(lists.flat())
      return [layerOf(lists.flat())]
    },
  }
}

/** A list in the journal, with the hashes of its features. */
type CopiedList = { box: QueryBox; page: string; hashes: string[]; columns: string[]; total: number | null }

const maxSubdivisions = 10
/** For the estimate only: most lists are smaller. */
const expectedList_bytes = 1_000_000
/** The number of lists that are checked. A service that truncates without saying so truncates the largest lists. */
const checkedListsMax = 4
/** Services round the box and the coordinates of records. */
const boxTolerance_degrees = 0.01

type ListCopyContext = { host: string; isClipped: boolean; journal: HarvestJournal; budget: Budget }

/** Copies a list. The service states no version of it, so its answers are compared with each other. */
class ListCopy {
  readonly #context: ListCopyContext
  readonly #requestList: RequestList

  constructor(context: ListCopyContext, requestList: RequestList) {
    this.#context = context
    this.#requestList = requestList
  }

  /** Copies the records of a box, or of its quarters. `depth`: how often the box was divided. */
  async copyBox({ box, page, depth }: { box: QueryBox; page: string; depth: number }): Promise<CopiedList[]> {
    const { host, journal } = this.#context
    if (depth > maxSubdivisions)
      throw new UpstreamError('too_large', `${host} truncates the list of every box, however small. No pack was built.`)
    const { isTruncated, ...copied } = await journal.page(page, async () => {
      const { total, ...list } = await this.#request(box)
      const features = list.isTruncated ? [] : list.features
      const columns = [...new Set(features.flatMap(({ properties }) => Object.keys(properties)))]
      return { features, result: { isTruncated: list.isTruncated, total, hashes: features.map(hashOf), columns } }
    })
    if (!isTruncated) return [{ box, page, ...copied }]
    const quarters = await mapInPairs(quartersOf(box), (quarter, i) =>
      this.copyBox({ box: quarter, page: `${page}-${i}`, depth: depth + 1 }),
    )
    const lists = quarters.flat()
    const found = new Set(lists.flatMap(({ hashes }) => hashes)).size
    if (copied.total !== null && copied.total !== found)
      throw hasIdenticalRecords(lists)
        ? identicalRecordsError(host, copied.total, found)
        : countError(host, copied.total, found)
    return lists
  }

  /**
   * Requests the quarters of the largest lists without a stated total, and of the smallest one, after everything else.
   * @throws {UpstreamError} if they have other records than the list.
   */
  async checkLists(lists: readonly CopiedList[]): Promise<void> {
    const { host, journal } = this.#context
    const bySize = lists.filter(({ total }) => total === null).toSorted((a, b) => b.hashes.length - a.hashes.length)
    const checked = [...bySize.slice(0, checkedListsMax - 1), ...bySize.slice(checkedListsMax - 1).slice(-1)]
    await mapInPairs(checked, ({ box, page, hashes }) =>
      journal.step(`${page}-check`, async () => {
        const quarters = await mapInPairs(quartersOf(box), (quarter) => this.#request(quarter))
        const inQuarters = new Set(quarters.flatMap(({ features }) => features.map(hashOf)))
        const inList = new Set(hashes)
        if (inList.symmetricDifference(inQuarters).size === 0 && quarters.every((it) => !it.isTruncated)) return true
        throw new UpstreamError(
          'bad_response',
          `${host} returned ${pluralize(inList.size, 'record')} for a box, but ${inQuarters.size} for its quarters. It truncates its lists without saying so, or its data has changed meanwhile. No pack was built. Run the same command again.`,
        )
      }),
    )
  }

  async #request(box: QueryBox): Promise<RecordList> {
    const { host, isClipped, budget } = this.#context
    const list = await this.#requestList(box, budget)
    const { features, isTruncated, total } = list
    if (!isTruncated && total !== null && total !== features.length) throw countError(host, total, features.length)
    if (isClipped && features.some((feature) => !isNear(feature, box)))
      throw new UpstreamError(
        'bad_response',
        `${host} returned a record outside of the box that was requested. No pack was built.`,
      )
    return list
  }
}

function hashOf({ geometry, properties }: GeoFeature): string {
  return Bun.hash(JSON.stringify([geometry, properties])).toString(36)
}

/** Whether a feature is in a box or touches it. A feature without a geometry is everywhere. */
function isNear({ geometry: { points, lines, polygons } }: GeoFeature, { w, s, e, n }: QueryBox): boolean {
  const positions = [...points, ...lines.flat(), ...polygons.flat(2)]
  const margin = boxTolerance_degrees
  const box = { w: w - margin, s: s - margin, e: e + margin, n: n + margin }
  return positions.length === 0 || boxesOfPolygons([[positions]]).some((it) => boxesTouch(it, box))
}

function countError(host: string, expected: number, received: number): UpstreamError {
  return new UpstreamError(
    'bad_response',
    `${host} counts ${pluralize(expected, 'record')}, but returned ${received}. No pack was built.`,
  )
}

/** Whether a list has a record twice. Records on the edge of two boxes are in two lists. */
function hasIdenticalRecords(lists: readonly CopiedList[]): boolean {
  return lists.some(({ hashes }) => new Set(hashes).size < hashes.length)
}

/** Identical records cannot be told from a page that a service returns twice. */
function identicalRecordsError(host: string, expected: number, different: number): UpstreamError {
  return new UpstreamError(
    'bad_response',
    `${host} counts ${pluralize(expected, 'record')}, but only ${different} of those that it returned are different. The others are identical to one of these, so it is not certain that none is missing. No pack was built. A smaller area may have no identical records.`,
  )
}

/** Records on the edge of two boxes are in both lists. */
function layerOf(lists: readonly CopiedList[]): HarvestedLayer {
  return {
    level: null,
    position: 0,
    packLayer: null,
    pages: lists.map(({ page }) => page),
    columns: [...new Set(lists.flatMap(({ columns }) => columns))],
    key: null,
    features: lists.reduce((sum, { hashes }) => sum + hashes.length, 0),
    service_count: null,
    hasRepeats: lists.length > 1,
    edited: null,
  }
}
