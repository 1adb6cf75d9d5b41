import type { Environment } from '../config.ts'
import { nearestName } from '../model/nearest-name.ts'

/** What `fieldstone help` takes instead of a command to list the settings. */
export const settingsTopic = 'settings'

/** Every environment variable that Fieldstone reads: what it sets and, in parentheses, its default. */
export const settingDescriptions: Readonly<Record<string, string>> = {
  FIELDSTONE_HOST: 'Address to listen on (default: 127.0.0.1).',
  FIELDSTONE_PORT: 'Port to listen on. 0 picks a free port (default: 8080).',
  FIELDSTONE_PROCESSES:
    'Number of processes that answer requests on the port, 1 to 8, on Linux. auto: one for each processor core, 8 at most (default: 1).',
  FIELDSTONE_DATA: 'Data folder: accounts, runs, cache and packs (default: ./data).',
  FIELDSTONE_DATABASE:
    'URL of a PostgreSQL database for accounts, tokens, runs and geocodes: postgres://user:password@host:5432/name. Commands that need no server, such as `fieldstone fetch`, do not use it (default: none; they are in the data folder).',
  FIELDSTONE_PACKS:
    'Location of the packs: a folder, s3://bucket/prefix, or the URL of a folder of a web server (default: <data>/packs).',
  FIELDSTONE_BASE_URL: 'Public URL of the server, used in links (default: http://<host>:<port>).',
  FIELDSTONE_CONTACT:
    'Mail address of the operator. Publishers see it in the User-Agent of every request, and those that ask for it in From (default: none).',
  FIELDSTONE_ALLOWED_HOSTS: 'Additional host names that the server accepts, comma-separated (default: none).',
  FIELDSTONE_CORS_ORIGINS:
    'Origins whose pages may read the data of this server with a token, comma-separated, such as https://map.example. * means all (default: none).',
  FIELDSTONE_TRUSTED_PROXIES:
    'Trusted proxies, as comma-separated addresses or CIDR ranges. The client address is the rightmost X-Forwarded-For entry that is not one of these (default: none).',
  FIELDSTONE_AUTH:
    'on: requests need a token or a session. off: no authentication; allowed only on a loopback address (default: on).',
  FIELDSTONE_TOKEN:
    'A token for unattended installs. The server accepts it as a token of the owner. Commands that send requests to a server, such as those with --server, use it there (default: none).',
  FIELDSTONE_OFFLINE: '1 disables all requests to other servers (default: 0).',
  FIELDSTONE_MIRROR:
    'URL of a mirror of other servers. Fieldstone requests <mirror>/host/path instead of https://host/path (default: none).',
  FIELDSTONE_OVERPASS:
    'URL of an Overpass server. It answers OpenStreetMap fields that no pack can answer (default: none).',
  FIELDSTONE_STALE_DAYS:
    'When a source fails, use a cached answer for up to this many days after it expired, 0 to 7 (default: 0).',
  FIELDSTONE_CONCURRENCY: 'Number of locations that are answered at the same time (default: 32).',
  FIELDSTONE_QUEUE:
    'Number of locations that may wait. When the queue is full, requests fail with fetch_busy (default: 64).',
  FIELDSTONE_FETCH_FIELDS_MAX:
    'Number of fields that one request may have, 1 to 1000. Presets with more members then have all of them (default: 50).',
  FIELDSTONE_PARCEL_DEFAULT:
    'on: a lookup that does not say so includes the parcel, which the provider bills, if there is a provider. off: only if the request asks for it (default: off).',
  FIELDSTONE_DRAIN_SECONDS:
    'Number of seconds that the server keeps answering requests after SIGTERM, 0 to 300. During this time, /readyz reports 503, so that load balancers stop sending requests. Ctrl-C skips this time (default: 5).',
  FIELDSTONE_STOP_SECONDS:
    'Number of seconds that a stop takes at most, 10 to 300. It ends earlier when requests and locations of runs in progress are finished (default: 30).',
  FIELDSTONE_RATE_LIMIT: 'Requests per minute for each account. 0 means unlimited (default: 0).',
  FIELDSTONE_DAILY_QUOTA: 'Requests and run locations per day for each account. 0 means unlimited (default: 0).',
  FIELDSTONE_TOKENS_STALE_SECONDS:
    'Number of seconds that a token may be used for reading while the PostgreSQL database does not answer, 0 to 600. A token that is revoked or reduced in this time still reads (default: 0).',
  FIELDSTONE_LOG:
    'Log level: error, info or debug. The log is JSON lines on standard error; debug adds a line for each request (default: info; default of commands that answer once, such as fetch and run: error).',
  FIELDSTONE_ARTIFACTS:
    'Where finished result files of runs are kept: s3://bucket/prefix (default: in the database of the data folder).',
  FIELDSTONE_ARTIFACT_DOWNLOADS:
    'Who sends the result files in FIELDSTONE_ARTIFACTS. proxy: the server. redirect: the S3 service, through URLs that are valid for 15 minutes, which the server answers with 302 (default: proxy).',
  AWS_ACCESS_KEY_ID: 'Access key of the S3 account. Needed for a setting that begins with s3:// (default: none).',
  AWS_SECRET_ACCESS_KEY: 'Secret key of the S3 account. Needed for a setting that begins with s3:// (default: none).',
  AWS_SESSION_TOKEN: 'Session token of temporary S3 keys (default: none).',
  AWS_REGION: 'Region of the S3 bucket. AWS_DEFAULT_REGION is used if this is not set (default: us-east-1).',
  AWS_DEFAULT_REGION: 'Region of the S3 bucket, if AWS_REGION is not set (default: us-east-1).',
  AWS_ENDPOINT_URL: 'URL of an S3 service other than AWS, such as https://s3.example (default: AWS).',
  AWS_ENDPOINT_URL_S3: 'The same as AWS_ENDPOINT_URL. If both are set, this one is used (default: AWS).',
  OTEL_EXPORTER_OTLP_ENDPOINT:
    'URL of the OpenTelemetry collector that receives traces as OTLP over HTTP. It is also used when FIELDSTONE_OFFLINE=1 (default: none).',
  FIELDSTONE_TILES: 'Tile URL of the map in the dashboard, with {z}, {x} and {y} (default: none).',
  FIELDSTONE_BACKUP_DIR: 'Folder for scheduled backups. If it is not set, none are made (default: none).',
  FIELDSTONE_BACKUP_CRON: 'Schedule of the backups, as a cron expression in UTC (default: 0 3 * * *).',
  FIELDSTONE_BACKUP_KEEP: 'Number of scheduled backups to keep (default: 7).',
  FIELDSTONE_CLIENT_DOCUMENTS:
    '1: an OAuth client can identify itself by the https URL of a document, which the server reads. The server never reads it through FIELDSTONE_MIRROR or from a private address. 0: clients must register (default: 1).',
  FIELDSTONE_ASK_BUILTIN:
    '1: if no model is available or a model fails, Fieldstone answers the question without a model. 0: such questions fail with ask_unavailable (default: 1).',
  FIELDSTONE_PLANNER_MODEL: 'Model that selects the fields for a question (default: claude-haiku-5-5).',
  FIELDSTONE_SYNTHESIZER_MODEL: 'Model that writes the answer to a question (default: claude-sonnet-5-5).',
  ANTHROPIC_API_KEY:
    'Anthropic API key. With it, models answer questions. Without it, or when a model fails, Fieldstone answers without a model (default: none).',
  ANTHROPIC_BASE_URL: 'Base URL of the Anthropic API (default: https://api.anthropic.com).',
  CENSUS_API_KEY: 'Census Bureau API key (default: none).',
  NLR_API_KEY: 'NLR (formerly NREL) API key (default: none).',
  NLR_API_EMAIL: 'Mail address of the NLR key. The downloads of hourly weather require it (default: none).',
  AIRNOW_API_KEY: 'EPA AirNow API key (default: none).',
  EIA_API_KEY: 'Energy Information Administration API key (default: none).',
  GEOCODIO_API_KEY: 'Geocodio API key. Enables Geocodio as an additional geocoder (default: none).',
  REGRID_API_TOKEN: 'Regrid API token. Enables parcels, which Regrid bills per record (default: none).',
}

/** Settings of the S3 account. They apply to packs and to result files. */
export const storageSettingNames = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
  'AWS_ENDPOINT_URL',
  'AWS_ENDPOINT_URL_S3',
] as const

/** The settings of the sources. Every command that answers fields reads them. */
export const sourceSettingNames = [
  'FIELDSTONE_DATA',
  'FIELDSTONE_PACKS',
  ...storageSettingNames,
  'FIELDSTONE_OFFLINE',
  'FIELDSTONE_MIRROR',
  'FIELDSTONE_OVERPASS',
  'FIELDSTONE_STALE_DAYS',
  'CENSUS_API_KEY',
  'NLR_API_KEY',
  'NLR_API_EMAIL',
  'AIRNOW_API_KEY',
  'EIA_API_KEY',
  'GEOCODIO_API_KEY',
  'REGRID_API_TOKEN',
] as const

const prefix = 'FIELDSTONE_'
/** A name within this edit distance of a setting counts as misspelled. */
const maxEdits = 2

const knownSettings = Object.keys(settingDescriptions).filter((name) => name.startsWith(prefix))

/** Two edits leave one of the three parts of the prefix as it is. Other variables are not compared, which takes time. */
const prefixParts = /FIEL|DSTO|NE_/i

/**
 * Finds environment variables that look like settings but are not. `suggestion` is the setting that was probably meant,
 * or null if none is similar.
 */
export function findUnknownSettings(env: Environment): { name: string; suggestion: string | null }[] {
  return Object.keys(env)
    .filter((name) => prefixParts.test(name) && !Object.hasOwn(settingDescriptions, name))
    .toSorted()
    .map((name) => ({ name, suggestion: nearestName(name, knownSettings, maxEdits) }))
    .filter(({ name, suggestion }) => suggestion !== null || name.startsWith(prefix))
}
