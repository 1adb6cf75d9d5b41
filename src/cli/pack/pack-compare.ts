import { join } from 'node:path'
import { openApp, type App } from '../../app.ts'
import { noDeadline } from '../../async/deadline.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Field } from '../../catalog/records.ts'
import type { Config } from '../../config.ts'
import type { FieldResult } from '../../fetch/fetch-answer.ts'
import { fetchFields } from '../../fetch/fetch.ts'
import type { Area } from '../../pack-plans/area.ts'
import { createLog } from '../../log.ts'
import { samplePointsOf } from '../../pack-plans/sample-points.ts'
import type { Point } from '../../model/place.ts'
import { waitForPacks } from '../command-app.ts'
import type { PackCommandDeps } from './pack-deps.ts'
import { makePackFolder } from './pack-install.ts'
import { withWorkFolder } from '../server/stop-signals.ts'

/** A field whose answers from the packs and from the services differ at a point. */
type AnswerDifference = { field: string; at: Point; pack: string; service: string }

/** The comparison of packs with their services. `failures`: answers of services that could not be compared. */
export type PackComparison = { points: number; compared: number; failures: number; differences: AnswerDifference[] }

const borderPoints = 20

/**
 * Compares the answers of the packs with those of the services at points of the area and at its border. Both are
 * answered by a complete service of their own: one without a network, and one without packs.
 */
export async function comparePacks(
  { fields, area, points }: { fields: readonly Field[]; area: Area; points: number },
  { config, options }: PackCommandDeps,
  report: (done: number) => void,
): Promise<PackComparison> {
  makePackFolder(config.data)
  return withWorkFolder(config.data, async (folder) => {
    const log = createLog('error', (line) => process.stderr.write(`${line}\n`))
    const open = (name: string, change: Partial<Config>) =>
      openApp({ ...options, log, config: { ...config, data: join(folder, name), ...change } })
    const apps: App[] = []
    try {
      const local = open('local', { offline: true })
      apps.push(local)
      const online = open('online', { packs: join(folder, 'no-packs') })
      apps.push(online)
      await waitForPacks(local)
      const comparison: PackComparison = { points: 0, compared: 0, failures: 0, differences: [] }
      const samples = samplePointsOf(area, points, borderPoints)
      for (const at of samples) {
        await compareAt(at, fields, { local, online }, comparison)
        report(++comparison.points / samples.length)
      }
      return comparison
    } finally {
      for (const app of apps) await app.close()
    }
  })
}

async function compareAt(
  at: Point,
  fields: readonly Field[],
  { local, online }: { local: App; online: App },
  comparison: PackComparison,
): Promise<void> {
  const [fromPack, fromService] = await Promise.all([answersAt(local, at, fields), answersAt(online, at, fields)])
  for (const field of fields) {
    const [pack, service] = [fromPack[field.name]!, fromService[field.name]!]
    if (service.status === 'failed') {
      comparison.failures++
      continue
    }
    comparison.compared++
    if (isSameAnswer(pack, service, toleranceOf(field, local.catalog))) continue
    comparison.differences.push({ field: field.name, at, pack: textOf(pack), service: textOf(service) })
  }
}

async function answersAt(app: App, at: Point, fields: readonly Field[]): Promise<Record<string, FieldResult>> {
  const place = await app.locate(at, noDeadline)
  return (await fetchFields([...fields], place, noDeadline, app)).fields
}

/** Sums of floating-point numbers may be rounded differently. */
const roundingShare = 1e-6
/** The accuracy of distances: lines are measured in other steps in a pack. */
const distanceAccuracy = { share: 0.001, m: 0.1 }

function isSameAnswer(pack: FieldResult, service: FieldResult, { share, least }: Tolerance): boolean {
  if (pack.status !== service.status) return false
  if (typeof pack.value !== 'number' || typeof service.value !== 'number')
    return JSON.stringify(pack.value) === JSON.stringify(service.value)
  return Math.abs(pack.value - service.value) <= least + share * Math.abs(service.value)
}

/** How far two numbers may differ: by a share of the number, and by an amount. */
type Tolerance = { share: number; least: number }

/** The tolerance of a field. Distances may differ more where the service returns simplified outlines. */
function toleranceOf({ unit, decimals, read }: Field, { datasets }: Catalog): Tolerance {
  const rounding = decimals === undefined ? 0 : 1.5 * 10 ** -decimals
  if (unit !== 'm') return { share: roundingShare, least: rounding }
  const offsets = datasets
    .get(read.dataset)!
    .serve.map((serving) => (serving.driver === 'arcgis' ? (serving.max_allowable_offset_degrees ?? 0) : 0))
  const least = rounding + distanceAccuracy.m + Math.max(...offsets) * metersPerDegree
  return { share: distanceAccuracy.share, least }
}

const metersPerDegree = 111_320

function textOf({ status, value, ...rest }: FieldResult): string {
  if (status === 'failed') return 'error' in rest ? rest.error : 'failed'
  return status === 'ok' ? JSON.stringify(value) : 'absent'
}
