import type { Dataset } from '../catalog/records.ts'
import type { MissingRequirements } from '../catalog/sources-document.ts'
import type { DriverConfig } from '../drivers/drivers.ts'
import { UpstreamError } from '../model/error.ts'
import type { PackFolder } from '../packs/pack-folder.ts'

/** What must be known of the configuration to say what is missing. */
export type SourceConfig = { offline: boolean; keys: Pick<ReadonlyMap<string, string>, 'get' | 'has'> }

/** An honest sentence: which dataset is asked, how it could be served, and what is missing for each way. */
export function unavailableError(
  id: string,
  dataset: Dataset,
  { offline, keys }: SourceConfig,
  packs: PackFolder | null,
): UpstreamError {
  const { title, needs_key, serve } = dataset
  const name = `${title} (${id})`
  const files = packFilesOf(dataset)
  const hosts = serve.flatMap(hostsOfServing)
  const installOption = files.length === 0 ? null : (unusablePackHint(files, packs) ?? installHint(id, dataset, files))
  if (hosts.length === 0 && installOption)
    return new UpstreamError('offline_no_data', `${name} is served from a local pack only: ${installOption}.`)
  const alternative = installOption ? `, or: ${installOption}` : ''
  if (offline)
    return new UpstreamError(
      'offline_no_data',
      `There is no local data for ${name}, and the network is switched off (FIELDSTONE_OFFLINE=1): switch it on to ask ${hosts.join(' or ')}${alternative}.`,
    )
  if (needs_key?.required && needs_key.env && !keys.has(needs_key.env))
    return new UpstreamError('key_missing', `${name} is asked with a key: set ${needs_key.env}${alternative}.`)
  return new UpstreamError(
    'unsupported_request',
    `${name} cannot be asked from here: ${settingHint(dataset)}${alternative}.`,
  )
}

/** The same by its parts, for who groups and counts: the setting, the hosts and the packs. */
export function missingRequirementsOf(dataset: Dataset, { offline, keys }: SourceConfig): MissingRequirements {
  const { needs_key, serve } = dataset
  const hosts = [...new Set(serve.flatMap(hostsOfServing))]
  const missingSetting = () => {
    if (offline) return 'FIELDSTONE_OFFLINE'
    if (needs_key?.required && needs_key.env && !keys.has(needs_key.env)) return needs_key.env
    return serve.some(({ driver }) => driver === 'overpass') ? 'FIELDSTONE_OVERPASS' : (needs_key?.env ?? null)
  }
  return { setting: hosts.length === 0 ? null : missingSetting(), hosts, packs: packFilesOf(dataset) }
}

function settingHint({ needs_key, serve }: Dataset): string {
  if (serve.some(({ driver }) => driver === 'overpass'))
    return 'set FIELDSTONE_OVERPASS to an Overpass instance that you may ask'
  return needs_key?.env ? `set ${needs_key.env}` : 'it has no way that is at hand'
}

/** What the operator should know of a pack that is there and cannot be used: at all, or at this place. */
function unusablePackHint(files: string[], packs: PackFolder | null): string | null {
  const installed = packs?.list().filter(({ file }) => files.some((name) => matchesFile(name, file))) ?? []
  const rejected = installed.find(({ state }) => state === 'rejected')
  if (rejected) return `the pack ${rejected.file} is refused: ${(rejected.reason ?? '').replace(/\.$/, '')}`
  const live = installed.find(({ state }) => state === 'live')
  return live ? `the pack ${live.file} does not cover this place` : null
}

/** A file for each level has the level in its name. */
function matchesFile(name: string, file: string): boolean {
  const [prefix = '', suffix] = name.split('{level}')
  return suffix === undefined
    ? name === file
    : file.startsWith(prefix) &&
        file.endsWith(suffix) &&
        /^\d+$/.test(file.slice(prefix.length, file.length - suffix.length))
}

/** What the operator does to have the pack: one command, where the catalog knows the publisher's files. */
function installHint(id: string, { recipe }: Dataset, files: string[]): string {
  return recipe
    ? `\`fieldstone pack fetch ${id}\` makes ${files.join(' and ')}`
    : `put ${files.join(' or ')} into the packs folder`
}

function packFilesOf({ serve }: Dataset): string[] {
  return serve.flatMap((serving) => (serving.driver === 'pack' ? [serving.file] : []))
}

function hostsOfServing(serving: DriverConfig): string[] {
  const address = 'endpoint' in serving ? serving.endpoint : 'asset' in serving ? serving.asset : null
  return address === null ? [] : [URL.parse(address)?.host ?? serving.driver]
}
