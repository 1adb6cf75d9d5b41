import type { Catalog } from '../catalog/catalog.ts'
import type { Dataset } from '../catalog/entry.ts'
import { drivers, type DriverName, type Serving } from '../drivers/drivers.ts'
import type { Driver, Opened, Tools } from '../drivers/driver.ts'
import { UpstreamError } from '../model/error.ts'
import type { Place } from '../model/place.ts'
import type { AnySource } from '../model/source.ts'
import type { TSchema } from '@sinclair/typebox'

/** One way in which a dataset can be asked on this server. */
export type Way = { driver: DriverName; source: AnySource; vintage: string | null; covers: (place: Place) => boolean }

/** A dataset as this server has it: its ways in order, and what to say when none of them can answer. */
export type Shelf = { id: string; dataset: Dataset; ways: Way[]; complete: boolean; lack: () => UpstreamError }

/** The datasets of the catalog, each with the ways that are at hand here. */
export type Library = { shelf(dataset: string): Shelf; shelves(): Iterable<Shelf> }

/** What the library must know of the configuration to say what is missing. */
export type Means = { offline: boolean; keys: ReadonlySet<string> }

export function openLibrary(catalog: Catalog, tools: Tools, means: Means): Library {
  const shelves = new Map([...catalog.datasets].map(([id, dataset]) => [id, shelfOf(id, dataset, tools, means)]))
  return { shelf: (dataset) => shelves.get(dataset)!, shelves: () => shelves.values() }
}

function shelfOf(id: string, dataset: Dataset, tools: Tools, means: Means): Shelf {
  const ways = dataset.serve.flatMap((serving) => {
    const opened = open(serving, dataset, tools)
    return opened ? [{ driver: serving.driver, source: opened.source, vintage: opened.vintage, covers: opened.covers ?? everywhere }] : []
  })
  return { id, dataset, ways, complete: ways.length === dataset.serve.length, lack: () => lackOf(id, dataset, means) }
}

const everywhere = () => true

function open(serving: Serving, { shape }: Dataset, tools: Tools): Opened | null {
  const { driver, ...settings } = serving
  if (!Object.hasOwn(drivers, driver)) return null
  return (drivers[driver as keyof typeof drivers] as Driver<TSchema>).open(settings, shape, tools)
}

/** An honest sentence: which dataset is asked, how it could be served, and what is missing for each way. */
function lackOf(id: string, { title, needs_key, serve }: Dataset, { offline, keys }: Means): UpstreamError {
  const name = `${title} (${id})`
  const ways = serve.map(wayInWords)
  if (needs_key?.required && needs_key.env && !keys.has(needs_key.env)) {
    return new UpstreamError('key_missing', `${name} is asked with a key: set ${needs_key.env}. This version also lacks the driver that would use it (${ways.join(', ')}).`)
  }
  const network = offline ? 'The network is switched off (FIELDSTONE_OFFLINE=1). ' : ''
  return new UpstreamError('offline_no_data', `There is no local data for ${name}. ${network}It can be served from ${ways.join(' or ')}; this version has only its embedded data, so it takes a version with those drivers.`)
}

function wayInWords(serving: Serving): string {
  if (serving.driver === 'pack') return `a pack (${serving.file})`
  const address = 'endpoint' in serving ? serving.endpoint : 'asset' in serving ? serving.asset : null
  return address ? `${URL.canParse(address) ? new URL(address).host : address} (${serving.driver})` : serving.driver
}
