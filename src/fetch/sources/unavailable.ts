import { extname } from 'node:path'
import { canCopyArea, isPublishedByPlace } from '../../catalog/copy-rules.ts'
import { getDataText, packFetchCommand } from '../../catalog/missing-data.ts'
import type { Dataset } from '../../catalog/records.ts'
import type { MissingRequirements } from '../../catalog/meta-documents.ts'
import type { DriverDeps } from '../../drivers/driver.ts'
import type { DriverConfig } from '../../drivers/drivers.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import { isPackOrPart, packFileOf, packNameOf, partFolderOf } from '../../packs/part-files.ts'

/** The settings that decide which options are available. */
export type SourceConfig = { offline: boolean; keys: Pick<ReadonlyMap<string, string>, 'get' | 'has'> }

const packGuide = 'See /guide/packs-and-offline#download-a-pack.'
const areaGuide = 'See /guide/packs-and-offline#make-the-packs-of-an-area.'
const notCopiedGuide = 'See /guide/packs-and-offline#what-cannot-be-copied.'
const keyGuide = 'See /guide/fields-and-presets#keys.'

/** The maximum number of cached errors of a dataset. Each place outside all counties has a separate error. */
const cachedErrorsMax = 256

/**
 * Creates a function that returns the error of a dataset without a usable option, for a place if one is given. Places
 * of one county share their error until the state of a pack changes.
 */
export function createUnavailableErrors(
  id: string,
  dataset: Dataset,
  sourceConfig: SourceConfig,
  { packs, areaFlagAt }: Pick<DriverDeps, 'packs'> & { areaFlagAt: (at: Point) => string },
): (at?: Point) => UpstreamError {
  const errors = new Map<string | null, UpstreamError>()
  let version: number | undefined
  return (at) => {
    const areaFlag = at ? areaFlagAt(at) : null
    if (version !== packs?.statesVersion || errors.size >= cachedErrorsMax) errors.clear()
    version = packs?.statesVersion
    const known = errors.get(areaFlag)
    if (known) return known
    const error = unavailableError(id, dataset, sourceConfig, { packs, areaFlag })
    errors.set(areaFlag, error)
    return error
  }
}

/** The packs of the server, and the flag of `pack fetch` that names the area of the place, if there is a place. */
type UnavailableContext = Pick<DriverDeps, 'packs'> & { areaFlag: string | null }

/** An area is null without a place. */
type RemedyContext = { areaFlag: string | null; offline: boolean }

/**
 * Returns the error of a dataset without a usable option. It says what is missing for each option, and the command that
 * makes a pack for the place.
 */
function unavailableError(
  id: string,
  dataset: Dataset,
  { offline, keys }: SourceConfig,
  { packs, areaFlag }: UnavailableContext,
): UpstreamError {
  const { title } = dataset
  const name = `${title} (${id})`
  const files = packFilesOf(dataset)
  const hosts = hostsOf(dataset)
  const pack = files.length === 0 ? null : packAdvice(id, dataset, { files, packs, areaFlag, offline })
  const guide = canCopyArea(dataset) ? areaGuide : pack ? packGuide : notCopiedGuide
  const note = pack?.problem ? ` ${pack.problem}` : ''
  if (hosts.length === 0 && pack)
    return new UpstreamError(
      offline ? 'offline_no_data' : 'no_local_data',
      `${name} requires a local pack.${note} To get a value, ${pack.remedy}. ${guide}`,
    )
  if (offline)
    return new UpstreamError(
      'offline_no_data',
      pack
        ? `No local data for ${name}, and this server has no network (FIELDSTONE_OFFLINE=1).${note} To get a value, ${pack.remedy}. ${guide}`
        : `${name} is answered only by ${hosts.join(' or ')}, and this server has no network (FIELDSTONE_OFFLINE=1). ${guide}`,
    )
  const alternative = pack ? `, or ${pack.remedy}` : ''
  const missing = missingKeysOf(dataset, keys)
  if (missing.length > 0)
    return new UpstreamError(
      'key_missing',
      `${name} requires an API key.${note} Set ${missing.join(' and ')}${alternative}. ${keyGuide}`,
    )
  return new UpstreamError(
    'unsupported_request',
    `${name} is not available on this server.${note} To get a value, ${settingHint(dataset)}${alternative}.`,
  )
}

/** Returns what is missing as data: the setting, the hosts, the packs, and the command that gets the pack. */
export function missingRequirementsOf(
  id: string,
  dataset: Dataset,
  { offline, keys }: SourceConfig,
): MissingRequirements {
  const { needs_key, serve } = dataset
  const hosts = hostsOf(dataset)
  const missingSetting = () => {
    if (offline) return 'FIELDSTONE_OFFLINE'
    const [missing] = missingKeysOf(dataset, keys)
    if (missing !== undefined) return missing
    return serve.some(({ driver }) => driver === 'overpass') ? 'FIELDSTONE_OVERPASS' : (needs_key?.env ?? null)
  }
  const packs = packFilesOf(dataset)
  return {
    setting: hosts.length === 0 ? null : missingSetting(),
    hosts,
    packs,
    command: commandFor(id, dataset),
  }
}

/** The settings of a required key that are not set: the key, and the mail address that belongs to it. */
function missingKeysOf({ needs_key }: Dataset, keys: SourceConfig['keys']): string[] {
  if (!needs_key?.required) return []
  return [needs_key.env, needs_key.email].filter((name) => typeof name === 'string').filter((name) => !keys.has(name))
}

function settingHint({ needs_key, serve }: Dataset): string {
  if (serve.some(({ driver }) => driver === 'overpass'))
    return 'set FIELDSTONE_OVERPASS to an Overpass instance that you may use'
  return needs_key?.env ? `set ${needs_key.env}` : 'check the settings of this server'
}

type PackAdvice = { problem: string | null; remedy: string }

/** Returns why an installed pack cannot be used, and what to do to get a usable one. */
function packAdvice(
  id: string,
  dataset: Dataset,
  { files, packs, ...remedy }: Pick<DriverDeps, 'packs'> & RemedyContext & { files: string[] },
): PackAdvice {
  const names = new Set([id, ...files.map(packNameOf)])
  const hasLevels = files.some((file) => file.includes('{level}'))
  const installed = (packs?.statesOf((name) => hasLevels || names.has(name)) ?? []).filter(({ file }) =>
    files.some((name) => matchesFile(name, file, id)),
  )
  const rejected = installed.find(({ state }) => state === 'rejected')
  if (rejected)
    return {
      problem: `The pack ${rejected.file} was rejected: ${(rejected.reason ?? '').replace(/\.$/, '')}.`,
      remedy: canCopyArea(dataset) ? replaceHint(id, rejected.file, remedy) : 'replace the pack',
    }
  const live = installed.filter(({ state }) => state === 'live')
  const isWhole = live.some(({ file }) => partFolderOf(file) === null)
  if (live.length > 0)
    return {
      problem:
        live.length === 1
          ? `The pack ${live[0]!.file} does not cover this place.`
          : `The ${live.length} parts of the pack do not cover this place.`,
      remedy:
        needsArea(dataset) || (canCopyArea(dataset) && !isWhole)
          ? areaHint(id, remedy)
          : 'install a pack that covers it',
    }
  return { problem: null, remedy: installHint(id, dataset, { files, ...remedy }) }
}

/** Whether a file is a pack with this name or a part of it; `{level}` in the name stands for a number. */
function matchesFile(name: string, file: string, dataset: string): boolean {
  if (isPackOrPart(file, name, dataset)) return true
  const packFile = packFileOf(file)
  const [prefix = '', suffix] = name.split('{level}')
  return suffix === undefined
    ? false
    : packFile.startsWith(prefix) &&
        packFile.endsWith(suffix) &&
        /^\d+$/.test(packFile.slice(prefix.length, packFile.length - suffix.length))
}

/** Says how to install the pack: with one command when the catalog has a recipe, or its service can be copied. */
function installHint(id: string, dataset: Dataset, { files, ...remedy }: RemedyContext & { files: string[] }): string {
  if (dataset.recipe && !needsArea(dataset)) return getDataText(packCommandOf(id), remedy.offline)
  return canCopyArea(dataset) ? areaHint(id, remedy) : `put ${files.join(' or ')} into the packs folder`
}

/** Whether its packs are made for areas: copies of a service, or the publisher's files of states and counties. */
function needsArea(dataset: Dataset): boolean {
  return canCopyArea(dataset) && (dataset.recipe === undefined || isPublishedByPlace(dataset))
}

/** Without a place, the page says where the command of each county is. */
function areaHint(id: string, { areaFlag, offline }: RemedyContext): string {
  if (areaFlag === null) return 'choose a county at /coverage, which has the command'
  return getDataText(packFetchCommand({ dataset: id }, areaFlag), offline)
}

/** Says how to replace a pack file that cannot be used. */
function replaceHint(id: string, file: string, remedy: RemedyContext): string {
  const pack = partFolderOf(file) === null ? id : file.slice(0, -extname(file).length)
  return `run \`fieldstone pack remove ${pack}\`, and then ${areaHint(id, remedy).replace(/^run /, '')}`
}

function packCommandOf(id: string): string {
  return `fieldstone pack fetch ${id}`
}

/** The command that gets the pack of a dataset; null if there is none, or if it needs the name of an area. */
function commandFor(id: string, dataset: Dataset): string | null {
  return dataset.recipe && !needsArea(dataset) ? packCommandOf(id) : null
}

function packFilesOf({ serve }: Dataset): string[] {
  return serve.flatMap((serving) => (serving.driver === 'pack' ? [serving.file] : []))
}

function hostsOf({ serve }: Dataset): string[] {
  return [...new Set(serve.flatMap(hostsOfServing))]
}

function hostsOfServing(serving: DriverConfig): string[] {
  const address = 'endpoint' in serving ? serving.endpoint : 'asset' in serving ? serving.asset : null
  return address === null ? [] : [URL.parse(address)?.host ?? serving.driver]
}
