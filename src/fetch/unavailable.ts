import type { Dataset } from '../catalog/records.ts'
import type { MissingRequirements } from '../catalog/sources-document.ts'
import type { DriverConfig } from '../drivers/drivers.ts'
import { UpstreamError } from '../model/error.ts'
import type { PackFolder } from '../packs/pack-folder.ts'

/** The settings that decide which options are available. */
export type SourceConfig = { offline: boolean; keys: Pick<ReadonlyMap<string, string>, 'get' | 'has'> }

const packGuide = 'See /guide/packs-and-offline#download-a-pack.'
const keyGuide = 'See /guide/fields-and-presets#keys.'

/** Returns the error of a dataset without a usable option. It says what is missing for each option. */
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
    return new UpstreamError('offline_no_data', `${name} requires a local pack: ${installOption}. ${packGuide}`)
  const alternative = installOption ? `, or: ${installOption}` : ''
  if (offline)
    return new UpstreamError(
      'offline_no_data',
      `No local data for ${name}, and FIELDSTONE_OFFLINE=1 turns the network off. Turn it on to query ${hosts.join(' or ')}${alternative}. ${packGuide}`,
    )
  if (needs_key?.required && needs_key.env && !keys.has(needs_key.env))
    return new UpstreamError(
      'key_missing',
      `${name} requires an API key: set ${needs_key.env}${alternative}. ${keyGuide}`,
    )
  return new UpstreamError(
    'unsupported_request',
    `${name} is not available on this server: ${settingHint(dataset)}${alternative}.`,
  )
}

/** Returns what is missing as data: the setting, the hosts and the packs. */
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
    return 'set FIELDSTONE_OVERPASS to an Overpass instance that you may use'
  return needs_key?.env ? `set ${needs_key.env}` : 'none of its options is available'
}

/** Says why an installed pack cannot be used, in general or at this place; null without an installed pack. */
function unusablePackHint(files: string[], packs: PackFolder | null): string | null {
  const installed = packs?.list().filter(({ file }) => files.some((name) => matchesFile(name, file))) ?? []
  const rejected = installed.find(({ state }) => state === 'rejected')
  if (rejected) return `the pack ${rejected.file} was rejected: ${(rejected.reason ?? '').replace(/\.$/, '')}`
  const live = installed.find(({ state }) => state === 'live')
  return live ? `the pack ${live.file} does not cover this place` : null
}

/** Whether a file name matches; `{level}` in the name stands for a number. */
function matchesFile(name: string, file: string): boolean {
  const [prefix = '', suffix] = name.split('{level}')
  return suffix === undefined
    ? name === file
    : file.startsWith(prefix) &&
        file.endsWith(suffix) &&
        /^\d+$/.test(file.slice(prefix.length, file.length - suffix.length))
}

/** Says how to install the pack: with one command when the catalog has a recipe. */
function installHint(id: string, { recipe }: Dataset, files: string[]): string {
  return recipe
    ? `run \`fieldstone pack fetch ${id}\` to build ${files.join(' and ')}`
    : `put ${files.join(' or ')} into the packs folder`
}

function packFilesOf({ serve }: Dataset): string[] {
  return serve.flatMap((serving) => (serving.driver === 'pack' ? [serving.file] : []))
}

function hostsOfServing(serving: DriverConfig): string[] {
  const address = 'endpoint' in serving ? serving.endpoint : 'asset' in serving ? serving.asset : null
  return address === null ? [] : [URL.parse(address)?.host ?? serving.driver]
}
