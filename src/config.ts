import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { Cron } from 'croner'
import { isToken } from './auth/token.ts'
import { fieldsPerRequestMax } from './catalog/records.ts'
import { logLevels, type LogLevel } from './log.ts'
import { parseAddressRanges, type AddressRanges } from './net/address-ranges.ts'
import { slotsPerHost } from './net/bulkhead.ts'
import { isHttpUrl, reportedSettingsOf, SettingsReader } from './settings-reader.ts'
import { readDatabaseLocation, type DatabaseLocation } from './store/postgres/database-location.ts'
import { isStorageUrl, readStorageLocation, type S3Location, type StorageLocation } from './storage/storage-location.ts'

/** The configuration of the service, validated. */
export type Config = {
  host: string
  port: number
  data: string
  /** How many processes answer requests on the port. */
  processes: number
  /** The PostgreSQL database that has the accounts, tokens, runs and geocodes; null: they are in the data folder. */
  database: DatabaseLocation | null
  /** The folder of local packs. With `pack_storage`, it only has the packs that `pack` commands build here. */
  packs: string
  /** Where the server reads packs instead of the folder; null: it reads the folder. */
  pack_storage: StorageLocation | null
  /** Where the result files of runs are kept; null: in the database. */
  artifact_storage: S3Location | null
  /** Who sends moved result files to clients: the storage, or this server. */
  artifact_downloads: 'proxy' | 'redirect'
  base_url: string
  /** The mail address of the operator, for publishers; null: none. */
  contact: string | null
  auth: 'on' | 'off'
  token: string | null
  offline: boolean
  concurrency: number
  queue: number
  /** After SIGTERM, how long the server answers requests although it reports that it is not ready. */
  drain_s: number
  stop_s: number
  allowedHosts: string[]
  /** The origins whose pages may read the data; `*`: all. */
  cors_origins: string[]
  /** Whether an address is a trusted proxy, whose X-Forwarded-For is used to find the client address. */
  isTrustedProxy: AddressRanges
  /** The most fields of one request. */
  fetch_fields_max: number
  /** Requests per account and minute; 0: unlimited. */
  rate_limit: number
  /** Requests per account and day; 0: unlimited. */
  daily_quota: number
  /** How long a token may be used for reading while the database does not answer, in seconds. */
  tokens_stale_s: number
  log: LogLevel
  /** Base address of the OTLP/HTTP collector that receives traces; null: no traces. */
  otlp: string | null
  /** Base address that replaces every other server (`https://host/path` becomes `mirror/host/path`); null: none. */
  mirror: string | null
  /** Days for which an expired cache entry may replace the answer of a source that fails. */
  stale_days: number
  /** URL template ({z}, {x}, {y}) of the background map tiles of the dashboard; null: no background map. */
  tiles: string | null
  /** Overpass instance to query; null: none. */
  overpass: string | null
  /** Address of the model provider, and the names of the models. */
  models: { base_url: string; planner: string; synthesizer: string }
  /** Whether a lookup includes the parcel if the request does not say. */
  parcel_default: 'on' | 'off'
  /** Whether the built-in planner answers questions when there is no model, or when the model fails. */
  ask_builtin: boolean
  /** Whether OAuth clients may identify themselves by the URL of a document, which the server then reads. */
  client_documents: boolean
  /** Scheduled backups: target folder, cron pattern in UTC, and how many backups to keep; null: disabled. */
  backups: { folder: string; cron: string; keep: number } | null
  /** The settings that were given, by name, without secrets. */
  settings: Record<string, string>
  /** The API keys that were given, by name. */
  keys: Keys
}

/** API keys by name. It has no iterator, so that printing the configuration shows no key. */
type Keys = Pick<ReadonlyMap<string, string>, 'get' | 'has'>

/** An invalid configuration. The message has one line per error. The process exits with code 78. */
export class ConfigError extends Error {}

/** Environment variables by name. */
export type Environment = Record<string, string | undefined>

const keyNames = [
  'ANTHROPIC_API_KEY',
  'GEOCODIO_API_KEY',
  'REGRID_API_TOKEN',
  'CENSUS_API_KEY',
  'NLR_API_KEY',
  'NLR_API_EMAIL',
  'AIRNOW_API_KEY',
  'EIA_API_KEY',
]
const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/**
 * Reads the configuration from the environment. No other file reads it.
 * @throws {ConfigError} with every invalid setting.
 */
export function configOf(env: Environment): Config {
  const reader = new SettingsReader(env)
  const config: Config = {
    ...readAddress(reader),
    token: readToken(reader),
    data: resolve(reader.folder('FIELDSTONE_DATA') ?? 'data'),
    processes: readProcesses(reader),
    database: readDatabase(reader),
    ...readPacks(reader),
    artifact_storage: readArtifactStorage(reader),
    artifact_downloads: reader.oneOf('FIELDSTONE_ARTIFACT_DOWNLOADS', ['proxy', 'redirect'], 'proxy'),
    offline: reader.oneOf('FIELDSTONE_OFFLINE', ['0', '1'], '0') === '1',
    concurrency: reader.integer('FIELDSTONE_CONCURRENCY', 32, 1, 10_000),
    queue: reader.integer('FIELDSTONE_QUEUE', 64, 0, 100_000),
    drain_s: reader.integer('FIELDSTONE_DRAIN_SECONDS', 5, 0, 300),
    stop_s: reader.integer('FIELDSTONE_STOP_SECONDS', 30, 10, 300),
    contact: reader.mailAddress('FIELDSTONE_CONTACT'),
    cors_origins: reader.origins('FIELDSTONE_CORS_ORIGINS'),
    isTrustedProxy: readTrustedProxies(reader),
    parcel_default: reader.oneOf('FIELDSTONE_PARCEL_DEFAULT', ['off', 'on'], 'off'),
    fetch_fields_max: reader.integer('FIELDSTONE_FETCH_FIELDS_MAX', fieldsPerRequestMax, 1, 1000),
    rate_limit: reader.integer('FIELDSTONE_RATE_LIMIT', 0, 0, 1_000_000),
    daily_quota: reader.integer('FIELDSTONE_DAILY_QUOTA', 0, 0, 100_000_000),
    tokens_stale_s: reader.integer('FIELDSTONE_TOKENS_STALE_SECONDS', 0, 0, 600),
    log: reader.oneOf('FIELDSTONE_LOG', logLevels, 'info'),
    otlp: reader.httpUrl('OTEL_EXPORTER_OTLP_ENDPOINT'),
    mirror: reader.httpUrl('FIELDSTONE_MIRROR'),
    overpass: reader.httpUrl('FIELDSTONE_OVERPASS'),
    tiles: reader.urlTemplate('FIELDSTONE_TILES'),
    stale_days: reader.integer('FIELDSTONE_STALE_DAYS', 0, 0, 7),
    models: {
      base_url: reader.httpUrl('ANTHROPIC_BASE_URL') ?? modelsBaseUrl(reader.httpUrl('FIELDSTONE_MIRROR')),
      planner: env.FIELDSTONE_PLANNER_MODEL ?? 'claude-haiku-5-5',
      synthesizer: env.FIELDSTONE_SYNTHESIZER_MODEL ?? 'claude-sonnet-5-5',
    },
    ask_builtin: reader.oneOf('FIELDSTONE_ASK_BUILTIN', ['0', '1'], '1') === '1',
    client_documents: reader.oneOf('FIELDSTONE_CLIENT_DOCUMENTS', ['0', '1'], '1') === '1',
    backups: readBackups(reader),
    settings: reportedSettingsOf(env),
    keys: keysOf(env),
  }
  if (config.auth === 'off' && config.cors_origins.includes('*'))
    reader.errors.add('FIELDSTONE_CORS_ORIGINS=* requires authentication. Name the origins, or turn on authentication.')
  if (reader.errors.size > 0) throw new ConfigError([...reader.errors].join('\n'))
  return { ...config, allowedHosts: [...config.allowedHosts, new URL(config.base_url).hostname] }
}

function readAddress(reader: SettingsReader): Pick<Config, 'host' | 'port' | 'auth' | 'base_url' | 'allowedHosts'> {
  const { env } = reader
  const host = env.FIELDSTONE_HOST ?? '127.0.0.1'
  const port = reader.integer('FIELDSTONE_PORT', 8080, 0, 65_535)
  const auth = reader.oneOf('FIELDSTONE_AUTH', ['on', 'off'], 'on')
  const base_url = env.FIELDSTONE_BASE_URL ?? baseUrlOf(host, port)
  if (!isHost(host))
    reader.reject('FIELDSTONE_HOST', 'Use a name or an address of this machine, such as 127.0.0.1 or 0.0.0.0.')
  if (auth === 'off' && !isLoopback(host))
    reader.errors.add(
      `FIELDSTONE_AUTH=off requires a loopback address, but FIELDSTONE_HOST is ${host}. Use 127.0.0.1, or turn on authentication.`,
    )
  if (env.FIELDSTONE_BASE_URL !== undefined && !isHttpUrl(base_url))
    reader.reject('FIELDSTONE_BASE_URL', 'Use a URL such as https://fieldstone.example.')
  return { host, port, auth, base_url, allowedHosts: [...loopbackNames, ...namedHostsOf(env)] }
}

/** At most as many processes as a publisher has slots, because each process needs one. Only Linux can share a port. */
function readProcesses(reader: SettingsReader): number {
  const text = reader.env.FIELDSTONE_PROCESSES ?? '1'
  const most = process.platform === 'linux' ? slotsPerHost : 1
  if (text === 'auto') return Math.min(availableParallelism(), most)
  if (/^[1-9]$/.test(text) && Number(text) <= most) return Number(text)
  reader.reject('FIELDSTONE_PROCESSES', `Use auto, or a whole number from 1 to ${most}.`)
  return 1
}

function readDatabase({ env, errors }: SettingsReader): DatabaseLocation | null {
  const text = env.FIELDSTONE_DATABASE ?? ''
  if (text === '') return null
  if (env.FIELDSTONE_BACKUP_DIR)
    errors.add(
      'FIELDSTONE_BACKUP_DIR cannot be combined with FIELDSTONE_DATABASE. Back up the PostgreSQL database with pg_dump.',
    )
  const read = readDatabaseLocation('FIELDSTONE_DATABASE', text)
  if ('location' in read) return read.location
  errors.add(read.problem)
  return null
}

function readPacks(reader: SettingsReader): Pick<Config, 'packs' | 'pack_storage'> {
  const { env } = reader
  const text = reader.folder('FIELDSTONE_PACKS')
  const folder = join(env.FIELDSTONE_DATA ?? 'data', 'packs')
  if (text === undefined || !isStorageUrl(text)) return { packs: resolve(text ?? folder), pack_storage: null }
  const read = readStorageLocation('FIELDSTONE_PACKS', text, env)
  if ('problem' in read) reader.errors.add(read.problem)
  return { packs: resolve(folder), pack_storage: 'location' in read ? read.location : null }
}

function readArtifactStorage({ env, errors }: SettingsReader): S3Location | null {
  const text = env.FIELDSTONE_ARTIFACTS ?? ''
  if (text === '') return null
  const read = readStorageLocation('FIELDSTONE_ARTIFACTS', text, env)
  if ('location' in read && read.location.kind === 's3') return read.location
  errors.add('problem' in read ? read.problem : 'FIELDSTONE_ARTIFACTS is not an S3 location. Use s3://bucket/prefix.')
  return null
}

/** The hosts of FIELDSTONE_ALLOWED_HOSTS in lower case, without ports. */
function namedHostsOf({ FIELDSTONE_ALLOWED_HOSTS = '' }: Environment): string[] {
  const names = FIELDSTONE_ALLOWED_HOSTS.split(',').map((name) => name.trim().toLowerCase())
  return names.map((name) => name.replace(/:\d{1,5}$/, '')).filter((name) => name !== '')
}

/** The error does not show the value, which may be a token with a typing error. */
function readToken({ env, errors }: SettingsReader): string | null {
  const token = env.FIELDSTONE_TOKEN ?? null
  if (token !== null && !(isToken(token) && token.startsWith('fst_pat_')))
    errors.add(
      'FIELDSTONE_TOKEN is not a valid token. Create one with `fieldstone token new`. A token is fst_pat_ followed by 36 letters and digits; the last six are a checksum.',
    )
  return token
}

/** A mirror also replaces the model provider. */
function modelsBaseUrl(mirror: string | null): string {
  return mirror === null ? 'https://api.anthropic.com' : `${mirror}/api.anthropic.com`
}

function readTrustedProxies(reader: SettingsReader): AddressRanges {
  const ranges = parseAddressRanges(reader.env.FIELDSTONE_TRUSTED_PROXIES ?? '')
  if (ranges === null)
    reader.reject(
      'FIELDSTONE_TRUSTED_PROXIES',
      'Use addresses and ranges, comma-separated, such as 127.0.0.1,10.0.0.0/8.',
    )
  return ranges ?? (() => false)
}

/** Null without FIELDSTONE_BACKUP_DIR; the other backup settings are validated anyway. */
function readBackups(reader: SettingsReader): Config['backups'] {
  const cron = reader.env.FIELDSTONE_BACKUP_CRON ?? '0 3 * * *'
  const keep = reader.integer('FIELDSTONE_BACKUP_KEEP', 7, 1, 1000)
  if (!isCronPattern(cron))
    reader.reject('FIELDSTONE_BACKUP_CRON', 'Use a cron pattern, such as 0 3 * * * for every day at 03:00 UTC.')
  return reader.env.FIELDSTONE_BACKUP_DIR ? { folder: resolve(reader.env.FIELDSTONE_BACKUP_DIR), cron, keep } : null
}

function isCronPattern(cron: string): boolean {
  try {
    new Cron(cron, { paused: true }).stop()
    // Croner also accepts a single date and time, which would make only one backup.
    return !/\d-\d/.test(cron) || !cron.includes(':')
  } catch {
    return false
  }
}

/** The host of the Overpass instance. The administrator sets it, so it may have a private address. */
export function operatorHostsOf({ overpass }: Pick<Config, 'overpass'>): ReadonlySet<string> {
  return new Set(overpass === null ? [] : [new URL(overpass).host])
}

/** The settings of a command that this process starts: the same data, mirror, Overpass instance and keys. */
export function commandSettingsOf({ data, packs, mirror, base_url, overpass, keys }: Config): Environment {
  return {
    FIELDSTONE_DATA: data,
    FIELDSTONE_PACKS: packs,
    FIELDSTONE_BASE_URL: base_url,
    FIELDSTONE_OFFLINE: '0',
    ...(mirror !== null && { FIELDSTONE_MIRROR: mirror }),
    ...(overpass !== null && { FIELDSTONE_OVERPASS: overpass }),
    ...Object.fromEntries(keyNames.flatMap((name) => (keys.has(name) ? [[name, keys.get(name)]] : []))),
  }
}

function keysOf(env: Environment): Keys {
  const values = new Map(keyNames.flatMap((name) => (env[name] ? [[name, env[name]]] : [])))
  return { get: (name) => values.get(name), has: (name) => values.has(name) }
}

function isHost(host: string): boolean {
  return host !== '' && isHttpUrl(baseUrlOf(host, 0)) && !/[\s/?#@]/.test(host)
}

/** Whether a host name or address is only reachable from its own machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
}

/** Returns the URL of a host and port, with brackets around an IPv6 address. */
export function baseUrlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
