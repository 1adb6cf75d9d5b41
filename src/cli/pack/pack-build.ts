import { existsSync, mkdtempSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { fileErrorText, pluralize } from '../../model/text.ts'
import { isRecord } from '../../model/record.ts'
import { FileError } from '../../files/file-error.ts'
import { packNameOf, packPathPattern } from '../../packs/part-files.ts'
import { parseManifest } from '../../packs/pack-manifest.ts'
import type { BuildJob, PackBuildResult } from '../../build-packs/build-pack.ts'
import type { ImportMessage } from '../../workers/import.ts'
import { installPack, layersManifest, makePackFolder, readExistingManifest } from './pack-install.ts'
import { buildRasterPack } from './pack-build-raster.ts'
import { layerWarningsOf } from './pack-warnings.ts'
import { findPackTargets, type PackTarget } from './pack-target.ts'
import type { PackFlags, PackCommandDeps } from './pack-deps.ts'
import { createStderrProgress } from '../progress.ts'
import { withWorkFolder } from '../server/stop-signals.ts'
import { UsageError } from '../usage-error.ts'

/** Builds the pack of a dataset from files and replaces the old one atomically. */
export async function buildDatasetPack(
  id: string,
  inputs: string[],
  flags: PackFlags,
  deps: PackCommandDeps,
): Promise<number> {
  if (inputs.length === 0) throw new UsageError(`No input file given. Usage: \`fieldstone pack build ${id} <file …>\`.`)
  const targets = findPackTargets(id, textFlag(flags.layer), deps)
  const { file, dataset } = targets[0]!
  const overrides = { vintage: textFlag(flags.vintage), coverage: parseCoverage(textFlag(flags.coverage)) }
  const chosenOut = textFlag(flags.out) ?? partPathOf(file, textFlag(flags.part), deps.folder)
  if (file.endsWith('.tif')) return buildRasterPack(id, dataset, { inputs, out: chosenOut, ...overrides }, deps)
  const out = resolve(chosenOut ?? join(deps.folder, file))
  const keepsOtherLayers = existsSync(out) && hasOtherLayers(targets, deps)
  makePackFolder(dirname(out))
  return withWorkFolder(dirname(out), async (folder) => {
    const builtLayers: { layer: string; built: PackBuildResult }[] = []
    for (const target of targets) {
      const existingPack = builtLayers.at(-1)?.built.path ?? (keepsOtherLayers ? out : null)
      builtLayers.push({
        layer: target.layer,
        built: await buildInWorker(
          buildJobOf(
            inputs,
            { target, name: basename(out), folder: mkdtempSync(join(folder, 'layer-')), existingPack },
            flags,
          ),
          deps,
        ),
      })
    }
    const { path, sha256, isIndexed } = builtLayers.at(-1)!.built
    const manifest = layersManifest(builtLayers, {
      id,
      dataset,
      version: deps.version,
      ...overrides,
      existing: keepsOtherLayers ? readExistingManifest(out) : null,
    })
    installPack({ path, out, manifest, checked: isIndexed ? { sha256 } : null }, deps.config)
    const isTable = (layer: string) => targets.some((it) => it.layer === layer && it.expected.tables.length > 0)
    for (const { layer, built } of builtLayers) {
      deps.print(summaryLine(built, { id, layer, out }))
      const warnings = layerWarningsOf(built, { id, catalog: deps.catalog, isTable: isTable(layer) })
      for (const warning of warnings) deps.printError(`Warning: ${warning}`)
    }
    return 0
  })
}

/** The path of a part of a pack. Null if no part is given. @throws {UsageError} if the name cannot be a file name */
function partPathOf(file: string, part: string | null, folder: string): string | null {
  if (part === null) return null
  const path = `${packNameOf(file)}/${part}${extname(file)}`
  if (!packPathPattern.test(path) || file.includes('{level}'))
    throw new UsageError(
      file.includes('{level}')
        ? `--part cannot be used with a pack of one raster per level, such as ${file}. Use --out.`
        : `--part ${JSON.stringify(part)} is not valid. Use letters, digits, "_", "-" and ".", such as 08013.`,
    )
  return join(folder, path)
}

/** Whether the catalog reads other layers of the file. The build keeps them. */
function hasOtherLayers(targets: PackTarget[], { expected }: PackCommandDeps): boolean {
  return expected(targets[0]!.file).some(({ layers, tables }) =>
    [...layers, ...tables.map(({ name }) => name)].some(
      (name) => name !== null && !targets.some(({ layer }) => layer === name),
    ),
  )
}

function textFlag(flag: string | boolean | undefined): string | null {
  return typeof flag === 'string' ? flag : null
}

/** The build of a layer, as the catalog and the flags describe it. */
export function buildJobOf(
  inputs: string[],
  { target, ...paths }: { target: PackTarget } & Pick<BuildJob, 'folder' | 'name' | 'existingPack'>,
  flags: PackFlags,
): BuildJob {
  const crs = textFlag(flags.crs)
  if (crs !== null && !/^\w+:\d+$/.test(crs))
    throw new UsageError(`--crs ${JSON.stringify(crs)} is not valid. Use a code such as EPSG:5070.`)
  const { recipe = null } = target.dataset
  return {
    ...paths,
    inputs: inputs.map((input) => resolve(input)),
    layer: target.layer,
    requirements: target.expected,
    crs,
    where: textFlag(flags.where),
    numberColumn: textFlag(flags.number),
    keepWhole: flags.whole === true,
    renames: [...Object.entries(catalogRenames(target)), ...flagRenames(textFlag(flags.rename))],
    source: { layer: textFlag(flags['source-layer']), lat: textFlag(flags.lat), lng: textFlag(flags.lng) },
    recipe: recipe ?? {},
    constantColumns: recipe?.layers?.find(({ layer }) => layer === target.layer)?.set ?? {},
  }
}

function catalogRenames({ dataset, file }: PackTarget): Record<string, string> {
  const serving = dataset.serve.find((it) => it.driver === 'pack' && it.file === file)
  return serving?.driver === 'pack' ? (serving.rename ?? {}) : {}
}

function flagRenames(text: string | null): [string, string][] {
  return (text ?? '')
    .split(',')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [from, to, ...rest] = pair.split('=')
      if (!from || !to || rest.length > 0)
        throw new UsageError(
          `--rename ${JSON.stringify(text)} is not valid. Use <input column>=<pack column>, separated by commas.`,
        )
      return [from.trim(), to.trim()]
    })
}

/** Builds in a worker, so that the progress bar and Ctrl-C work while SQLite is busy. `label`: what the bar shows. */
export function buildInWorker(
  job: BuildJob,
  { workers }: Pick<PackCommandDeps, 'workers'>,
  label = job.name,
): Promise<PackBuildResult> {
  const progress = createStderrProgress(label)
  const worker = workers.import()
  return new Promise<PackBuildResult>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<ImportMessage>) => {
      if ('done' in data) progress.update(data.done, pluralize(data.features, 'feature'))
      else if ('result' in data) resolve(data.result)
      else reject(new FileError(data.rejected, data))
    }
    worker.onerror = ({ message }) => reject(new Error(`The pack build worker failed: ${message}`))
    worker.postMessage(job, [])
  }).finally(() => {
    progress.end()
    worker.terminate()
  })
}

function parseCoverage(text: string | null): unknown {
  if (text === null) return null
  const box = text.split(',').map(Number)
  const value = box.length === 4 && box.every(Number.isFinite) ? box : readCoverageFile(text)
  parseManifest(JSON.stringify({ coverage: value }), '--coverage')
  return value
}

function readCoverageFile(path: string): unknown {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (isRecord(value) && Array.isArray(value.features) && value.features.length === 1) return value.features[0]
    return value
  } catch (cause) {
    throw new FileError(
      `--coverage ${JSON.stringify(path)} is not valid. Use <west>,<south>,<east>,<north> or a GeoJSON file with one polygon. ${path}: ${fileErrorText(cause)}.`,
      { cause },
    )
  }
}

function summaryLine(
  { features, excluded, empty, invalid, outOfRange, formats }: PackBuildResult,
  { id, layer, out }: { id: string; layer: string; out: string },
): string {
  const notes = [
    ...(excluded > 0 ? [`${excluded} excluded by the condition`] : []),
    ...(empty > 0 ? [`${empty} without a geometry`] : []),
    ...(invalid > 0 ? [`${invalid} with an invalid geometry, so no query will find them`] : []),
    ...(outOfRange.count > 0
      ? [
          `${outOfRange.count} with coordinates out of range, so no query will find them (the first is ${outOfRange.first})`,
        ]
      : []),
  ]
  return `${out}: ${id}, layer ${layer}, ${pluralize(features, 'feature')} from ${[...new Set(formats)].join(', ')}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}, ${pluralize(statSync(out).size, 'byte')}.`
}
