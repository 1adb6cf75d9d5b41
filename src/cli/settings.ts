/** What can be set in the environment: what it means and, in brackets, what holds when it is not set. */
export const settingDescriptions: Readonly<Record<string, string>> = {
  FIELDSTONE_HOST: 'where it listens (127.0.0.1)',
  FIELDSTONE_PORT: 'its port, 0 for any that is free (8080)',
  FIELDSTONE_DATA: 'the folder of its state (./data)',
  FIELDSTONE_PACKS: 'the folder of local packs (<data>/packs)',
  FIELDSTONE_BASE_URL: 'what links say (http://host:port)',
  FIELDSTONE_ALLOWED_HOSTS: 'further names this server answers to, with commas between',
  FIELDSTONE_TRUSTED_PROXIES:
    'addresses and ranges of your own proxies, with commas between: whom their X-Forwarded-For names is counted by address (none)',
  FIELDSTONE_AUTH: 'off: no tokens, on a loopback address only (on)',
  FIELDSTONE_TOKEN: "the owner's token, for unattended installs; on the side of a client, the token it uses",
  FIELDSTONE_OFFLINE: '1: no network at all (0)',
  FIELDSTONE_MIRROR: 'where every call to another server goes instead: https://name/path becomes <mirror>/name/path',
  FIELDSTONE_OVERPASS: 'the Overpass instance that may be asked for OpenStreetMap fallbacks (none)',
  FIELDSTONE_STALE_DAYS:
    'for how many days past its time a kept answer may stand in for a source that fails, at most 7 (0)',
  FIELDSTONE_CONCURRENCY: 'locations in work at once (32)',
  FIELDSTONE_QUEUE: 'locations waiting; beyond them requests are refused as fetch_busy (64)',
  FIELDSTONE_RATE_LIMIT: 'requests of an account a minute (0: as many as it likes)',
  FIELDSTONE_DAILY_QUOTA: 'requests of an account a day (0: as many as it likes)',
  FIELDSTONE_LOG:
    'error, info or debug: JSON lines on standard error; debug adds one for every request (info; error for what asks once, such as fetch and run)',
  OTEL_EXPORTER_OTLP_ENDPOINT:
    'the collector that traces are sent to, as OTLP over HTTP; yours, so it is reached with FIELDSTONE_OFFLINE=1 too (none)',
  FIELDSTONE_TILES: 'the pictures the dashboard lays under its map, as a template with {z}, {x} and {y} (none)',
  FIELDSTONE_BACKUP_DIR: 'the folder that backups are put into by the clock (none: there are none)',
  FIELDSTONE_BACKUP_CRON: 'when, as a pattern of cron in UTC (0 3 * * *)',
  FIELDSTONE_BACKUP_KEEP: 'how many of them are kept (7)',
  FIELDSTONE_ASK_BUILTIN: '0: without a model questions are refused, ask_unavailable (1)',
  FIELDSTONE_PLANNER_MODEL: 'which model chooses the fields of a question (claude-haiku-5-5)',
  FIELDSTONE_SYNTHESIZER_MODEL: 'which model writes the answer (claude-sonnet-5-5)',
  ANTHROPIC_API_KEY:
    'with it a model chooses the fields of a question and writes the answer; without it, or when it fails, the built-in does',
  ANTHROPIC_BASE_URL: 'where the models are asked (https://api.anthropic.com)',
  CENSUS_API_KEY: "the key of the Census Bureau's data service",
  NLR_API_KEY: 'the key of NLR (formerly NREL)',
  AIRNOW_API_KEY: 'the key of EPA AirNow',
  GEOCODIO_API_KEY: 'the key of Geocodio, a further geocoder',
  REGRID_API_TOKEN: 'the token of Regrid: parcels, billed by the record',
}

/** The settings of the sources, which every command that answers fields reads. */
export const sourceSettingNames = [
  'FIELDSTONE_DATA',
  'FIELDSTONE_PACKS',
  'FIELDSTONE_OFFLINE',
  'FIELDSTONE_MIRROR',
  'FIELDSTONE_OVERPASS',
  'FIELDSTONE_STALE_DAYS',
  'CENSUS_API_KEY',
  'NLR_API_KEY',
  'AIRNOW_API_KEY',
  'GEOCODIO_API_KEY',
  'REGRID_API_TOKEN',
] as const
