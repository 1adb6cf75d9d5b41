import { normalizeAttributeName } from '../../geo/attribute.ts'
import { namesInCondition } from '../../geo/text/sql-condition.ts'
import { UpstreamError, schemaChangedError } from '../../model/error.ts'
import { isRecord } from '../../model/record.ts'
import type { Budget } from '../../model/source.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { namesOfFields } from './arcgis-feature-set.ts'
import { requestArcgis, type ArcgisParameters } from './arcgis-request.ts'

const describedFor_ms = 86_400_000
const failedFor_ms = 600_000
const readTimeout_ms = 3_000

/** The attribute that servers add to those that were requested. */
const objectIdPattern = /^(objectid|oid|fid|gid)(_\d)?$/i

type KnownLayer = {
  listed: Set<string> | null
  missing: Set<string>
  /** The day on which the data were last edited. */
  edited: string | null
  expires_ms: number
}

/**
 * What is known of the attributes of layers: from their answers, and from their descriptions, which are read at most
 * once a day. A description that cannot be read changes nothing.
 */
export class LayerAttributes {
  readonly #net: HttpClient
  readonly #now: () => Date
  readonly #layers = new Map<string, KnownLayer>()

  constructor(net: HttpClient, now: () => Date) {
    this.#net = net
    this.#now = now
  }

  /**
   * Records an answer of a layer to a query for these attributes (`*`: all). An answer that lists others as well says
   * nothing about what the layer has: the server ignored the list.
   * @throws {UpstreamError} `schema_changed` if it has none of them: it is not this layer.
   */
  recordAnswer(url: string, requested: string, listed: string[] | null): void {
    const layer = this.#layerAt(url)
    if (listed === null) return
    const present = new Set(listed.map(normalizeAttributeName))
    if (requested === '*') layer.listed = present
    const names = namesIn(requested)
    const lacksAll = names.length > 0 && names.every((name) => !present.has(name))
    const others = [...present].filter((name) => !names.includes(name) && !objectIdPattern.test(name))
    if (lacksAll || others.length === 0)
      for (const name of names)
        if (present.has(name)) layer.missing.delete(name)
        else layer.missing.add(name)
    if (lacksAll) throw schemaChangedError(names, listed)
  }

  /** The attributes to ask a layer for: without those that it is known not to have. */
  attributesToAsk(url: string, names: string): string {
    const layer = this.#layers.get(url)
    if (!layer || names === '*') return names
    const present = names.split(',').filter((name) => !isMissing(layer, normalizeAttributeName(name.trim())))
    return present.length > 0 ? present.join(',') : '*'
  }

  /** The names that some layer is known not to have. */
  missingOf(names: readonly string[]): string[] {
    const layers = [...this.#layers.values()]
    return names.filter((name) => layers.some((layer) => isMissing(layer, normalizeAttributeName(name))))
  }

  /**
   * Sends a query to a layer. If the layer rejects it, and its description does not list an attribute of the query, the
   * query is sent again without that attribute.
   * @throws {UpstreamError} `schema_changed` if the condition needs that attribute.
   */
  async query(url: string, parameters: ArcgisParameters, budget: Budget): Promise<Record<string, unknown>> {
    const { where = '', outFields = '*', resultOffset } = parameters
    try {
      return await requestArcgis(this.#net, `${url}/query`, parameters, budget)
    } catch (error) {
      // Old servers reject every query with an offset.
      if (!isRejection(error) || resultOffset !== undefined) throw error
      await this.describe(url, budget)
      const missing = this.#missingAt(url, namesInCondition(where))
      if (missing.length > 0) throw schemaChangedError(missing, [...(this.#layers.get(url)?.listed ?? [])])
      const present = this.attributesToAsk(url, outFields)
      if (present === outFields) throw error
      return await requestArcgis(this.#net, `${url}/query`, { ...parameters, outFields: present }, budget)
    }
  }

  #missingAt(url: string, names: readonly string[]): string[] {
    const layer = this.#layers.get(url)
    return layer ? names.filter((name) => isMissing(layer, normalizeAttributeName(name))) : []
  }

  /** Reads the description of a layer, unless it was read today or could not be read a few minutes ago. */
  async describe(url: string, budget: Budget): Promise<void> {
    const layer = this.#layerAt(url)
    const time_ms = this.#now().getTime()
    if (time_ms < layer.expires_ms) return
    layer.expires_ms = time_ms + failedFor_ms
    const signal = AbortSignal.any([budget.signal, AbortSignal.timeout(readTimeout_ms)])
    try {
      const { fields, editingInfo } = await requestArcgis(this.#net, url, {}, { signal })
      layer.edited = dayOfEdit(editingInfo)
      const names = namesOfFields(fields).map(normalizeAttributeName)
      if (names.length === 0) return
      layer.listed = new Set(names)
      layer.missing.clear()
      layer.expires_ms = time_ms + describedFor_ms
    } catch (error) {
      if (!(error instanceof UpstreamError) && !signal.aborted) throw error
    }
  }

  /** Reads the descriptions of all layers that were queried since the start. */
  async describeAll(): Promise<void> {
    for (const url of this.#layers.keys()) await this.describe(url, { signal: AbortSignal.timeout(readTimeout_ms) })
  }

  /** The day on which the data were last edited, by the descriptions of all layers; null if one does not state it. */
  editedOn(): string | null {
    const days = [...this.#layers.values()].flatMap(({ edited }) => edited ?? [])
    return days.length === this.#layers.size ? (days.toSorted()[0] ?? null) : null
  }

  #layerAt(url: string): KnownLayer {
    const known = this.#layers.get(url)
    if (known) return known
    const layer: KnownLayer = { listed: null, missing: new Set(), edited: null, expires_ms: -Infinity }
    this.#layers.set(url, layer)
    return layer
  }
}

/** Hosted layers state when their data changed, or when anything of the layer did, in epoch milliseconds. */
function dayOfEdit(editingInfo: unknown): string | null {
  const { dataLastEditDate, lastEditDate } = isRecord(editingInfo) ? editingInfo : {}
  const edited_ms = typeof dataLastEditDate === 'number' ? dataLastEditDate : lastEditDate
  return typeof edited_ms === 'number' && edited_ms > 0 ? new Date(edited_ms).toISOString().slice(0, 10) : null
}

function isRejection(error: unknown): boolean {
  return error instanceof UpstreamError && error.code === 'upstream_rejected'
}

function isMissing({ listed, missing }: KnownLayer, name: string): boolean {
  return missing.has(name) || (listed !== null && !listed.has(name))
}

function namesIn(requested: string): string[] {
  return requested === '*' ? [] : requested.split(',').map((name) => normalizeAttributeName(name.trim()))
}
