import { closeSync, existsSync, fsyncSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { isRecord } from '../model/record.ts'
import { PackRefused } from '../packs/pack-refused.ts'
import { manifestOf } from '../packs/pack-manifest.ts'
import type { BuildJob, Built } from '../packs/import/build.ts'
import type { ImportReply } from '../workers/import.ts'
import { exits } from './exits.ts'
import { makePackFolder } from './pack-folder.ts'
import { packTarget, type PackTarget } from './pack-target.ts'
import type { PackFlags, PackTools } from './pack-tools.ts'
import { progressHere } from './progress.ts'
import { UsageError } from './usage-error.ts'

/** Builds the pack of a dataset from files and puts it in its place at once. */
export async function packBuild(id: string, inputs: string[], flags: PackFlags, tools: PackTools): Promise<number> {
  if (inputs.length === 0) throw new UsageError(`\`fieldstone pack build ${id} <file …>\`: no file is named.`)
  const target = packTarget(id, textOf(flags.layer), tools)
  if (target.file.endsWith('.tif')) throw new PackRefused(`${id} is served from a raster: make a tiled GeoTIFF and copy it to ${join(tools.folder, target.file)} (gdal_translate -of COG <in> ${target.file}).`)
  const out = resolve(textOf(flags.out) ?? join(tools.folder, target.file))
  const coverage = coverageOf(textOf(flags.coverage))
  const keeps = existsSync(out) && hasOtherLayers(target, tools)
  makePackFolder(dirname(out))
  const folder = mkdtempSync(join(dirname(out), '.fieldstone-build-'))
  const interrupted = onInterrupt(() => rmSync(folder, { recursive: true, force: true }))
  try {
    const built = await inWorker(jobOf(inputs, { target, out, folder, keeps }, flags), tools)
    publish(built, out, manifestText(built, { id, target, out, keeps, coverage, vintage: textOf(flags.vintage) }, tools))
    for (const line of summary(built, target, out)) tools.print(line)
    return 0
  } finally {
    interrupted.over()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Whether the catalog reads other layers of the file, which then stay in it. */
function hasOtherLayers({ file, layer }: PackTarget, { expected }: PackTools): boolean {
  return expected(file).some(({ layers, tables }) => [...layers, ...tables.map(({ name }) => name)].some((name) => name !== null && name !== layer))
}

/** A flag that has a text, or none. */
function textOf(flag: string | boolean | undefined): string | null {
  return typeof flag === 'string' ? flag : null
}

function jobOf(inputs: string[], { target, out, folder, keeps }: { target: PackTarget; out: string; folder: string; keeps: boolean }, flags: PackFlags): BuildJob {
  const crs = textOf(flags.crs)
  if (crs !== null && !/^\w+:\d+$/.test(crs)) throw new UsageError(`--crs is ${JSON.stringify(crs)}: it takes a code such as EPSG:5070.`)
  return {
    inputs: inputs.map((input) => resolve(input)), folder, name: basename(out), before: keeps ? out : null, layer: target.layer, expected: target.expected, crs,
    where: textOf(flags.where), numbered: textOf(flags.number), whole: flags.whole === true, renamed: [...Object.entries(renamedIn(target)), ...renamedBy(textOf(flags.rename))],
    source: { layer: textOf(flags['source-layer']), lat: textOf(flags.lat), lng: textOf(flags.lng) },
  }
}

function renamedIn({ dataset, file }: PackTarget): Record<string, string> {
  const serving = dataset.serve.find((it) => it.driver === 'pack' && it.file === file)
  return serving?.driver === 'pack' ? (serving.rename ?? {}) : {}
}

function renamedBy(text: string | null): [string, string][] {
  return (text ?? '').split(',').filter((pair) => pair !== '').map((pair) => {
    const [from, to, ...more] = pair.split('=')
    if (!from || !to || more.length > 0) throw new UsageError(`--rename is ${JSON.stringify(text)}: it takes <name in the file>=<name in the pack>, with commas between several.`)
    return [from.trim(), to.trim()]
  })
}

/** The worker lets the bar move and Ctrl-C work while SQLite is busy. */
function inWorker(job: BuildJob, { workers }: PackTools): Promise<Built> {
  const progress = progressHere(job.name)
  const worker = workers.import()
  return new Promise<Built>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<ImportReply>) => {
      if ('done' in data) progress.at(data.done, `${data.features.toLocaleString('en-US')} features`)
      else if ('built' in data) resolve(data.built)
      else reject(new PackRefused(data.refused))
    }
    worker.onerror = ({ message }) => reject(new Error(`The worker that builds packs has failed: ${message}`))
    worker.postMessage(job, [])
  }).finally(() => {
    progress.end()
    worker.terminate()
  })
}

/** An interruption leaves nothing behind: the process ends at once, its work folder removed. */
function onInterrupt(tidy: () => void): { over(): void } {
  const stop = () => {
    tidy()
    process.exit(exits.interrupted)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return {
    over() {
      process.off('SIGINT', stop)
      process.off('SIGTERM', stop)
    },
  }
}

/** Two renames, one right after the other: the service looks at a file that has changed a second time before it takes it. */
function publish(built: Built, out: string, manifest: string): void {
  const file = openSync(built.path, 'r+')
  fsyncSync(file)
  closeSync(file)
  const beside = `${built.path}.manifest`
  writeFileSync(beside, manifest)
  renameSync(beside, manifestPath(out))
  renameSync(built.path, out)
}

function manifestPath(out: string): string {
  return join(dirname(out), `${basename(out, extname(out))}.json`)
}

/** The box round everything is what the pack covers, until somebody says better: not, where layers stay of which nothing is known here. */
function manifestText(built: Built, { id, target, out, keeps, coverage, vintage }: { id: string; target: PackTarget; out: string; keeps: boolean; coverage: unknown; vintage: string | null }, { version }: PackTools): string {
  const before = keeps ? manifestBefore(manifestPath(out)) : {}
  const hasUnknown = keeps && !isRecord(before.contents)
  const { licence, attribution } = target.dataset
  const newest = built.sources.map(({ modified }) => modified.slice(0, 10)).toSorted().at(-1)!
  const layer = {
    dataset: id, box: built.box, vintage: vintage ?? newest, features: built.features, empty_geometries: built.empty, broken_geometries: built.broken + built.astray.count, left_out: built.left_out,
    built_at: new Date().toISOString(), built_by: `fieldstone ${version}`, sources: built.sources,
  }
  const contents = { ...(isRecord(before.contents) ? before.contents : {}), [target.layer]: layer }
  const vintages = Object.values(contents).map((it) => (isRecord(it) ? String(it.vintage) : '')).toSorted()
  const covered = coverage ?? (hasUnknown || isRecord(before.coverage) ? (before.coverage ?? null) : boxOf(Object.values(contents)))
  return `${JSON.stringify({ vintage: vintage ?? vintages.at(-1), licence, ...(attribution !== undefined && { attribution }), ...(covered !== null && { coverage: covered }), sha256: built.sha256, contents }, null, 2)}\n`
}

/** What was said of the other layers of the file, when it stays. */
function manifestBefore(path: string): Record<string, unknown> {
  if (!existsSync(path)) return {}
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isRecord(value) ? value : {}
  } catch {
    return {} // it was refused before as well, and is written anew
  }
}

/** The box round the boxes of all layers; a table lies nowhere. */
function boxOf(layers: unknown[]): number[] | null {
  const boxes = layers.flatMap((it) => (isRecord(it) && isBox(it.box) ? [it.box] : []))
  if (boxes.length === 0) return null
  return [0, 1, 2, 3].map((side) => boxes.reduce((so, box) => (side < 2 ? Math.min(so, box[side]!) : Math.max(so, box[side]!)), boxes[0]![side]!))
}

function isBox(value: unknown): value is number[] {
  return Array.isArray(value) && value.length === 4 && value.every((it) => typeof it === 'number')
}

function coverageOf(text: string | null): unknown {
  if (text === null) return null
  const box = text.split(',').map(Number)
  const value = box.length === 4 && box.every(Number.isFinite) ? box : coverageFile(text)
  manifestOf(JSON.stringify({ coverage: value }), '--coverage')
  return value
}

function coverageFile(path: string): unknown {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (isRecord(value) && Array.isArray(value.features) && value.features.length === 1) return value.features[0]
    return value
  } catch (cause) {
    throw new PackRefused(`--coverage is ${JSON.stringify(path)}: it takes <west>,<south>,<east>,<north> or a GeoJSON file of one polygon (${(cause as Error).message}).`, { cause })
  }
}

function summary({ features, left_out, empty, broken, astray, formats }: Built, { layer, expected }: PackTarget, out: string): string[] {
  const notes = [
    ...(left_out > 0 ? [`${left_out} left out by --where`] : []), ...(empty > 0 ? [`${empty} without a geometry`] : []), ...(broken > 0 ? [`${broken} with a broken geometry, which answer nothing`] : []),
    ...(astray.count > 0 ? [`${astray.count} not on the earth, which answer nothing (the first is ${astray.first})`] : []),
  ]
  return [`${out}: ${expected.dataset}, layer ${layer}, ${features} features from ${[...new Set(formats)].join(', ')}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}, ${statSync(out).size} bytes.`]
}
