import { join, resolve } from 'node:path'
import { Cron } from 'croner'
import { isToken } from './auth/token.ts'
import { logLevels, type LogLevel } from './log.ts'
import { parseAddressRanges, type AddressRanges } from './net/address-ranges.ts'

/** Everything that can be set from outside, checked. */
export type Config = {
  host: string
  port: number
  data: string
  /** The folder of local packs. */
  packs: string
  base_url: string
  auth: 'on' | 'off'
  token: string | null
  offline: boolean
  concurrency: number
  queue: number
  allowedHosts: string[]
  /** The operator's own proxies: of what they say, whom a request comes from is believed. */
  isTrustedProxy: AddressRanges
  /** Requests of an account a minute, and a day; 0: as many as it likes. */
  rate_limit: number
  daily_quota: number
  log: LogLevel
  /** Where traces are sent: the base address of a collector that speaks OTLP over HTTP. */
  otlp: string | null
  /** Where every call to another server goes instead (`https://name/path` becomes `mirror/name/path`). */
  mirror: string | null
  /** For how many days past its time a kept answer may stand in for a source that fails. */
  stale_days: number
  /** The pictures that the dashboard lays under its map, as a template with {z}, {x} and {y}, when the operator names one. */
  tiles: string | null
  /** The Overpass instance that may be asked, when the operator names one. */
  overpass: string | null
  /** The models that answer questions: where they are asked, and which they are. */
  models: { base_url: string; planner: string; synthesizer: string }
  /** Whether questions are answered without a model when there is none, or when it fails. */
  ask_builtin: boolean
  /** Where backups are put by the clock, when that is wanted: the times as a pattern of cron, in UTC, and how many are kept. */
  backups: { folder: string; cron: string; keep: number } | null
  /** What was set from outside, by the names of the variables; nothing that is secret. */
  settings: Record<string, string>
  /** The keys that are set, by the names of their variables: for the drivers and the models alone. */
  keys: Keys
}

/** Keys by the names of their variables. Looked up, never listed: printing the configuration shows none. */
type Keys = Pick<ReadonlyMap<string, string>, 'get' | 'has'>

/** A configuration that cannot be used: all its faults at once. Ends the process with exit code 78. */
export class ConfigError extends Error {}

export type Environment = Record<string, string | undefined>

const keyNames = [
  'ANTHROPIC_API_KEY',
  'GEOCODIO_API_KEY',
  'REGRID_API_TOKEN',
  'CENSUS_API_KEY',
  'NLR_API_KEY',
  'AIRNOW_API_KEY',
]
const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/** Reads the environment. Nothing else in the house does. */
export function configOf(env: Environment): Config {
  const errors: string[] = []
  const integer = (name: string, fallback: number, min: number, max: number) => {
    const text = env[name] ?? String(fallback)
    if (/^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text)
    errors.push(`${name} is ${JSON.stringify(text)}: it takes a whole number from ${min} to ${max}.`)
    return fallback
  }
  const oneOf = <T extends string>(name: string, allowed: readonly T[], fallback: T): T => {
    const text = env[name] ?? fallback
    const found = allowed.find((value) => value === text)
    if (found === undefined) errors.push(`${name} is ${JSON.stringify(text)}: it takes ${allowed.join(' or ')}.`)
    return found ?? fallback
  }
  const httpUrl = (name: string): string | null => {
    const text = env[name]
    if (text === undefined || text === '') return null
    if (!isHttpUrl(text))
      errors.push(`${name} is ${JSON.stringify(text)}: it takes an address such as http://mirror.example:8081.`)
    return text.replace(/\/$/, '')
  }
  const urlTemplate = (name: string): string | null => {
    const text = env[name]
    if (text === undefined || text === '') return null
    if (!isHttpUrl(text) || !['{z}', '{x}', '{y}'].every((it) => text.includes(it)))
      errors.push(
        `${name} is ${JSON.stringify(text)}: it takes an address such as https://tiles.example/{z}/{x}/{y}.png.`,
      )
    return text
  }

  const host = env.FIELDSTONE_HOST ?? '127.0.0.1'
  const port = integer('FIELDSTONE_PORT', 8080, 0, 65_535)
  const auth = oneOf('FIELDSTONE_AUTH', ['on', 'off'], 'on')
  const base_url = env.FIELDSTONE_BASE_URL ?? baseUrlOf(host, port)
  for (const name of ['FIELDSTONE_DATA', 'FIELDSTONE_PACKS'])
    if (env[name] === '') errors.push(`${name} is empty: it takes a folder.`)
  if (!isHost(host))
    errors.push(
      `FIELDSTONE_HOST is ${JSON.stringify(host)}: it takes a name or an address of this machine, such as 127.0.0.1 or 0.0.0.0.`,
    )
  const token = env.FIELDSTONE_TOKEN ?? null
  if (auth === 'off' && !isLoopback(host))
    errors.push(`FIELDSTONE_AUTH=off is allowed only on a loopback address; FIELDSTONE_HOST is ${host}.`)
  if (env.FIELDSTONE_BASE_URL !== undefined && !isHttpUrl(base_url))
    errors.push(
      `FIELDSTONE_BASE_URL is ${JSON.stringify(base_url)}: it takes an address such as https://fieldstone.example.`,
    )
  if (token !== null && !(isToken(token) && token.startsWith('fst_pat_')))
    errors.push(
      'FIELDSTONE_TOKEN is no token: `fieldstone token new` makes one (fst_pat_ and 36 letters and digits, the last six a checksum).',
    )
  const config: Config = {
    host,
    port,
    auth,
    base_url,
    token,
    data: resolve(env.FIELDSTONE_DATA ?? 'data'),
    packs: resolve(env.FIELDSTONE_PACKS ?? join(env.FIELDSTONE_DATA ?? 'data', 'packs')),
    offline: oneOf('FIELDSTONE_OFFLINE', ['0', '1'], '0') === '1',
    concurrency: integer('FIELDSTONE_CONCURRENCY', 32, 1, 10_000),
    queue: integer('FIELDSTONE_QUEUE', 64, 0, 100_000),
    allowedHosts: [
      ...loopbackNames,
      ...(env.FIELDSTONE_ALLOWED_HOSTS ?? '')
        .split(',')
        .map((name) =>
          name
            .trim()
            .toLowerCase()
            .replace(/:\d{1,5}$/, ''),
        )
        .filter((name) => name !== ''),
    ],
    isTrustedProxy: trustedProxiesOf(env, errors),
    rate_limit: integer('FIELDSTONE_RATE_LIMIT', 0, 0, 1_000_000),
    daily_quota: integer('FIELDSTONE_DAILY_QUOTA', 0, 0, 100_000_000),
    log: oneOf('FIELDSTONE_LOG', logLevels, 'info'),
    otlp: httpUrl('OTEL_EXPORTER_OTLP_ENDPOINT'),
    mirror: httpUrl('FIELDSTONE_MIRROR'),
    overpass: httpUrl('FIELDSTONE_OVERPASS'),
    tiles: urlTemplate('FIELDSTONE_TILES'),
    stale_days: integer('FIELDSTONE_STALE_DAYS', 0, 0, 7),
    models: {
      base_url: httpUrl('ANTHROPIC_BASE_URL') ?? modelsBaseUrl(httpUrl('FIELDSTONE_MIRROR')),
      planner: env.FIELDSTONE_PLANNER_MODEL ?? 'claude-haiku-5-5',
      synthesizer: env.FIELDSTONE_SYNTHESIZER_MODEL ?? 'claude-sonnet-5-5',
    },
    ask_builtin: oneOf('FIELDSTONE_ASK_BUILTIN', ['0', '1'], '1') === '1',
    backups: backupsOf(env, integer, errors),
    settings: settingsOf(env),
    keys: keysOf(env),
  }
  if (errors.length > 0) throw new ConfigError(errors.join('\n'))
  return { ...config, allowedHosts: [...config.allowedHosts, new URL(base_url).hostname] }
}

/** A mirror stands for the provider of the models too. */
function modelsBaseUrl(mirror: string | null): string {
  return mirror === null ? 'https://api.anthropic.com' : `${mirror}/api.anthropic.com`
}

function trustedProxiesOf(env: Environment, errors: string[]): AddressRanges {
  const text = env.FIELDSTONE_TRUSTED_PROXIES ?? ''
  const ranges = parseAddressRanges(text)
  if (ranges === null)
    errors.push(
      `FIELDSTONE_TRUSTED_PROXIES is ${JSON.stringify(text)}: it takes addresses and ranges such as 127.0.0.1,10.0.0.0/8, with commas between.`,
    )
  return ranges ?? (() => false)
}

/** Without a folder there are none. */
function backupsOf(
  env: Environment,
  integer: (name: string, fallback: number, min: number, max: number) => number,
  errors: string[],
): Config['backups'] {
  const cron = env.FIELDSTONE_BACKUP_CRON ?? '0 3 * * *'
  const keep = integer('FIELDSTONE_BACKUP_KEEP', 7, 1, 1000)
  if (!isCronPattern(cron))
    errors.push(
      `FIELDSTONE_BACKUP_CRON is ${JSON.stringify(cron)}: it takes a pattern of cron, such as 0 3 * * * for every day at three (UTC).`,
    )
  return env.FIELDSTONE_BACKUP_DIR ? { folder: resolve(env.FIELDSTONE_BACKUP_DIR), cron, keep } : null
}

function isCronPattern(cron: string): boolean {
  try {
    new Cron(cron, { paused: true }).stop()
    return !/\d-\d/.test(cron) || !cron.includes(':') // an instant is taken too, and would be one backup only
  } catch {
    return false
  }
}

/** A name that sounds like a secret, and a name and password in an address, are kept out. Where the state lies is not a setting that goes along with it. */
function settingsOf(env: Environment): Record<string, string> {
  const isReported = (name: string) =>
    /^(?:FIELDSTONE_\w+|ANTHROPIC_BASE_URL|OTEL_EXPORTER_OTLP_ENDPOINT)$/.test(name) &&
    (name === 'FIELDSTONE_AUTH' || !/TOKEN|KEY|SECRET|PASSWORD|HEADER|AUTH|CREDENTIAL/.test(name)) &&
    name !== 'FIELDSTONE_DATA'
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && isReported(name) ? [[name, value.replace(/\/\/[^/@]*@/g, '//')]] : [],
    ),
  )
}

function keysOf(env: Environment): Keys {
  const values = new Map(keyNames.flatMap((name) => (env[name] ? [[name, env[name]]] : [])))
  return { get: (name) => values.get(name), has: (name) => values.has(name) }
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

function isHost(host: string): boolean {
  return host !== '' && isHttpUrl(baseUrlOf(host, 0)) && !/[\s/?#@]/.test(host)
}

/** Whether a server on this address is reached from its own machine alone. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
}

/** The address of a host and port; an IPv6 address stands in brackets. */
export function baseUrlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
