import { attributeOf } from '../../geo/attribute.ts'
import { quartersOf, type QueryBox } from '../../geo/boxes.ts'
import { UpstreamError } from '../../model/error.ts'
import { pluralize } from '../../model/text.ts'
import type { Budget } from '../../model/source.ts'
import { checkBorder, chooseBorderProbe, type BorderProbe } from './arcgis-border-probe.ts'
import {
  boxFilter,
  countFiltered,
  describeArcgisLayer,
  featuresOfIds,
  listIds,
  outFieldsOf,
  pageSizeOf,
  queryFeatures,
  type QueriedLayer,
} from './arcgis-id-list.ts'
import { arcgisNameOf, requestArcgis } from './arcgis-request.ts'
import {
  mapInPairs,
  type HarvestDeps,
  type HarvestEstimate,
  type HarvestJournal,
  type HarvestedLayer,
} from '../harvest.ts'
import type { GeoFeature } from '../features/nearest-features.ts'

/**
 * One layer of an ArcGIS service that is copied. `name` is unique in the journal. `where`: a condition of its features.
 * `set`: attributes with one value for all of them.
 */
export type ArcgisLayerCopy = {
  url: string
  name: string
  level: number | null
  position: number
  packLayer: string | null
  outFields: string
  where?: string | undefined
  set: Readonly<Record<string, string>>
  deps: HarvestDeps
}

/** The number of features of a layer in boxes, and the requests that a copy takes. */
export async function estimateArcgisLayer(
  { url, where, deps }: Pick<ArcgisLayerCopy, 'url' | 'where' | 'deps'>,
  boxes: readonly QueryBox[],
  budget: Budget,
): Promise<HarvestEstimate> {
  const description = await describeArcgisLayer(url, deps, budget)
  const counts = await mapInPairs(boxes, (box) => countFiltered(url, boxFilter(box, where), deps, budget))
  const features = counts.reduce((sum, count) => sum + count, 0)
  const pages = Math.ceil(features / pageSizeOf(description))
  const probes = description.geometryType === 'esriGeometryPolygon' ? Math.min(maxProbes, pages) : 0
  const requests = 2 + 4 * boxes.length + pages + 2 * probes
  return { requests, features, bytes: features * (expectedBytes[description.geometryType] ?? expectedPolygon_bytes) }
}

/**
 * Copies the features of a layer that touch the boxes. It lists their object ids, and then requests the features by id.
 * If the service refuses one of these, it requests the boxes, divided into quarters until nothing is truncated.
 */
export async function copyArcgisLayer(
  layer: ArcgisLayerCopy,
  boxes: readonly QueryBox[],
  journal: HarvestJournal,
  budget: Budget,
): Promise<HarvestedLayer> {
  const { url, name, level, position, packLayer, deps } = layer
  const description = await journal.step(`${name}-layer`, () => describeArcgisLayer(url, deps, budget))
  const outFields = outFieldsOf(layer.outFields, description)
  const copy = new LayerCopy({ ...layer, outFields }, description.idField, journal, budget)
  const before = await copy.listAll(boxes, 'before')
  const pages = before === null ? await copy.copyBoxes(boxes) : await copy.copyIds(before.ids, pageSizeOf(description))
  const copied = countCopied(pages)
  const expected = before === null ? await copy.countAll(boxes) : before.ids.length
  if (copied !== expected) throw countError(url, expected, copied)
  const after = before === null ? null : await copy.listAll(boxes, 'after')
  const descriptionAfter = await journal.step(`${name}-layer-after`, () => describeArcgisLayer(url, deps, budget))
  if ((after && !isEqual(before!.ids, after.ids)) || description.edited_ms !== descriptionAfter.edited_ms)
    throw changedError(url)
  await copy.probeBorders(pages.flatMap(({ probe }) => probe ?? []))
  return {
    level,
    position,
    packLayer,
    pages: pages.map(({ page }) => page),
    columns: [...description.columns, ...Object.keys(layer.set)],
    key: before?.idField ?? description.idField,
    features: copied,
    service_count: expected,
    hasRepeats: before === null,
    edited: description.edited_ms === null ? null : new Date(description.edited_ms).toISOString().slice(0, 10),
  }
}

/** The features with additional attributes. */
export function withAttributes(features: GeoFeature[], added: Readonly<Record<string, string>> = {}): GeoFeature[] {
  if (Object.keys(added).length === 0) return features
  return features.map((feature) => ({ ...feature, properties: { ...feature.properties, ...added } }))
}

/** Bytes of a stored feature, for the estimate only. */
const expectedBytes: Record<string, number> = { esriGeometryPoint: 400, esriGeometryPolyline: 2_000 }
const expectedPolygon_bytes = 4_000
const maxProbes = 6
const maxSubdivisions = 10

type IdList = { idField: string; ids: number[] }
/**
 * A page in the journal, and a place at which its outline can be checked. `ids`: only of pages that can repeat a
 * feature of another page.
 */
type CopiedPage = { page: string; features: number; ids: (number | string)[] | null; probe: BorderProbe | null }

/** The number of different features. */
function countCopied(pages: readonly CopiedPage[]): number {
  if (pages.every(({ ids }) => ids === null)) return pages.reduce((sum, { features }) => sum + features, 0)
  return new Set(pages.flatMap(({ ids }) => ids ?? [])).size
}

/** The copy of one layer. Each of its requests is a step of the journal. */
class LayerCopy {
  readonly #layer: ArcgisLayerCopy
  readonly #queried: QueriedLayer
  readonly #journal: HarvestJournal
  readonly #budget: Budget
  #idField: string | null

  constructor(layer: ArcgisLayerCopy, idField: string | null, journal: HarvestJournal, budget: Budget) {
    this.#layer = layer
    const { url, outFields, deps } = layer
    this.#queried = { url, outFields, send: (query, it) => requestArcgis(deps.net, `${url}/query`, query, it) }
    this.#idField = idField
    this.#journal = journal
    this.#budget = budget
  }

  /** The ids of all features in the boxes, ascending; null if the service does not list ids. */
  async listAll(boxes: readonly QueryBox[], when: 'before' | 'after'): Promise<IdList | null> {
    const lists = await mapInPairs(boxes, (box, i) => this.#listIds(box, `${this.#layer.name}-ids-${when}-${i}`, 0))
    if (lists.includes(null)) return null
    const ids = lists.length === 1 ? lists[0]!.ids : [...new Set(lists.flatMap((list) => list!.ids))]
    ids.sort((a, b) => a - b)
    const idField = lists[0]?.idField ?? ''
    this.#idField = idField
    return { idField, ids }
  }

  /** The number of features in the boxes. A feature in two boxes is counted twice, so there must be one box. */
  async countAll(boxes: readonly QueryBox[]): Promise<number> {
    const { url, name, where, deps } = this.#layer
    const counts = await mapInPairs(boxes, (box, i) =>
      this.#journal.step(`${name}-count-${i}`, () => countFiltered(url, boxFilter(box, where), deps, this.#budget)),
    )
    return counts.reduce((sum, count) => sum + count, 0)
  }

  async copyIds(ids: readonly number[], pageSize: number): Promise<CopiedPage[]> {
    const starts = Array.from({ length: Math.ceil(ids.length / pageSize) }, (_, i) => i * pageSize)
    const pages = await mapInPairs(starts, (start, i) =>
      this.#copyChunk(ids.slice(start, start + pageSize), `${this.#layer.name}-page-${String(i).padStart(6, '0')}`),
    )
    return pages.flat()
  }

  /** Copies boxes without ids. */
  async copyBoxes(boxes: readonly QueryBox[]): Promise<CopiedPage[]> {
    if (boxes.length > 1)
      throw new UpstreamError(
        'unsupported_request',
        `${arcgisNameOf(this.#layer.url)} does not list object ids, so it can only be copied for an area of one box. Use a smaller area.`,
      )
    return this.#copyBox(boxes[0]!, `${this.#layer.name}-box`, 0)
  }

  /** Checks at some borders that the outlines are exact: a point 2 m inside is inside, and one 2 m outside is not. */
  async probeBorders(probes: readonly BorderProbe[]): Promise<void> {
    const step = Math.max(1, Math.floor(probes.length / maxProbes))
    const chosen = probes.filter((_, i) => i % step === 0).slice(0, maxProbes)
    await mapInPairs(chosen, (probe, i) =>
      this.#journal.step(`${this.#layer.name}-probe-${i}`, async () => {
        await checkBorder(this.#queried, probe, this.#budget)
        return true
      }),
    )
  }

  async #listIds(box: QueryBox, step: string, depth: number): Promise<IdList | null> {
    const listed = await this.#journal.step(step, () =>
      listIds(this.#queried, boxFilter(box, this.#layer.where), this.#budget),
    )
    if (listed.refused) return null
    if (listed.ids.length === listed.count) return { idField: listed.idField, ids: listed.ids }
    if (depth >= maxSubdivisions / 2) throw countError(this.#layer.url, listed.count, listed.ids.length)
    const quarters = await mapInPairs(quartersOf(box), (quarter, i) =>
      this.#listIds(quarter, `${step}-${i}`, depth + 1),
    )
    if (quarters.includes(null)) return null
    const ids = [...new Set(quarters.flatMap((list) => list!.ids))]
    if (ids.length !== listed.count) throw countError(this.#layer.url, listed.count, ids.length)
    return { idField: listed.idField, ids }
  }

  /** Copies features by id. A page that is too large or incomplete is divided into halves. */
  async #copyChunk(ids: readonly number[], page: string): Promise<CopiedPage[]> {
    const copied = await this.#journal.page(page, () => this.#requestIds(ids))
    if (!copied.isDivided) return [{ page, features: ids.length, ids: null, probe: copied.probe }]
    const half = Math.ceil(ids.length / 2)
    return [
      ...(await this.#copyChunk(ids.slice(0, half), `${page}a`)),
      ...(await this.#copyChunk(ids.slice(half), `${page}b`)),
    ]
  }

  async #requestIds(ids: readonly number[]) {
    const idField = this.#idField ?? ''
    const featureSet = await featuresOfIds({ ...this.#queried, idField }, ids, this.#budget)
    if (!featureSet) return { features: [], result: { isDivided: true, probe: null } }
    const { features } = featureSet
    return {
      features: withAttributes(features, this.#layer.set),
      result: { isDivided: false, probe: chooseBorderProbe(features, idField) },
    }
  }

  /** Copies the features of a box. A box with a truncated list is divided into quarters. */
  async #copyBox(box: QueryBox, page: string, depth: number): Promise<CopiedPage[]> {
    const { url, where, deps } = this.#layer
    if (depth > maxSubdivisions) throw new UpstreamError('too_large', `${arcgisNameOf(url)} truncates every list.`)
    const copied = await this.#journal.page(page, async () => {
      const filter = boxFilter(box, where)
      const count = await countFiltered(url, filter, deps, this.#budget)
      const featureSet = await queryFeatures(this.#queried, filter, true, this.#budget)
      const features = featureSet?.features ?? []
      this.#idField ??= featureSet?.idField ?? null
      const isComplete = featureSet !== null && features.length === count
      const ids = isComplete ? features.map((feature) => this.#idOf(feature)) : []
      return {
        features: isComplete ? withAttributes(features, this.#layer.set) : [],
        result: { ids, isDivided: !isComplete },
      }
    })
    if (!copied.isDivided) return [{ page, features: copied.ids.length, ids: copied.ids, probe: null }]
    const quarters = await mapInPairs(quartersOf(box), (quarter, i) =>
      this.#copyBox(quarter, `${page}-${i}`, depth + 1),
    )
    return quarters.flat()
  }

  #idOf({ properties, geometry }: GeoFeature): number | string {
    const id = attributeOf(properties, this.#idField ?? '')
    return typeof id === 'number' || typeof id === 'string'
      ? id
      : Bun.hash(JSON.stringify([properties, geometry])).toString(36)
  }
}

function isEqual(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((id, i) => id === b[i])
}

function countError(url: string, expected: number, received: number): UpstreamError {
  return new UpstreamError(
    'bad_response',
    `${arcgisNameOf(url)} counts ${pluralize(expected, 'feature')} in the area, but returned ${received}. No pack was built.`,
  )
}

function changedError(url: string): UpstreamError {
  return new UpstreamError(
    'bad_response',
    `${arcgisNameOf(url)} changed while it was copied. Run the same command again.`,
  )
}
