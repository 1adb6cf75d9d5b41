import { join } from 'node:path'
import { withoutNetworkText } from '../../catalog/missing-data.ts'
import type { Field } from '../../catalog/records.ts'
import type { Area } from '../../pack-plans/area.ts'
import { answerableFields, datasetUsesOf, unansweredFields } from '../../pack-plans/dataset-fields.ts'
import { planDataset, type PlannedDataset } from '../../pack-plans/harvest-plan.ts'
import { HostAnswers } from '../../build-packs/harvest/host-answers.ts'
import { alignColumns } from '../question/answer-table.ts'
import { formatDuration, megabytes, pluralize } from '../../model/text.ts'
import { FileError } from '../../files/file-error.ts'
import { formatNames } from '../../files/geopackage/geopackage.ts'
import { exitCodes } from '../exit-codes.ts'
import { openHarvestClient } from './harvest-client.ts'
import { areaOfFlags, fieldsOfFlags } from './pack-area.ts'
import type { PackFlags, PackCommandDeps } from './pack-deps.ts'
import { createFileFinder } from './publisher-files.ts'
import { createStderrProgress } from '../progress.ts'
import { onInterrupt } from '../server/stop-signals.ts'

/** `fieldstone pack plan`: prints how the data of fields becomes available in an area. */
export async function planPacks(datasets: readonly string[], flags: PackFlags, deps: PackCommandDeps): Promise<number> {
  const fields = fieldsOfFlags(datasets, flags, deps)
  const area = await areaOfFlags(flags, deps)
  const { datasets: plan, networkProblem } = await planForArea(fields, area, {
    ...deps,
    isQuiet: flags.json === true,
    prefersServices: flags.services === true,
  })
  if (flags.json) deps.print(JSON.stringify({ area: area.name, datasets: plan }))
  else {
    for (const line of formatPlan(plan, area)) deps.print(line)
    const answered = answeredFields(fields, plan, deps).length
    deps.print(
      `Then ${answered} of ${pluralize(fields.length, 'field')} can be answered in ${area.name} without a network.`,
    )
  }
  if (networkProblem !== null) {
    deps.printError(`${networkProblem} Nothing can be fetched.`)
    return exitCodes.temporaryFailure
  }
  const reason = nothingToFetchReason(fields, plan, deps)
  if (reason === null) return exitCodes.ok
  deps.printError(`Nothing can be fetched${reason}`)
  return exitCodes.failure
}

/** Why a plan with missing data can fetch nothing, as the end of a sentence; null if it can, or if nothing is missing. */
function nothingToFetchReason(
  fields: readonly Field[],
  plan: readonly PlannedDataset[],
  deps: PackCommandDeps,
): string | null {
  const builtIn = plan.filter(({ how }) => how === 'built_in')
  if (answeredFields(fields, builtIn, deps).length === fields.length) return null
  if (plan.every(({ how }) => how === 'built_in' || how === 'impossible'))
    return ': none of the missing data can be copied.'
  return deps.config.offline
    ? ` on this machine, because FIELDSTONE_OFFLINE=1. Run \`pack fetch\` with the same options ${withoutNetworkText}.`
    : null
}

/** The plan of each dataset. `networkProblem`: a sentence if services were asked and none answered. */
type AreaPlan = { datasets: PlannedDataset[]; networkProblem: string | null }

/**
 * Plans for an area. Without a network, the sizes are not known. A host that does not answer is not asked again. Shows
 * progress on standard error, unless `isQuiet`.
 */
export async function planForArea(
  fields: readonly Field[],
  area: Area,
  deps: PackCommandDeps & { isQuiet: boolean; prefersServices: boolean },
): Promise<AreaPlan> {
  const answers = new HostAnswers('size')
  const client = deps.config.offline ? null : openHarvestClient(deps, { onReply() {}, answers })
  const uses = datasetUsesOf(fields, deps.catalog)
  const controller = new AbortController()
  const interruptHandler = onInterrupt(() => controller.abort())
  const progress = client === null || deps.isQuiet ? null : createStderrProgress('Planning')
  try {
    const planDeps = {
      catalog: deps.catalog,
      net: client?.polite ?? null,
      findFiles: client === null ? null : createFileFinder(deps, answers),
      now: () => new Date(),
      counties: deps.counties(),
      prefersServices: deps.prefersServices,
      keys: deps.config.keys,
      overpass: deps.config.overpass,
    }
    let done = 0
    const datasets = await Promise.all(
      uses.map(async (use) => {
        const planned = await planDataset(use, area, planDeps, controller.signal)
        progress?.update(++done / uses.length, `${done} of ${pluralize(uses.length, 'dataset')}`)
        return planned
      }),
    )
    return { datasets: withUnansweredFields(datasets, fields, deps), networkProblem: networkProblemOf(answers, deps) }
  } finally {
    progress?.end()
    interruptHandler.remove()
    client?.close()
  }
}

/** The fields of a dataset that is not possible are those that no other dataset answers. */
function withUnansweredFields(
  plan: readonly PlannedDataset[],
  fields: readonly Field[],
  { catalog }: PackCommandDeps,
): PlannedDataset[] {
  const unanswered = unansweredFields(fields, isPlanned(plan), catalog)
  return plan.map((it) => (it.how === 'impossible' ? { ...it, fields: unanswered.get(it.dataset) ?? [] } : it))
}

/** The fields that are answered in the area without a network, except those of datasets that failed. */
export function answeredFields(
  fields: readonly Field[],
  plan: readonly PlannedDataset[],
  { catalog }: PackCommandDeps,
  failures: readonly string[] = [],
): Field[] {
  return answerableFields(fields, isPlanned(plan, failures), catalog)
}

function isPlanned(plan: readonly PlannedDataset[], failures: readonly string[] = []): (dataset: string) => boolean {
  return (name) => !failures.includes(name) && plan.some(({ dataset, how }) => dataset === name && how !== 'impossible')
}

function networkProblemOf(answers: HostAnswers, { config }: PackCommandDeps): string | null {
  const error = answers.errorOfAll()
  if (error === null) return null
  const step =
    config.mirror === null
      ? 'Check the network of this machine. If it needs a mirror, set FIELDSTONE_MIRROR.'
      : 'All requests go to the mirror in FIELDSTONE_MIRROR. Check this address, and the network of this machine.'
  return `No service answered. The first error was: ${error.message} ${step} Without a network, run this command ${withoutNetworkText}.`
}

/** @throws FileError with the way to get data if this machine may not download it. */
export function requireDownloads({ config }: PackCommandDeps): void {
  if (config.offline)
    throw new FileError(`Downloads are disabled (FIELDSTONE_OFFLINE=1). Run this command ${withoutNetworkText}.`)
}

/** The lines of a plan: what is copied, the sum, and what cannot be copied and why. */
export function formatPlan(plan: readonly PlannedDataset[], area: Area): string[] {
  const copied = plan.filter(({ how }) => how === 'service' || how === 'file')
  const builtIn = plan.filter(({ how }) => how === 'built_in')
  const [needed, replaced] = [true, false].map((isNeeded) =>
    plan.filter(({ how, fields }) => how === 'impossible' && fields.length > 0 === isNeeded),
  ) as [PlannedDataset[], PlannedDataset[]]
  return [
    `Plan for ${area.name}:`,
    ...(copied.length === 0 ? ['Nothing is copied.'] : [...tableOf(copied), ...reasonsOf(copied), sumLine(copied)]),
    ...(builtIn.length === 0 ? [] : [`Part of the executable: ${formatNames(builtIn.map(({ dataset }) => dataset))}.`]),
    ...reasonsOf(builtIn),
    ...(replaced.length === 0
      ? []
      : [`Not copied, because other data answers the same: ${formatNames(replaced.map(({ dataset }) => dataset))}.`]),
    ...(needed.length === 0 ? [] : ['Not possible:']),
    ...needed.map(({ dataset, fields, reason }) => `  ${dataset} (${formatNames(fields)}): ${reason}`),
  ]
}

function tableOf(copied: readonly PlannedDataset[]): string[] {
  return alignColumns([
    ['dataset', 'fields', 'how', 'requests', 'features', 'MB', 'time', 'license'],
    ...copied.map((it) => [
      it.dataset,
      String(it.fields.length),
      it.how === 'file'
        ? pluralize(it.from?.split(' ').length ?? 1, 'publisher file')
        : `copy from ${it.from ?? 'its service'}`,
      numberText(it.requests),
      it.how === 'file' ? '' : it.features === null && it.requests !== null ? 'cells' : numberText(it.features),
      it.bytes === null ? '?' : (it.bytes / 1e6).toFixed(1),
      it.seconds === null ? '?' : formatDuration(it.seconds),
      it.license,
    ]),
  ])
}

/** Why sizes are not known, why services are copied although there are files, or how to get newer data. */
function reasonsOf(planned: readonly PlannedDataset[]): string[] {
  const byReason = Map.groupBy(planned, ({ reason }) => reason)
  return [...byReason].flatMap(([reason, group]) =>
    reason === null ? [] : [`${formatNames(group.map(({ dataset }) => dataset))}: ${reason}`],
  )
}

/** The expected size of a plan, without the datasets whose size is not known. */
export function bytesOfPlan(plan: readonly PlannedDataset[]): number {
  return plan.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0)
}

/** The folder of the journals of unfinished copies. */
export function harvestFolderOf({ config }: Pick<PackCommandDeps, 'config'>): string {
  return join(config.data, 'harvest')
}

function sumLine(copied: readonly PlannedDataset[]): string {
  const known = copied.filter(({ bytes }) => bytes !== null)
  const sum = (member: 'requests' | 'seconds') => known.reduce((total, it) => total + (it[member] ?? 0), 0)
  const unknown = copied.length - known.length
  return `In all about ${megabytes(bytesOfPlan(known))}, ${pluralize(sum('requests'), 'request')}, ${formatDuration(sum('seconds'))}${unknown > 0 ? `, without ${pluralize(unknown, 'dataset')} of unknown size` : ''}.`
}

function numberText(value: number | null): string {
  return value === null ? '?' : String(value)
}
