import { existsSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { noDeadline } from '../../async/deadline.ts'
import { copiedServiceOf } from '../../catalog/copy-rules.ts'
import type { Field } from '../../catalog/records.ts'
import type { Area } from '../../pack-plans/area.ts'
import { isBuiltIn } from '../../pack-plans/copy-reasons.ts'
import { datasetUsesOf, type DatasetUse } from '../../pack-plans/dataset-fields.ts'
import type { PlannedDataset } from '../../pack-plans/harvest-plan.ts'
import { isClippedToArea } from '../../pack-plans/published-files.ts'
import { UpstreamError } from '../../model/error.ts'
import { pluralize } from '../../model/text.ts'
import { isRecord } from '../../model/record.ts'
import { FileError } from '../../files/file-error.ts'
import {
  addressesOfPart,
  buildFilePart,
  copyPart,
  isCurrentPart,
  type PartCopyDeps,
  type PartRequest,
} from './area-part.ts'
import { exitCodes } from '../exit-codes.ts'
import { createCopyWait, createCopyRules } from './harvest-client.ts'
import { createHarvestProgress, pauseText } from './harvest-progress.ts'
import { areaOfFlags, fieldsOfFlags } from './pack-area.ts'
import type { PackFlags, PackCommandDeps } from './pack-deps.ts'
import { findPackRasters } from './pack-build-raster.ts'
import { buildDownloads } from './pack-fetch.ts'
import { answeredFields, bytesOfPlan, formatPlan, planForArea, requireDownloads } from './pack-plan.ts'
import { comparePacks } from './pack-compare.ts'
import { readExistingManifest, recordComparison } from './pack-install.ts'
import { findPackTarget } from './pack-target.ts'
import { createStderrProgress } from '../progress.ts'
import { downloadFiles, removeUnusedDownloads, usableSince, type Download } from './publisher-files.ts'
import { UsageError } from '../usage-error.ts'

/**
 * `fieldstone pack fetch … --area`: makes packs of all datasets that fields read, for an area. A dataset that fails
 * does not stop the others.
 */
export async function fetchPacksOfArea(
  datasets: readonly string[],
  flags: PackFlags,
  commandDeps: PackCommandDeps,
): Promise<number> {
  const deps: PartCopyDeps = { ...commandDeps, rules: createCopyRules(flags) }
  const fields = fieldsOfFlags(datasets, flags, deps)
  const area = await areaOfFlags(flags, deps)
  const checkedPoints = pointsOfFlag(flags)
  const { datasets: plan, networkProblem } = await planForArea(fields, area, {
    ...deps,
    isQuiet: deps.report !== undefined,
    prefersServices: flags.services === true,
  })
  const uses = datasetUsesOf(fields, deps.catalog).map((use) => ({
    use,
    area,
    planned: plan.find(({ dataset }) => dataset === use.dataset)!,
  }))
  const isComplete = uses.every((it) => isFetched(it, deps))
  if (!isComplete) requireDownloads(deps)
  for (const line of formatPlan(plan, area)) deps.print(line)
  deps.report?.({ event: 'plan', area: area.name, datasets: plan })
  if (networkProblem !== null && !isComplete) {
    deps.printError(`${networkProblem} Nothing was copied.`)
    return exitCodes.temporaryFailure
  }
  confirmSize(bytesOfPlan(plan), flags)
  removeUnusedDownloads(deps, new Date())
  const failures: string[] = []
  for (const part of uses) {
    const { use, planned } = part
    deps.report?.({ event: 'dataset', dataset: use.dataset, state: 'running' })
    try {
      if (planned.how === 'file') await fetchFiles(part, deps)
      if (planned.how === 'service') await harvestPart(part, deps)
      deps.report?.({ event: 'dataset', dataset: use.dataset, state: 'done' })
    } catch (error) {
      if (!(error instanceof UpstreamError) && !(error instanceof FileError)) throw error
      failures.push(use.dataset)
      deps.report?.({ event: 'dataset', dataset: use.dataset, state: 'failed', message: error.message })
      deps.printError(`${use.dataset}: ${error.message}`)
    }
  }
  const answered = answeredFields(fields, plan, deps, failures)
  deps.print(reportOf({ fields, answered, failures }, area))
  const counts = { fields: fields.length, answered: answered.length }
  deps.report?.({ event: 'result', area: area.name, ...counts, failed: failures })
  const parts = new Map(uses.flatMap((part) => partOf(part, deps)))
  const comparable = answered.filter(({ read }) => parts.has(read.dataset))
  if (checkedPoints > 0 && comparable.length > 0 && !deps.config.offline)
    await checkAgainstServices({ fields: comparable, area, points: checkedPoints }, parts, deps)
  return failures.length > 0 ? exitCodes.failure : 0
}

/** From this size on, the plan must be confirmed. */
const confirmedFrom_bytes = 100_000_000

/** Asks for confirmation of a large copy, unless --yes is set. @throws {UsageError} if the answer is no. */
export function confirmSize(bytes: number, flags: PackFlags): void {
  if (bytes <= confirmedFrom_bytes || flags.yes === true) return
  const question = `This copies about ${Math.round(bytes / 1e6)} MB.`
  if (!process.stdin.isTTY) throw new UsageError(`${question} To confirm it, add --yes.`)
  if (!/^y(es)?$/i.test(prompt(`${question} Continue? [y/N]`) ?? ''))
    throw new UsageError('Not confirmed. Nothing was copied.')
}

/** A dataset of the plan of an area. */
type PlannedPart = { use: DatasetUse; area: Area; planned: PlannedDataset }

/** Builds the pack of the publisher's files, unless it is there: of the area if the files are large, or else as a whole. */
async function fetchFiles(part: PlannedPart, deps: PartCopyDeps): Promise<void> {
  const { dataset: id } = part.use
  const request = partRequestOf(part, deps)
  const whole = packFileOf(id, deps)
  if (isCurrentPart(request, deps)) return deps.print(`${request.out} is there already.`)
  if (hasDataset(whole, id))
    return deps.print(`${whole} is there already. To make it again, run \`fieldstone pack fetch ${id}\`.`)
  await waitToDownload(id, deps)
  const usableAfter = usableSince(request.dataset)
  const downloads = await downloadFiles(
    { ...request, id, addresses: addressesOfPart(request, deps), usableAfter },
    deps,
  )
  if (!(await buildPartOf(request, downloads, deps))) await buildDownloads(id, downloads, {}, deps)
}

/** Builds the part of the area, if the files are large. Returns false if they must be built as a whole. */
async function buildPartOf(request: PartRequest, downloads: readonly Download[], deps: PartCopyDeps): Promise<boolean> {
  const { dataset, use } = request
  if (!isClippedToArea(dataset, await sizeOfFiles(request, downloads))) return false
  try {
    await buildFilePart(request, downloads, async () => {}, deps)
    return true
  } catch (error) {
    if (dataset.shape !== 'raster' || !(error instanceof UpstreamError)) throw error
    deps.print(`${use.dataset} cannot be cut at the area, so it is installed as a whole: ${error.message}`)
    return false
  }
}

/** The bytes of the publisher's files, or of the largest raster in them. */
async function sizeOfFiles({ use, dataset }: PartRequest, downloads: readonly Download[]): Promise<number> {
  const paths = downloads.map(({ path }) => path)
  if (dataset.shape === 'raster')
    return Math.max(...(await findPackRasters(use.dataset, dataset, paths)).map(({ raster }) => raster.bytes))
  return paths.reduce((sum, path) => sum + statSync(path).size, 0)
}

/** Waits for the hours of --between. A download that has begun does not pause. */
export async function waitToDownload(dataset: string, deps: PartCopyDeps): Promise<void> {
  const { onPause } = createHarvestProgress(dataset, { features: null, requests: null }, deps)
  await createCopyWait(deps.rules, onPause)(noDeadline.signal)
}

/** The pack that is built of the publisher's files; the first if there is one for each level. */
function packFileOf(dataset: string, deps: PackCommandDeps): string {
  const { recipe, levels = [] } = deps.catalog.datasets.get(dataset)!
  const { file } = findPackTarget(dataset, recipe?.layers?.[0]?.layer ?? null, deps)
  return join(deps.folder, file.replace('{level}', String(levels[0])))
}

/** Whether a pack has a dataset, by its manifest. Without a list of contents, the pack counts as having it. */
function hasDataset(path: string, dataset: string): boolean {
  if (!existsSync(path)) return false
  const { contents } = readExistingManifest(path)
  return !isRecord(contents) || Object.values(contents).some((it) => isRecord(it) && it.dataset === dataset)
}

/** Copies a dataset for the area, unless a part of this area is there and not older than its data stays valid. */
async function harvestPart(part: PlannedPart, deps: PartCopyDeps): Promise<void> {
  const request = partRequestOf(part, deps)
  if (isCurrentPart(request, deps)) deps.print(`${request.out} is there already.`)
  else await copyPart(request, async () => {}, deps)
}

function partRequestOf({ use, area, planned }: PlannedPart, { catalog, folder }: PackCommandDeps): PartRequest {
  const out = join(folder, use.dataset, `${area.id}${extname(planned.pack!)}`)
  return { use, dataset: catalog.datasets.get(use.dataset)!, area, out, planned }
}

/** The part of a dataset, if it has one in the area and its service answers online. */
function partOf(part: PlannedPart, deps: PackCommandDeps): [dataset: string, out: string][] {
  if (part.planned.how !== 'file' && part.planned.how !== 'service') return []
  const { dataset, out } = partRequestOf(part, deps)
  const isCompared = copiedServiceOf(dataset) !== null && !isBuiltIn(dataset)
  return existsSync(out) && isCompared ? [[part.use.dataset, out]] : []
}

/** Whether nothing must be downloaded or copied for a dataset. */
function isFetched(part: PlannedPart, deps: PackCommandDeps): boolean {
  const { how } = part.planned
  if (how !== 'file' && how !== 'service') return true
  const hasWhole = how === 'file' && hasDataset(packFileOf(part.use.dataset, deps), part.use.dataset)
  return hasWhole || isCurrentPart(partRequestOf(part, deps), deps)
}

const defaultPoints = 200

function pointsOfFlag({ verify }: PackFlags): number {
  if (verify === undefined) return defaultPoints
  const points = Number(verify)
  if (Number.isInteger(points) && points >= 0 && points <= 10_000) return points
  throw new UsageError(`--verify ${JSON.stringify(verify)} is not valid. Use a number of points from 0 to 10000.`)
}

/** Compares the packs with their services, lists the differences, and records the result in the manifests. */
async function checkAgainstServices(
  request: { fields: Field[]; area: Area; points: number },
  parts: ReadonlyMap<string, string>,
  deps: PartCopyDeps,
): Promise<void> {
  const progress = createStderrProgress('Comparing with the services')
  await createCopyWait(deps.rules, (until) => progress.note(pauseText(until, new Date())))(noDeadline.signal)
  const comparison = await comparePacks(request, deps, (done) => progress.update(done, ''))
  progress.end()
  const { points, compared, failures, differences } = comparison
  for (const { field, at, pack, service } of differences.slice(0, listedDifferences))
    deps.print(`${field} at ${at.lat},${at.lng}: ${pack} from the pack, ${service} from the service.`)
  deps.print(
    `Compared ${pluralize(compared, 'answer')} at ${pluralize(points, 'point')} with the services: ${pluralize(differences.length, 'difference')}${failures > 0 ? `, and the services failed to answer ${failures}` : ''}.`,
  )
  const counts = { points, compared, failures, differences: differences.length }
  deps.report?.({ event: 'comparison', ...counts })
  const datasetOf = new Map(request.fields.map(({ name, read }) => [name, read.dataset]))
  for (const [dataset, out] of parts)
    recordComparison(out, {
      compared_at: new Date().toISOString(),
      points,
      differences: differences.filter(({ field }) => datasetOf.get(field) === dataset).slice(0, listedDifferences),
    })
}

const listedDifferences = 20

/** The selected fields, and the datasets that failed. */
type Outcome = { fields: readonly Field[]; failures: readonly string[] }

function reportOf({ fields, failures, answered }: Outcome & { answered: readonly Field[] }, area: Area): string {
  const failed =
    failures.length === 0
      ? ''
      : ` ${pluralize(failures.length, 'dataset')} failed: ${failures.join(', ')}. Run the same command again to continue.`
  return `${answered.length} of ${pluralize(fields.length, 'field')} can be answered in ${area.name} without a network.${failed}`
}
