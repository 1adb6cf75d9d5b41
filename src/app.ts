import { edenGC } from 'bun:jsc'
import { join } from 'node:path'
import { openAsk, type Ask } from './ask/ask.ts'
import { openModels } from './ask/models.ts'
import { openAccess, type Access } from './auth/access.ts'
import type { Account, Accounts } from './auth/accounts.ts'
import { cryptoBytes } from './auth/token.ts'
import type { Catalog } from './catalog/catalog.ts'
import type { Contents } from './catalog/entry.ts'
import { hostsOf } from './catalog/hosts.ts'
import { openOverlays } from './catalog/overlays.ts'
import { packsExpected } from './catalog/packs-expected.ts'
import { openChores } from './chores.ts'
import type { Config } from './config.ts'
import type { Counter } from './fetch/batch.ts'
import { openGate, type Gate } from './fetch/gate.ts'
import { openKeep } from './fetch/kept.ts'
import { openShelving, type Library } from './fetch/library.ts'
import { openStock, type Stock } from './fetch/stock.ts'
import { billedCalls, takenBy, type Taken } from './fetch/tally.ts'
import type { Log } from './log.ts'
import type { Reference } from './lookup/lookup.ts'
import { openNet, type Net } from './net/net.ts'
import { openAddressPacks, type AddressPacks } from './packs/addresses.ts'
import { openEmbedded, type Embedded } from './packs/embedded.ts'
import { openPacks, type Packs } from './packs/packs.ts'
import type { Geocode } from './place/geocode.ts'
import type { Locate } from './place/locate.ts'
import { geocoderHosts, openPlaces } from './place/places.ts'
import { openAnswering } from './runs/answering.ts'
import { openRuns, type Runs } from './runs/runs.ts'
import { openRasters } from './raster/rasters.ts'
import { answers, lockFolder, openState } from './store/database.ts'
import { openReadings } from './store/readings.ts'
import type { Workers } from './workers.ts'

export type Options = {
  config: Config
  contents: Contents
  /** The embedded GeoPackage: a file, or its bytes where no file can be written. */
  embedded: string | Uint8Array
  log: Log
  version: string
  workers: Workers
  now?: () => Date
  randomBytes?: (size: number) => Uint8Array
}

/** What the doors (HTTP, the command line) are handed. */
export type App = {
  config: Config
  version: string
  started: Date
  log: Log
  now: () => Date
  embedded: Embedded
  packs: Packs
  addressPacks: AddressPacks
  /** The way out; null where the network is switched off. */
  net: Net | null
  /** The catalog and its library as they are now; they change as packs and added layers come and go. */
  stock(): Stock
  readonly catalog: Catalog
  readonly library: Library
  /** All that answering an account takes, as it is now: for the whole of one request. */
  counter(account: Account, endpoint?: string): Counter
  /** All that looking up takes for an account, likewise. */
  reference(account: Account, endpoint?: string): Reference
  geocode: Geocode
  /** What a text is, before any provider is asked. */
  kindOf: Reference['kindOf']
  /** The place of a location that the house itself asks for. */
  locate: Locate
  gate: Gate
  accounts: Accounts
  /** Tokens, people and their sessions, OAuth, and how much was asked for. */
  access: Access
  runs: Runs
  /** Questions in words. */
  ask: Ask
  /** Whether our own database answers. */
  storeAnswers(): boolean
  close(): void
}

/**
 * The engine lets garbage grow to almost three times what lives, and the embedded layers count as living: 300 to 400 MB for a service
 * that needs half of it. Collecting the young garbage this often costs nothing that can be measured and holds it below 200 MB.
 */
const answersBetweenCollections = 500

/** An answer past its time is of use for so long, when the operator wants it. */
const staleMax_ms = 7 * 86_400_000

/** Whose addresses are those of the house itself. */
const houseAccount = 'house'

/** Files that come and go are noticed after this at the latest. */
const lookEvery_ms = 500

/** Puts the house together, from the ground up. */
export function openApp({ config, contents, embedded: file, log, version, workers, now = () => new Date(), randomBytes = cryptoBytes }: Options): App {
  const unlock = lockFolder(config.data)
  const db = openState(config.data)
  const embedded = openEmbedded(file)
  const hosts = new Set<string>(geocoderHosts)
  const net = config.offline ? null : openNet({ ...waysOut(config), userAgent: `Fieldstone/${version} (+${config.base_url})`, hosts, now, random: Math.random, log })
  const rasters = openRasters({ startWorker: workers.raster })
  const readings = openReadings(config.data)
  const chores = openChores(log)
  chores.hourly('readings', () => readings.sweep(now().getTime() - staleMax_ms))
  let expected: ReturnType<typeof packsExpected> = () => []
  const packs = openPacks(config.packs, { expected: (file) => expected(file), rasters, log, now })
  const tools = { embedded, net, rasters, packs, now, folder: config.data, hourly: chores.hourly, overpass: config.overpass }
  const shelve = openShelving(tools, { offline: config.offline, keys: config.keys }, openKeep(readings, config.stale_days, now))
  const { now: stock, look } = openStock(contents, openOverlays(join(config.data, 'catalog.d')), { shelve, opened, log })
  packs.onChange(() => look('packs'))
  const looking = setInterval(() => look(), lookEvery_ms).unref()
  const addressPacks = openAddressPacks(config.packs, { now })
  const places = openPlaces({ embedded, packs: addressPacks, net, geocodioKey: config.keys.get('GEOCODIO_API_KEY') ?? null, folder: config.data, db, randomBytes, now, log })
  chores.hourly('places', places.sweep)
  const gate = openGate(config.concurrency, config.queue, everyNth(answersBetweenCollections, edenGC))
  const access = openAccess({ db, net, config, now, randomBytes, log })
  chores.hourly('access', access.sweep)
  const answering = openAnswering({ reference: (account) => reference(account, '/v1/runs'), geocode: (address, account_id, budget) => geocodeFor(account_id, '/v1/runs')(address, budget), gate, now, log })
  const runs = openRuns({ db, catalog: () => stock().catalog, startWorker: workers.run, folder: config.data, answering, now, randomBytes, log })
  chores.hourly('runs', runs.sweep)
  const ask = openAsk(asking(config))
  return {
    config, version, started: now(), log, now, embedded, packs, addressPacks, net, gate, accounts: access.accounts, access, runs, ask, stock, counter, reference,
    geocode: (address, account_id, budget) => geocodeFor(account_id, '/v1/geocode')(address, budget),
    kindOf: places.kindOf, locate: places.locateFor(houseAccount),
    get catalog() { return stock().catalog },
    get library() { return stock().library },
    storeAnswers: () => answers(db),
    close() {
      clearInterval(looking)
      chores.close()
      runs.close()
      ask.close()
      access.close()
      packs.close()
      net?.close()
      rasters.close()
      embedded.close()
      readings.close()
      places.close()
      addressPacks.close()
      db.close()
      unlock()
    },
  }

  function counter({ id, scopes }: Account, endpoint = '/v1/fetch'): Counter {
    const it = stock()
    return { ...it, locate: places.locateFor(id), gate, log, now, parcels: scopes.has('parcel') ? 'allowed' : 'denied', answered: (answer) => tally(takenBy(answer, it.library), id, endpoint) }
  }

  function tally(taken: Taken[], account_id: string, endpoint: string): void {
    for (const { source, fields, metered_calls } of taken) access.usage.answered(account_id, endpoint, source, fields, metered_calls)
  }

  function reference(account: Account, endpoint = '/v1/lookup'): Reference {
    return { ...counter(account, endpoint), kindOf: places.kindOf, geocode: geocodeFor(account.id, endpoint), placeAt: places.placeAt }
  }

  /** Counted, where it is billed. */
  function geocodeFor(account_id: string, endpoint: string): Reference['geocode'] {
    return async (address, budget) => {
      const geocoded = await places.geocode(address, account_id, budget)
      const { verdict, cached } = geocoded
      if ('provider' in verdict) access.usage.answered(account_id, endpoint, verdict.provider, 0, billedCalls({ provider: verdict.provider, cached }))
      return geocoded
    }
  }

  /** What a catalog that is new asks of the way out and of the packs folder. */
  function opened(catalog: Catalog): void {
    for (const host of hostsOf(catalog.datasets.values())) hosts.add(host)
    expected = packsExpected(catalog)
    packs.recheck()
  }
}

/** Hosts that the operator names are the operator's own: they may be private. */
function waysOut({ mirror, overpass }: Config) {
  return { mirror, ownHosts: new Set(overpass === null ? [] : [new URL(overpass).host]) }
}

/** The models, where a key is set and the network is there; a deployment may forbid answering without them. */
function asking({ models, keys, offline, ask_builtin: isBuiltInAllowed }: Config) {
  const key = keys.get('ANTHROPIC_API_KEY')
  const lack = offline ? 'offline_no_data' : 'key_missing'
  return { models: key === undefined || offline ? null : openModels({ ...models, key }), lack, isBuiltInAllowed }
}

function everyNth(n: number, work: () => void): () => void {
  let count = 0
  return () => {
    if (++count % n === 0) work()
  }
}
