import type { Catalog } from '../catalog/catalog.ts'
import type { Dataset } from '../catalog/entry.ts'
import { drivers, type DriverName, type Serving } from '../drivers/drivers.ts'
import type { About, Driver, Opened, Remote, Tools } from '../drivers/driver.ts'
import type { UpstreamError } from '../model/error.ts'
import type { Place } from '../model/place.ts'
import type { AnySource, Budget, Shape } from '../model/source.ts'
import { timed } from '../net/timed.ts'
import { openAskedBefore, type AskedBefore } from './asked-before.ts'
import { freshFor_s, type Keep } from './kept.ts'
import { lackOf, type Means } from './lack.ts'
import type { TSchema } from '@sinclair/typebox'

/** One way in which a dataset can be asked on this server; `remote` is null for one that is local; `before`: what it was asked, where answers are kept. */
export type Way = { driver: DriverName; source: AnySource; vintage: string | null; covers: (place: Place) => boolean; remote: Remote | null; before: AskedBefore | null }

/** A dataset as this server has it: its ways in order, and what to say when none of them can answer. */
export type Shelf = { id: string; dataset: Dataset; ways: Way[]; complete: boolean; lack: () => UpstreamError }

/** The datasets of the catalog, each with the ways that are at hand here. */
export type Library = { shelf(dataset: string): Shelf; shelves(): Iterable<Shelf> }

/** What is put round every source, to follow the questions it is asked. */
export type Follow = (source: AnySource, dataset: string, driver: DriverName) => AnySource

/**
 * Shelves the datasets of a catalog. `keep`: what is put round a source on another server, so that it is asked seldom and not for ever.
 * Shelving again opens only what is new and what is local: packs come and go.
 */
export function openShelving(tools: Tools, means: Means, keep: Keep, followed: Follow = (source) => source): (catalog: Catalog) => Library {
  const opened = new WeakMap<Serving, Way[]>()
  return ({ datasets }) => {
    const shelves = new Map([...datasets].map(([id, dataset]) => [id, shelfOf(id, dataset)]))
    return { shelf: (dataset) => shelves.get(dataset)!, shelves: () => shelves.values() }
  }

  function shelfOf(id: string, dataset: Dataset): Shelf {
    const ways = dataset.serve.flatMap((serving) => opened.get(serving) ?? wayOf(serving, id, dataset))
    return { id, dataset, ways, complete: ways.length === dataset.serve.length, lack: () => lackOf(id, dataset, means, tools.packs) }
  }

  function wayOf(serving: Serving, id: string, dataset: Dataset): Way[] {
    const { driver, ...settings } = serving
    const { shape, attributes, needs_key, ttl_seconds } = dataset
    const key = needs_key?.env ? (means.keys.get(needs_key.env) ?? null) : null
    const it = openedBy(driver, settings, shape, { id, key, ttl_seconds, ...(attributes && { attributes }) })
    const ways = it ? [{ driver, vintage: it.vintage, covers: it.covers ?? everywhere, remote: it.remote ?? null, source: askedBy(it, driver, settings, id, dataset), before: remembering(it, dataset) }] : []
    if (driver !== 'pack') opened.set(serving, ways)
    return ways
  }

  function askedBy(it: Opened, driver: DriverName, settings: object, id: string, { service, budget_ms, ttl_seconds }: Dataset): AnySource {
    return followed(billedAs(service, kept(it, `${id} ${driver} ${hashOf(settings)}`, budget_ms, ttl_seconds), it.remote), id, driver)
  }

  function remembering({ remote }: Opened, { shape, ttl_seconds }: Dataset): AskedBefore | null {
    return remote && !remote.keepsItself && shape === 'features' ? openAskedBefore(1000 * freshFor_s(ttl_seconds), tools.now) : null
  }

  /** What a driver cannot make sense of is told by the name of the dataset. */
  function openedBy(driver: DriverName, settings: object, shape: Shape, about: About): Opened | null {
    try {
      return (drivers[driver] as Driver<TSchema>).open(settings, shape, tools, about)
    } catch (cause) {
      throw new Error(`dataset ${about.id} cannot be served by ${driver}: ${(cause as Error).message}`, { cause })
    }
  }

  function kept({ source, remote }: Opened, name: string, budget_ms: number, ttl_seconds: number): AnySource {
    if (!remote) return source
    const most_ms = Math.min(budget_ms, questionMax_ms)
    return remote.keepsItself ? timed(source, most_ms) : keep(source, { name, budget_ms: most_ms, ttl_seconds, staleToo: !remote.metered })
  }
}

/** What is billed is told by the name under which it is shown, and not by its host. */
function billedAs(service: string, source: AnySource, remote: Remote | undefined): AnySource {
  if (!remote?.metered) return source
  return (query: never, budget: Budget) => source(query, { ...budget, ...(budget.billed && { billed: () => budget.billed!(service) }) })
}

function hashOf(settings: object): string {
  return Bun.hash(JSON.stringify(settings)).toString(36)
}

/** What the longest of the budgets of a field leaves for one question. */
const questionMax_ms = 60_000
const everywhere = () => true
