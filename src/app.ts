import { edenGC } from 'bun:jsc'
import { join } from 'node:path'
import { openAsk, type Ask } from './ask/ask.ts'
import { openModels } from './ask/models.ts'
import { openAccess, type Access } from './auth/access.ts'
import type { Accounts } from './auth/accounts.ts'
import { cryptoBytes } from './auth/token.ts'
import { backedUpOf } from './backup/backup.ts'
import { openBackups, type Backups } from './backup/backups.ts'
import { openCallers, type Callers } from './callers.ts'
import type { Catalog } from './catalog/catalog.ts'
import type { Contents } from './catalog/entry.ts'
import { hostsOf } from './catalog/hosts.ts'
import { openOverlays } from './catalog/overlays.ts'
import { packsExpected } from './catalog/packs-expected.ts'
import { openChores } from './chores.ts'
import type { Config } from './config.ts'
import { openFind, type Find } from './fetch/find.ts'
import { openGate, type Gate } from './fetch/gate.ts'
import { openKeep } from './fetch/kept.ts'
import { openShelving, type Follow, type Library } from './fetch/library.ts'
import { openStock, type Stock } from './fetch/stock.ts'
import { toldFor, type HouseLog } from './log.ts'
import type { Reference } from './lookup/lookup.ts'
import type { Budget } from './model/source.ts'
import { openNet, type Net } from './net/net.ts'
import { openAddressPacks, type AddressPacks } from './packs/addresses.ts'
import { openEmbedded, type Embedded } from './packs/embedded.ts'
import { openPacks, type Packs } from './packs/packs.ts'
import type { Locate } from './place/locate.ts'
import { geocoderHosts, openPlaces, type Places } from './place/places.ts'
import { openAnswering } from './runs/answering.ts'
import { watchedLocations } from './runs/watched-locations.ts'
import { openRuns, type Runs } from './runs/runs.ts'
import { openRasters } from './raster/rasters.ts'
import { answers, openState } from './store/database.ts'
import { lockFolder } from './store/folder-lock.ts'
import { isReadOnly } from './store/read-only.ts'
import { layBallast } from './store/ballast.ts'
import { openReadings } from './store/readings.ts'
import { openTurns, type InTurn } from './store/turns.ts'
import { openWatch, type Watch } from './watch/watch.ts'
import type { Workers } from './workers.ts'

export type Options = {
  config: Config
  contents: Contents
  /** The embedded GeoPackage: a file, or its bytes where no file can be written. */
  embedded: string | Uint8Array
  log: HouseLog
  version: string
  workers: Workers
  now?: () => Date
  randomBytes?: (size: number) => Uint8Array
}

/** What the doors (HTTP, the command line) are handed. */
export type App = Callers & {
  config: Config
  version: string
  started: Date
  log: HouseLog
  /** What the house counts as it goes, and the traces. */
  watch: Watch
  now: () => Date
  embedded: Embedded
  packs: Packs
  addressPacks: AddressPacks
  /** The hosts of the catalog and of the geocoders. */
  hosts: ReadonlySet<string>
  /** The way out; null where the network is switched off. */
  net: Net | null
  /** The catalog and its library as they are now; they change as packs and added layers come and go. */
  stock(): Stock
  readonly catalog: Catalog
  readonly library: Library
  /** Who is asked for an address, in this order. */
  geocoders: Places['geocoders']
  /** What a text is, before any provider is asked. */
  kindOf: Reference['kindOf']
  /** Reads what addresses are told by, with breaths between. */
  warmPlaces: Places['warm']
  /** The place of a location that the house itself asks for. */
  locate: Locate
  gate: Gate
  accounts: Accounts
  /** Tokens, people and their sessions, OAuth, and how much was asked for. */
  access: Access
  runs: Runs
  /** The fields that answer to some words. */
  find: Find
  /** Questions in words. */
  ask: Ask
  /** Writes to our own database on behalf of a request: each is one transaction, and waits for its turn. */
  inTurn: InTurn
  /** The data folder cannot be written: what is there is answered, and nothing new is taken in. */
  isReadOnly: boolean
  /** The backups that are made by the clock; null where none are wanted. */
  backups: Backups | null
  /** Has ready what decodes rasters, where some can be asked or lie here; without it the first of them waits for that. */
  prepareRasters(): void
  /** Whether our own database answers. */
  storeAnswers(): boolean
  close(): void
}

/**
 * The engine lets garbage grow to almost three times what lives, and the embedded layers count as living: 300 to 400 MB for a service
 * that needs half of it. Collecting the young garbage this often costs nothing that can be measured and holds it below 200 MB.
 */
const answersBetweenCollections = 500
/** A run of many locations has the time to do it more often: what it takes of memory stays below 64 MB. */
const locationsBetweenCollections = 100

/** An answer past its time is of use for so long, when the operator wants it. */
const staleMax_ms = 7 * 86_400_000

/** Whose addresses are those of the house itself. */
const houseAccount = 'house'

/** Files that come and go are noticed after this at the latest. */
const lookEvery_ms = 500

/** Puts the house together, from the ground up. */
export function openApp(options: Options): App {
  const opened = new DisposableStack()
  try {
    return openOn(opened, options)
  } catch (error) {
    opened.dispose()
    throw error
  }
}

/** What is opened is closed in the opposite order: whoever uses something goes before it. */
function openOn(opened: DisposableStack, { config, contents, embedded: file, log: plainLog, version, workers, now = () => new Date(), randomBytes = cryptoBytes }: Options): App {
  const open = <T extends { close(): void }>(it: T) => opened.adopt(it, () => it.close())
  opened.defer(lockFolder(config.data))
  const db = open(openState(config.data))
  const watch = open(openWatch({ otlp: config.otlp, version, randomBytes }))
  const log = toldFor(() => watch.moments.now()?.request_id, plainLog)
  const chores = open(openChores(log))
  const embedded = open(openEmbedded(file))
  const readings = open(openReadings(config.data))
  chores.hourly('readings', () => readings.sweep(now().getTime() - staleMax_ms))
  const hosts = new Set<string>(geocoderHosts)
  const net = config.offline ? null : open(openNet({ ...waysOut(config), userAgent: `Fieldstone/${version} (+${config.base_url})`, hosts, now, random: Math.random, log, watched: watch.upstream }))
  const rasters = open(openRasters({ startWorker: counted('raster', workers.raster) }))
  let expected: ReturnType<typeof packsExpected> = () => []
  const packs = open(openPacks(config.packs, { expected: (file) => expected(file), rasters, log, now }))
  const tools = { embedded, net, rasters, packs, now, folder: config.data, hourly: chores.hourly, overpass: config.overpass }
  const shelve = openShelving(tools, { offline: config.offline, keys: config.keys }, openKeep(readings, config.stale_days, now, watch.kept), watch.tracing ? followedBy(watch) : undefined)
  const { now: stock, look } = openStock(contents, openOverlays(join(config.data, 'catalog.d')), { shelve, opened: expecting, log })
  packs.onChange(() => look('packs'))
  const looking = setInterval(() => look(), lookEvery_ms).unref()
  opened.defer(() => clearInterval(looking))
  const addressPacks = open(openAddressPacks(config.packs, { now }))
  const places = open(openPlaces({ embedded, packs: addressPacks, net, geocodioKey: config.keys.get('GEOCODIO_API_KEY') ?? null, folder: config.data, db, randomBytes, now, log, geocoded: watch.geocoded }))
  chores.hourly('places', places.sweep)
  const gate = openGate(config.concurrency, config.queue, everyNth(answersBetweenCollections, edenGC))
  const access = open(openAccess({ db, net, config, now, randomBytes, log }))
  chores.hourly('access', access.sweep)
  const callers = openCallers({ stock, places, access, gate, watch, now, log })
  const answering = openAnswering({ reference: (account) => callers.reference(account, '/v1/runs'), geocode: callers.geocodeAt('/v1/runs'), gate, now, log, answered: everyNth(locationsBetweenCollections, edenGC) })
  const runs = open(openRuns({ db, catalog: () => stock().catalog, startWorker: counted('run', workers.run), folder: config.data, answering: watchedLocations(answering, watch), now, randomBytes, log }))
  chores.hourly('runs', runs.sweep)
  if (!isReadOnly(db)) chores.hourly('ballast', () => layBallast(config.data))
  const { find } = open(openFind())
  const ask = open(openAsk(asking(config, watch)))
  const backups = config.backups && openBackups({ folder: config.backups.folder, keep: config.backups.keep, about: { ...backedUpOf(config), version, catalog_version: contents.version }, startWorker: counted('backup', workers.backup), now, log })
  if (config.backups && backups) chores.scheduled('backup', config.backups.cron, backups.make)
  return {
    config, version, started: now(), log, watch, now, embedded, packs, addressPacks, hosts, net, gate, accounts: access.accounts, access, runs, find, ask, stock, ...callers,
    geocoders: places.geocoders,
    kindOf: places.kindOf, warmPlaces: places.warm, locate: places.locateFor(houseAccount),
    get catalog() { return stock().catalog },
    get library() { return stock().library },
    inTurn: openTurns(db), isReadOnly: isReadOnly(db), backups, storeAnswers: () => answers(db),
    prepareRasters: () => rasters.prepare({ others: net !== null }),
    close: () => opened.dispose(),
  }

  function counted(name: string, start: () => Worker): () => Worker {
    return () => {
      watch.started(name)
      return start()
    }
  }

  /** What a catalog that is new asks of the way out and of the packs folder. */
  function expecting(catalog: Catalog): void {
    for (const host of hostsOf(catalog.datasets.values())) hosts.add(host)
    expected = packsExpected(catalog)
    packs.recheck()
  }
}

/** Hosts that the operator names are the operator's own: they may be private. */
function waysOut({ mirror, overpass }: Config) {
  return { mirror, ownHosts: new Set(overpass === null ? [] : [new URL(overpass).host]) }
}

/** Each question to a source is a part of the trace that it is asked in. */
function followedBy(watch: Watch): Follow {
  return (source, dataset, driver) => (query: never, budget: Budget) => watch.span(`dataset ${dataset}`, 'internal', { 'fieldstone.dataset': dataset, 'fieldstone.driver': driver }, () => source(query, budget))
}

/** The models, where a key is set and the network is there; a deployment may forbid answering without them. */
function asking({ models, keys, offline, ask_builtin: isBuiltInAllowed }: Config, { spent }: Watch) {
  const key = keys.get('ANTHROPIC_API_KEY')
  const lack = offline ? 'offline_no_data' : 'key_missing'
  return { models: key === undefined || offline ? null : openModels({ ...models, key }, spent), lack, isBuiltInAllowed }
}

function everyNth(n: number, work: () => void): () => void {
  let count = 0
  return () => {
    if (++count % n === 0) work()
  }
}
