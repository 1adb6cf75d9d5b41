import type { Dataset } from '../catalog/entry.ts'
import type { Missing } from '../catalog/sources-document.ts'
import type { Serving } from '../drivers/drivers.ts'
import { UpstreamError } from '../model/error.ts'
import type { Packs } from '../packs/packs.ts'

/** What must be known of the configuration to say what is missing. */
export type Means = { offline: boolean; keys: Pick<ReadonlyMap<string, string>, 'get' | 'has'> }

/** An honest sentence: which dataset is asked, how it could be served, and what is missing for each way. */
export function lackOf(id: string, dataset: Dataset, { offline, keys }: Means, packs: Packs | null): UpstreamError {
  const { title, needs_key, serve } = dataset
  const name = `${title} (${id})`
  const files = packFilesOf(dataset)
  const hosts = serve.flatMap(hostOf)
  const install = files.length === 0 ? null : (unusedPack(files, packs) ?? installing(id, dataset, files))
  if (hosts.length === 0 && install) return new UpstreamError('offline_no_data', `${name} is served from a local pack only: ${install}.`)
  const or = install ? `, or: ${install}` : ''
  if (offline) return new UpstreamError('offline_no_data', `There is no local data for ${name}, and the network is switched off (FIELDSTONE_OFFLINE=1): switch it on to ask ${hosts.join(' or ')}${or}.`)
  if (needs_key?.required && needs_key.env && !keys.has(needs_key.env)) return new UpstreamError('key_missing', `${name} is asked with a key: set ${needs_key.env}${or}.`)
  return new UpstreamError('unsupported_request', `${name} cannot be asked from here: ${wanting(dataset)}${or}.`)
}

/** The same by its parts, for who groups and counts: the setting, the hosts and the packs. */
export function missingOf(dataset: Dataset, { offline, keys }: Means): Missing {
  const { needs_key, serve } = dataset
  const hosts = [...new Set(serve.flatMap(hostOf))]
  const wanted = () => {
    if (offline) return 'FIELDSTONE_OFFLINE'
    if (needs_key?.required && needs_key.env && !keys.has(needs_key.env)) return needs_key.env
    return serve.some(({ driver }) => driver === 'overpass') ? 'FIELDSTONE_OVERPASS' : (needs_key?.env ?? null)
  }
  return { setting: hosts.length === 0 ? null : wanted(), hosts, packs: packFilesOf(dataset) }
}

function wanting({ needs_key, serve }: Dataset): string {
  if (serve.some(({ driver }) => driver === 'overpass')) return 'set FIELDSTONE_OVERPASS to an Overpass instance that you may ask'
  return needs_key?.env ? `set ${needs_key.env}` : 'it has no way that is at hand'
}

/** What the operator should know of a pack that is there and cannot be used: at all, or at this place. */
function unusedPack(files: string[], packs: Packs | null): string | null {
  const there = packs?.list().filter(({ file }) => files.some((name) => isFileOf(name, file))) ?? []
  const refused = there.find(({ state }) => state === 'refused')
  if (refused) return `the pack ${refused.file} is refused: ${(refused.reason ?? '').replace(/\.$/, '')}`
  const live = there.find(({ state }) => state === 'live')
  return live ? `the pack ${live.file} does not cover this place` : null
}

/** A file for each level has the level in its name. */
function isFileOf(name: string, file: string): boolean {
  const [before = '', after] = name.split('{level}')
  return after === undefined ? name === file : file.startsWith(before) && file.endsWith(after) && /^\d+$/.test(file.slice(before.length, file.length - after.length))
}

/** What the operator does to have the pack: one command, where the catalog knows the publisher's files. */
function installing(id: string, { recipe }: Dataset, files: string[]): string {
  return recipe ? `\`fieldstone pack fetch ${id}\` makes ${files.join(' and ')}` : `put ${files.join(' or ')} into the packs folder`
}

function packFilesOf({ serve }: Dataset): string[] {
  return serve.flatMap((serving) => (serving.driver === 'pack' ? [serving.file] : []))
}

function hostOf(serving: Serving): string[] {
  const address = 'endpoint' in serving ? serving.endpoint : 'asset' in serving ? serving.asset : null
  return address === null ? [] : [URL.parse(address)?.host ?? serving.driver]
}
